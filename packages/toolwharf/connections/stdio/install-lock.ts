import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { hashOf } from '../../kernel/canonical-json.ts';
import { createKeyedMutex } from '../../kernel/mutex.ts';

export interface InstallLockOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** How long to wait for other processes. Afterwards the work runs in any case. */
  readonly maxWaitMs: number;
}

// The holder of a lock file renews it, so that the file of a crashed process is recognised.
const renewMs = 3_000;
const staleMs = 15_000;
const lookMs = 200;

const perPackage = createKeyedMutex();
/** Packages that were started here: their later starts install nothing. */
const installed = new Set<string>();

/**
 * Runs the start of a package runner alone: two of them that install the same package at once can leave a broken cache. Other
 * processes of the same user are kept out with a file in the cache directory.
 */
export async function installAlone<Value>(
  name: string,
  { env, signal, maxWaitMs }: InstallLockOptions,
  start: () => Promise<Value>,
): Promise<Value> {
  if (installed.has(name)) return start();
  const waiting = new AbortController();
  const first = perPackage.run(name, async () => {
    signal.throwIfAborted();
    if (installed.has(name)) return undefined;
    await using _lock = await lockFile(name, env, AbortSignal.any([signal, AbortSignal.timeout(maxWaitMs)]));
    signal.throwIfAborted();
    waiting.abort();
    const value = await start();
    installed.add(name);
    return { value };
  });
  first.catch(() => {});
  const cancelled = once(signal, 'abort', { signal: waiting.signal }).then(
    () => Promise.reject(signal.reason),
    () => first,
  );
  try {
    const started = await Promise.race([first, cancelled]);
    return started ? started.value : start();
  } finally {
    waiting.abort();
  }
}

/** Takes the lock file. Without a writable cache directory, or after the wait, there is no lock. */
async function lockFile(
  name: string,
  env: InstallLockOptions['env'],
  signal: AbortSignal,
): Promise<AsyncDisposable | undefined> {
  const directory = join(env.XDG_CACHE_HOME || join(env.HOME || homedir(), '.cache'), 'toolwharf', 'installs');
  const file = join(directory, `${hashOf(name).slice(0, 32)}.lock`);
  const token = `${process.pid} ${randomUUID()}`;
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    while (!(await create(file, token))) {
      await removeStale(file);
      await wait(lookMs, undefined, { signal, ref: false });
    }
  } catch {
    return undefined;
  }
  const renewing = setInterval(() => {
    const now = new Date();
    utimes(file, now, now).catch(() => {});
  }, renewMs).unref();
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(renewing);
      const isOwn = (await readFile(file, 'utf8').catch(() => '')) === token;
      if (isOwn) await rm(file, { force: true }).catch(() => {});
    },
  };
}

async function create(file: string, token: string): Promise<boolean> {
  try {
    await writeFile(file, token, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw cause;
  }
}

async function removeStale(file: string): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  if (!found || Date.now() - found.mtimeMs < staleMs) return;
  // Only one process can move a file away.
  const moved = `${file}.${randomUUID()}`;
  await rename(file, moved).catch(() => {});
  await rm(moved, { force: true });
}
