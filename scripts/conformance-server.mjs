// Runs the official conformance suite for servers on the gateway in front of a server of each era, once for each
// revision of the protocol. All required checks of a revision must pass; other failures must be listed in the baseline.
// With `--direct` those servers alone are tested, each with the revision of its era.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { parse } from 'yaml';
import { nodePath, root, toolEnvironment } from './project.mjs';

const eraOf = { '2025-11-25': 'legacy', '2026-07-28': 'modern' };
const revisions = Object.keys(eraOf);
const suite = join(root, 'node_modules', '@modelcontextprotocol', 'conformance');
const own = join(root, 'test', 'conformance');
const baseline = readYaml(join(own, 'server-baseline.yml'));
// The tests bundle it, because it starts faster.
const bundles = process.env.TOOLWHARF_TEST_PROGRAMS;
const gatewayProgram = bundles ? join(bundles, 'conformance-gateway.js') : join(own, 'conformance-gateway.ts');
const node = nodePath() ?? process.execPath;
const isDirect = process.argv.includes('--direct');

const directory = mkdtempSync(join(tmpdir(), 'toolwharf-conformance-'));
const running = new Set();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
  rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
});
process.on('SIGINT', () => process.exit(130)).on('SIGTERM', () => process.exit(143));

const rows = [];
for (const era of ['legacy', 'modern']) {
  const server = await start(join(own, `complete-${era}-server.mjs`));
  const gateway = isDirect ? undefined : await start(gatewayProgram, server.url);
  for (const revision of revisions) {
    if (isDirect && eraOf[revision] !== era) continue;
    rows.push(await check(revision, era, (gateway ?? server).url));
  }
  await gateway?.stop();
  await server.stop();
}

console.log(`\n${isDirect ? 'The servers alone' : 'Through the gateway'}\n`);
console.log('revision    server  required  beside them  as expected');
for (const { revision, era, required, others, problems } of rows) {
  const cells = [revision.padEnd(12), era.padEnd(8), required.padEnd(10), others.padEnd(13)];
  console.log(`${cells.join('')}${problems.length === 0 ? 'yes' : 'no'}`);
}
for (const { revision, era, problems } of rows.filter((row) => row.problems.length > 0)) {
  console.log(`\n${revision} over ${era}`);
  for (const problem of problems) console.log(`  ${problem}`);
  process.exitCode = 1;
}

async function check(revision, era, url) {
  const results = join(directory, `${revision}-${era}`);
  const said = await runSuite(revision, url, results);
  const { required, others } = scenariosOf(revision);
  const outcomes = readOutcomes(results);
  const excused = new Set(baseline[revision]);
  const problems = outcomes.size === 0 ? [`the suite did not run: ${said}`] : [];
  const failureOf = (scenario) => (outcomes.has(scenario) ? outcomes.get(scenario) : 'it has no result');
  const passed = (scenarios) => scenarios.filter((scenario) => failureOf(scenario) === undefined);
  for (const scenario of required) {
    if (failureOf(scenario) !== undefined) problems.push(`${scenario} fails: ${failureOf(scenario)}`);
  }
  // Failures beyond the required checks are properties of the test servers.
  for (const scenario of isDirect ? [] : others) {
    const failure = failureOf(scenario);
    if (failure !== undefined && !excused.has(scenario)) problems.push(`${scenario} fails: ${failure}`);
    if (failure === undefined && excused.has(scenario))
      problems.push(`${scenario} passes: remove it from the baseline`);
  }
  const count = (scenarios) => `${passed(scenarios).length}/${scenarios.length}`;
  return { revision, era, required: count(required), others: count(others), problems };
}

async function runSuite(revision, url, results) {
  const args = ['server', '--url', url, '--requirements', revision, '--output-dir', results];
  const child = begin([join(suite, 'dist', 'index.js'), ...args], ['ignore', 'pipe', 'pipe']);
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      said = (said + text).slice(-4_000);
    });
  }
  await once(child, 'close');
  return said;
}

/** Starts a program that prints its address and ends on disposal. */
async function start(program, ...args) {
  const child = begin([program, ...args], ['pipe', 'pipe', 'inherit']);
  const [line] = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), once(child, 'exit')]);
  if (typeof line !== 'string' || !line.startsWith('{')) throw new Error(`${basename(program)} did not start`);
  return {
    url: JSON.parse(line).url,
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

function begin(args, stdio) {
  const child = spawn(node, args, { cwd: root, env: toolEnvironment(), stdio });
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

function scenariosOf(revision) {
  const { server, not_scored: unscored = [] } = readYaml(join(suite, 'requirements', `${revision}.yaml`));
  return { required: server, others: unscored.filter(({ leg }) => leg === 'server').map(({ scenario }) => scenario) };
}

/** The failures of each scenario that ran; undefined without failures. */
function readOutcomes(results) {
  const files = existsSync(results) ? readdirSync(results, { recursive: true }) : [];
  const directories = files.filter((file) => basename(file) === 'checks.json').map((file) => dirname(file));
  // The suite names a directory after the kind, the scenario and the time.
  const scenarioOf = (path) =>
    basename(path)
      .replace(/^server-/, '')
      .replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, '');
  return new Map(directories.map((path) => [scenarioOf(path), failureIn(join(results, path, 'checks.json'))]));
}

function failureIn(file) {
  const checks = JSON.parse(readFileSync(file, 'utf8'));
  // A warning is a violated SHOULD of the protocol.
  const failed = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
  if (failed.length === 0) return undefined;
  return failed.map(({ id, errorMessage, description }) => `${id} (${errorMessage ?? description})`).join('; ');
}

function readYaml(file) {
  return parse(readFileSync(file, 'utf8'));
}
