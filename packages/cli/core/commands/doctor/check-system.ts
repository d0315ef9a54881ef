import { access, constants, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { messageOf } from '../../../../contract/errors.ts';
import type { Config } from '../../../../contract/settings/config.ts';
import type { GatewayConfig } from '../../../../contract/settings/gateway-config.ts';
import { loadMasterKey } from '../../../../gateway/core/storage/master-key.ts';
import type { Environment } from '../../../../toolwharf/config/references.ts';
import type { GatewayClient } from '../../client/gateway-client.ts';
import { findGateway } from '../../client/gateway-file.ts';

/** Checks that this version of Node can run Toolwharf. */
export function checkNode(): Finding {
  const { version } = process;
  const [major = 0, minor = 0] = version.replace('v', '').split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 19)) return passed('node', version);
  return failed('node', `${version} is too old`, 'install Node 22.19 or later; 24 is recommended');
}

/** Checks that the data directory is writable, and private to its owner. */
export async function checkDataDirectory(directory: string): Promise<Finding> {
  const subject = 'data directory';
  const doesExist = await exists(directory);
  const path = doesExist ? directory : await nearestExisting(directory);
  const found = await stat(path);
  if (!found.isDirectory()) return failed(subject, `${path} is not a directory`, 'choose another one with --data-dir');
  if (!(await isWritable(path))) {
    return failed(subject, `${path} is not writable`, 'change its permissions, or choose another one with --data-dir');
  }
  if (!doesExist) return passed(subject, `${directory} (created on first start)`);
  if (process.platform !== 'win32' && (found.mode & 0o077) !== 0) {
    const mode = (found.mode & 0o777).toString(8);
    return failed(subject, `${directory} is accessible to other users (mode ${mode})`, `run: chmod 700 ${directory}`);
  }
  return passed(subject, directory);
}

/** Checks the master key that encrypts secrets. */
export async function checkMasterKey(dataDir: string, env: Environment): Promise<Finding> {
  const subject = 'master key';
  const given = env.TOOLWHARF_KEY?.trim();
  if (given) {
    if (given.length >= 16) return passed(subject, 'from TOOLWHARF_KEY');
    return failed(subject, 'TOOLWHARF_KEY is too short', 'create one with: openssl rand -base64 32');
  }
  const file = join(dataDir, 'master.key');
  if (!(await exists(file))) return passed(subject, `${file} (created on first start; back it up)`);
  try {
    await loadMasterKey({ env: {}, dataDir });
    return passed(subject, file);
  } catch (cause) {
    return failed(subject, messageOf(cause));
  }
}

/** Checks that the gateway of the data directory responds, or that the port of a new one is free. */
export async function checkGateway({ host, port }: GatewayConfig, dataDir: string): Promise<Finding> {
  const running = await findGateway(dataDir);
  if (running) return checkRunning(running.url, dataDir);
  if (port === 0) return passed('gateway', 'not running; will use any free port');
  const problem = await listenProblem(host, port);
  if (problem === undefined) return passed('gateway', `not running; port ${port} on ${host} is free`);
  return failed(
    'gateway',
    `cannot listen on ${host}:${port}: ${problem}`,
    'choose another port with --port or gateway.port',
  );
}

/** Checks that the gateway at a URL responds. */
export async function checkRunning(url: string, dataDir: string): Promise<Finding> {
  const own = await findGateway(dataDir);
  const place = own?.url === url ? `${url} (process ${own.pid})` : url;
  try {
    const response = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(5_000) });
    if (response.ok) return passed('gateway', `running at ${place}`);
    return failed('gateway', `at ${place} returned HTTP status ${response.status}`, 'see its log');
  } catch (cause) {
    return failed('gateway', `at ${place} does not respond: ${messageOf(cause)}`, 'restart it');
  }
}

function listenProblem(host: string, port: number): Promise<string | undefined> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      resolve(cause.code === 'EADDRINUSE' ? 'another program uses it' : messageOf(cause));
    });
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

async function nearestExisting(path: string): Promise<string> {
  for (let parent = dirname(path); ; parent = dirname(parent)) {
    if ((await exists(parent)) || parent === dirname(parent)) return parent;
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

/** The outcome of one check, with a fix if it failed. */
export interface Finding {
  /** `node`, `data directory`, `server github`, … */
  readonly subject: string;
  readonly ok: boolean;
  readonly message: string;
  readonly fix?: string;
}

/** A check that a feature adds. */
export type DoctorCheck = (installation: {
  /** The running gateway. */
  readonly client?: GatewayClient;
  /** The configuration of the working directory, if no gateway runs. */
  readonly config?: Config;
  readonly env: Environment;
}) => Promise<readonly Finding[]>;

export function passed(subject: string, message: string): Finding {
  return { subject, ok: true, message };
}

export function failed(subject: string, message: string, fix?: string): Finding {
  return { subject, ok: false, message, fix };
}
