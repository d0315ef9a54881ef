import { spawn } from 'node:child_process';
import { link, mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { dataDirectory } from '../../../../toolwharf/config/data-directory.ts';
import { isRunning, type RunningGateway } from '../../client/gateway-file.ts';
import type { CommandContext } from '../../command-context.ts';
import { UnavailableError } from '../../errors.ts';

const pollMs = 100;

/**
 * Starts a gateway in the background, which stops when it is idle. Resolves when the gateway answers. If the port is taken, the
 * gateway uses a free one. If two commands start a gateway at the same time, both use the first.
 */
export async function startGateway(
  context: CommandContext,
  find: () => Promise<RunningGateway | undefined>,
): Promise<RunningGateway> {
  const dataDir = dataDirectory(context.env);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  for (;;) {
    await using lock = await lockStart(dataDir);
    const found = await find();
    if (found) return found;
    if (lock) return await startLocked(join(dataDir, 'gateway.log'), context, find);
    await sleep(pollMs, undefined, { signal: context.signal });
  }
}

async function startLocked(
  logFile: string,
  context: CommandContext,
  find: () => Promise<RunningGateway | undefined>,
): Promise<RunningGateway> {
  for (const more of [[], ['--port', '0']]) {
    const found = await startOnce(more, logFile, context, find);
    if (found) return found;
  }
  const log = (await readFile(logFile, 'utf8').catch(() => '')).trim().split('\n').slice(-5).join('\n');
  throw new UnavailableError(`The gateway could not be started:\n${log}`);
}

/**
 * Locks the start of a gateway; undefined while another process has the lock. Without it, the second of two gateways would
 * end, because the first has the data, before the first can be found.
 */
async function lockStart(dataDir: string): Promise<AsyncDisposable | undefined> {
  const file = join(dataDir, 'gateway.start');
  const own = `${file}.${process.pid}`;
  await writeFile(own, String(process.pid), { mode: 0o600 });
  try {
    // Unlike a file that is created and then written, a link has its content at once.
    await link(own, file);
    return { [Symbol.asyncDispose]: () => rm(file, { force: true }) };
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause;
    const owner = Number(await readFile(file, 'utf8').catch(() => ''));
    if (owner > 0 && !isRunning(owner)) await rm(file, { force: true });
    return undefined;
  } finally {
    await rm(own, { force: true });
  }
}

/** Resolves when a gateway is found, or with undefined if the started one has ended. */
async function startOnce(
  more: readonly string[],
  logFile: string,
  { program, env, options, signal }: CommandContext,
  find: () => Promise<RunningGateway | undefined>,
): Promise<RunningGateway | undefined> {
  const { config, dataDir } = options;
  const args = [
    ...process.execArgv,
    program,
    'serve',
    '--exit-when-idle',
    ...(config === undefined ? [] : ['--config', config]),
    ...(dataDir === undefined ? [] : ['--data-dir', resolve(dataDir)]),
    ...more,
  ];
  const log = await open(logFile, 'w', 0o600);
  const child = spawn(process.execPath, args, { detached: true, stdio: ['ignore', log.fd, log.fd], env });
  await log.close();
  child.unref();
  let hasEnded = false;
  child.once('exit', () => {
    hasEnded = true;
  });
  child.once('error', () => {
    hasEnded = true;
  });
  for (;;) {
    // Asked before the search: a gateway that ended because another runs leaves that one to be found.
    const wasEnded = hasEnded;
    const found = await find();
    if (found || wasEnded) return found;
    await sleep(pollMs, undefined, { signal });
  }
}
