import { access, constants, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import type { GatewayConfig } from '../../../config/config.ts';
import { messageOf } from '../../../kernel/errors.ts';
import { loadMasterKey } from '../../../storage/master-key.ts';
import { findGateway } from '../../backend/gateway-file.ts';
import { type Finding, good, wrong } from './finding.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Whether this Node can run Toolwharf. */
export function examineNode(version: string = process.version): Finding {
  const [major = 0, minor = 0] = version.replace('v', '').split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 19)) return good('node', version);
  return wrong('node', `${version} is too old`, 'install Node 22.19 or newer; 24 is the best tried');
}

/** Whether data can be kept, and by its owner alone. */
export async function examineDataDirectory(directory: string): Promise<Finding> {
  const subject = 'data directory';
  const isThere = await exists(directory);
  const place = isThere ? directory : await nearestExisting(directory);
  const found = await stat(place);
  if (!found.isDirectory()) return wrong(subject, `${place} is not a directory`, 'choose another with --data-dir');
  if (!(await isWritable(place))) {
    return wrong(subject, `${place} can't be written`, 'make it yours, or choose another with --data-dir');
  }
  if (!isThere) return good(subject, `${directory}, which the first start makes`);
  if (process.platform !== 'win32' && (found.mode & 0o077) !== 0) {
    const mode = (found.mode & 0o777).toString(8);
    return wrong(subject, `${directory} is open to others (mode ${mode})`, `run: chmod 700 ${directory}`);
  }
  return good(subject, directory);
}

/** Whether there is a key to seal secrets with, that only its owner can read. */
export async function examineKey(dataDir: string, env: Environment): Promise<Finding> {
  const subject = 'master key';
  const given = env.TOOLWHARF_KEY?.trim();
  if (given) {
    if (given.length >= 16) return good(subject, 'from TOOLWHARF_KEY');
    return wrong(subject, 'TOOLWHARF_KEY is too short', 'make one with: openssl rand -base64 32');
  }
  const file = join(dataDir, 'master.key');
  if (!(await exists(file))) return good(subject, `${file}, which the first start makes; back it up`);
  try {
    await loadMasterKey({ env: {}, dataDir });
    return good(subject, file);
  } catch (cause) {
    return wrong(subject, messageOf(cause));
  }
}

/** Whether the gateway runs, or could. */
export async function examineGateway({ host, port }: GatewayConfig, dataDir: string): Promise<Finding> {
  const running = await findGateway(dataDir);
  if (running) return examineRunning(running.url, running.pid);
  if (port === 0) return good('gateway', 'not running; it takes any free port');
  const problem = await listenProblem(host, port);
  if (problem === undefined) return good('gateway', `not running; port ${port} on ${host} is free`);
  return wrong('gateway', `can't listen on ${host}:${port}: ${problem}`, 'choose another with --port or gateway.port');
}

async function examineRunning(url: string, pid: number): Promise<Finding> {
  try {
    const response = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(5_000) });
    if (response.ok) return good('gateway', `running at ${url} (process ${pid})`);
    return wrong('gateway', `at ${url} (process ${pid}) answers with ${response.status}`, 'look at its log');
  } catch (cause) {
    return wrong(
      'gateway',
      `at ${url} (process ${pid}) does not answer: ${messageOf(cause)}`,
      'stop it and start it again',
    );
  }
}

function listenProblem(host: string, port: number): Promise<string | undefined> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      resolve(cause.code === 'EADDRINUSE' ? 'another program has it' : messageOf(cause));
    });
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

async function nearestExisting(path: string): Promise<string> {
  for (let place = dirname(path); ; place = dirname(place)) {
    if ((await exists(place)) || place === dirname(place)) return place;
  }
}

const exists = (file: string) => isAccessible(file, constants.F_OK);
const isWritable = (file: string) => isAccessible(file, constants.W_OK | constants.X_OK);

async function isAccessible(file: string, mode: number): Promise<boolean> {
  return access(file, mode).then(
    () => true,
    () => false,
  );
}
