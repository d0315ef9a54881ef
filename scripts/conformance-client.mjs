// Runs the official conformance suite for clients on a small client built on the library, once for each revision of
// the protocol we speak. All required checks of a revision must pass; other failures must be listed in the baseline.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { availableParallelism, tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { inspect } from 'node:util';
import { parse } from 'yaml';
import { performScenario } from '../test/conformance/client.ts';
import { nodePath, root, toolEnvironment } from './project.mjs';

const revisions = ['2025-11-25', '2026-07-28'];
const suite = join(root, 'node_modules', '@modelcontextprotocol', 'conformance');
const own = join(root, 'test', 'conformance');
const baseline = new Set(readYaml(join(own, 'client-baseline.yml')).client);
// The time limit of a scenario, which includes waiting for its turn.
const timeoutMs = 180_000;

const directory = mkdtempSync(join(tmpdir(), 'toolwharf-conformance-'));
let running;
process.on('exit', () => {
  stop();
  rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
});
process.on('SIGINT', () => process.exit(130)).on('SIGTERM', () => process.exit(143));
const scenariosPort = await serveScenarios(2 * availableParallelism());

for (const revision of revisions) {
  const problems = await check(revision);
  console.log(problems.length === 0 ? `\n${revision}: as expected\n` : `\n${revision}: not as expected`);
  for (const problem of problems) console.log(`  ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
}

async function check(revision) {
  console.log(`== Clients of ${revision}`);
  const results = join(directory, revision);
  const { code, summary } = await runSuite(revision, results);
  console.log(summary);
  const { required, others } = scenariosOf(revision);
  const outcomes = readOutcomes(results);
  const problems = code === 0 ? [] : [`the suite ended with ${code}`];
  for (const scenario of [...required, ...others]) {
    const failure = outcomes.has(scenario) ? outcomes.get(scenario) : 'it has no result';
    const excused = baseline.has(scenario) && !required.has(scenario);
    if (failure !== undefined && !excused) problems.push(`${scenario} fails: ${failure}`);
    if (failure === undefined && baseline.has(scenario))
      problems.push(`${scenario} passes: remove it from the baseline`);
  }
  return problems;
}

/** Runs what the revision requires and what the suite reports beside it; gives the suite's exit code and summary. */
function runSuite(revision, results) {
  const node = nodePath() ?? process.execPath;
  const command = `"${node}" "${join(own, 'request-scenario.mjs')}"`;
  const args = ['client', '--requirements', revision, '--command', command, '--timeout', String(timeoutMs)];
  running = spawn(node, [join(suite, 'dist', 'index.js'), ...args, '--output-dir', results], {
    cwd: root,
    env: { ...toolEnvironment(), TOOLWHARF_SCENARIOS_PORT: String(scenariosPort) },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A separate process group, so that the programs of the suite end with it.
    detached: process.platform !== 'win32',
  });
  let output = '';
  let complaints = '';
  running.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  running.stderr.setEncoding('utf8').on('data', (text) => {
    complaints += text;
  });
  return new Promise((resolve, reject) => {
    running.once('error', reject);
    running.once('close', (code) => {
      running = undefined;
      const start = output.indexOf('=== SUITE SUMMARY');
      resolve({ code: code ?? 1, summary: start < 0 ? output + complaints : output.slice(start).trim() });
    });
  });
}

/**
 * Performs the scenarios that the programs of the suite request, each with a toolbox of its own. The suite starts all of them at
 * once, which is too much for a small machine: `places` are performed at a time.
 */
async function serveScenarios(places) {
  const waiting = [];
  let free = places;
  const next = () => {
    while (free > 0 && waiting.length > 0) {
      free--;
      void perform(waiting.shift()).finally(() => {
        free++;
        next();
      });
    }
  };
  const server = createServer((socket) => {
    socket.on('error', () => {});
    waiting.push(socket);
    next();
  });
  // It ends with this process.
  server.listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  return server.address().port;
}

/** Performs the scenario that the first line names, and sends the reason if it fails. */
async function perform(socket) {
  for await (const line of createInterface({ input: socket })) {
    const failure = await performScenario(JSON.parse(line)).then(
      () => '',
      (cause) => inspect(cause),
    );
    socket.end(failure);
    return;
  }
}

function stop() {
  if (running?.pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? running.pid : -running.pid, 'SIGTERM');
  } catch {
    // The process has already ended.
  }
}

function scenariosOf(revision) {
  const { client, not_scored: unscored = [] } = readYaml(join(suite, 'requirements', `${revision}.yaml`));
  const others = unscored.filter(({ leg }) => leg === 'client').map(({ scenario }) => scenario);
  return { required: new Set(client), others };
}

/** The failures of each scenario that ran; undefined without failures. */
function readOutcomes(results) {
  const files = existsSync(results) ? readdirSync(results, { recursive: true }) : [];
  const directories = files.filter((file) => basename(file) === 'checks.json').map((file) => dirname(file));
  // The suite names a directory after the scenario and the time.
  const scenarioOf = (path) => path.replaceAll('\\', '/').replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, '');
  return new Map(directories.map((path) => [scenarioOf(path), failureIn(join(results, path))]));
}

function failureIn(result) {
  const checks = JSON.parse(readFileSync(join(result, 'checks.json'), 'utf8'));
  // A warning is a violated SHOULD of the protocol.
  const failed = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
  if (failed.length > 0) {
    return failed.map(({ id, errorMessage, description }) => `${id} (${errorMessage ?? description})`).join('; ');
  }
  // The suite ignores a program that fails after its last check.
  const said = readFileSync(join(result, 'stdout.txt'), 'utf8').trim();
  if (said === 'done') return undefined;
  return `the program broke off: ${readFileSync(join(result, 'stderr.txt'), 'utf8').trim() || 'no word why'}`;
}

function readYaml(file) {
  return parse(readFileSync(file, 'utf8'));
}
