// Processes of the bench: started with the same Node, stopped by their id.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
export const mainScript = here('../../dist/cli/main.js');
const ticksPerSecond = 100;

/** Starts a program that prints its URL as the first line on stdout. */
export async function start(script, { args = [], env = {} } = {}) {
  const child = spawn(process.execPath, [script, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors = (errors + chunk).slice(-4_000);
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const first = await lines.next();
  if (first.done) throw new Error(`${script} ended: ${errors}`);
  return {
    ...follow(child),
    address: first.value,
    next: async () => (await lines.next()).value,
    write: (text) => child.stdin.write(text),
  };
}

/** The processor time and memory of a child process, and its end. */
export function follow(child) {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  return {
    pid: child.pid,
    cpuMs: () => cpuMsOf(child.pid),
    rssMb: () => rssMbOf(child.pid),
    async stop() {
      child.kill('SIGTERM');
      // Some gateways wait for connections that are never closed.
      const timer = setTimeout(() => child.kill('SIGKILL'), 20_000);
      await ended;
      clearTimeout(timer);
    },
  };
}

export const startEcho = (env) => start(here('../servers/echo-http.mjs'), { env });
export const startForwarder = (env) => start(here('../servers/forwarder.mjs'), { env });
export const echoStdio = here('../servers/echo-stdio.mjs');

/** The built gateway with a durable journal and its own data directory. */
export function startGateway(directory, config, { args = [], env = {} } = {}) {
  const common = ['serve', '--port', '0', '--data-dir', directory, '--config', config];
  return start(mainScript, { args: [...common, ...args], env });
}

/** Runs one load: the number of calls, their latency, and the CPU time of the serving processes. */
export async function load(options, served) {
  const loader = await start(here('load.mjs'), { args: [JSON.stringify(options)] });
  const before = served.map((one) => one.cpuMs());
  loader.write('go\n');
  const result = JSON.parse(await loader.next());
  const cpu = served.map((one, at) => one.cpuMs() - before[at]);
  await loader.stop();
  if (result.failures > 0) throw new Error(`${result.failures} of ${result.calls} calls failed at ${options.url}`);
  return { ...result, perSecond: result.calls / result.seconds, cpuMsPerCall: cpu.map((ms) => ms / result.calls) };
}

function cpuMsOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1_000) / ticksPerSecond;
}

function rssMbOf(pid) {
  const found = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(found?.[1] ?? 0) / 1_024;
}
