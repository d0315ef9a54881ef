import { randomBytes, scrypt } from 'node:crypto';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { ToolwharfError } from '../../../contract/errors.ts';

export interface MasterKeyOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly dataDir: string;
}

const keyBytes = 32;
const shortestPassphrase = 16;
const derive = promisify<string, Buffer, number, { N: number; r: number; p: number; maxmem: number }, Buffer>(scrypt);

/**
 * Loads the key that seals all secrets: `TOOLWHARF_KEY`, or the file `master.key` in the data directory, which the first
 * start creates. `TOOLWHARF_KEY` is 32 bytes as base64 or hex, or a passphrase of at least 16 characters. A passphrase
 * needs the salt in `master.salt`: back it up with the data. Use 32 bytes if several machines share a database.
 */
export async function loadMasterKey({ env, dataDir }: MasterKeyOptions): Promise<Buffer> {
  const given = env.TOOLWHARF_KEY?.trim();
  if (!given) return readOrCreate(join(dataDir, 'master.key'), dataDir);
  const key = parseKey(given);
  if (key) return key;
  if (given.length < shortestPassphrase) {
    throw new ToolwharfError(
      'CONFIG_INVALID',
      'TOOLWHARF_KEY must be 32 bytes as base64 or hex (make one with: openssl rand -base64 32), or a passphrase of at least 16 characters',
    );
  }
  const salt = await readOrCreate(join(dataDir, 'master.salt'), dataDir);
  // 32 MB and three passes take about 0.1 s, once per start.
  return derive(given.normalize('NFKC'), salt, keyBytes, { N: 2 ** 15, r: 8, p: 3, maxmem: 64 * 2 ** 20 });
}

/** 32 bytes as hex or as either kind of base64; undefined for any other text. */
function parseKey(text: string): Buffer | undefined {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  if (!/^[\w+/-]{43}=?$/.test(text)) return undefined;
  const key = Buffer.from(text, 'base64');
  return key.length === keyBytes ? key : undefined;
}

async function readOrCreate(file: string, directory: string): Promise<Buffer> {
  await mkdir(directory, { recursive: true, mode: 0o700 }).catch((cause) => failed(file, 'made', cause));
  return (await create(file, directory)) ?? read(file);
}

/** Undefined if the file exists, perhaps because another process has just created it. */
async function create(file: string, directory: string): Promise<Buffer | undefined> {
  const handle = await open(file, 'wx', 0o600).catch((cause: NodeJS.ErrnoException) => {
    return cause.code === 'EEXIST' ? undefined : failed(file, 'made', cause);
  });
  if (!handle) return undefined;
  const key = randomBytes(keyBytes);
  try {
    await handle.writeFile(`${key.toString('base64')}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await syncDirectory(directory);
  return key;
}

async function read(file: string): Promise<Buffer> {
  // The process that creates the file writes it a moment later.
  for (let tries = 0; ; tries++) {
    const text = await readPrivate(file);
    const key = parseKey(text.trim());
    if (key) return key;
    if (text !== '' || tries >= 20) {
      throw new ToolwharfError(
        'CONFIG_INVALID',
        `${file} does not hold 32 bytes as base64. Restore it from a backup: without it the sealed secrets can't be opened`,
      );
    }
    await delay(50);
  }
}

async function readPrivate(file: string): Promise<string> {
  const handle = await open(file, 'r').catch((cause) => failed(file, 'read', cause));
  try {
    const { mode } = await handle.stat();
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
      const shown = (mode & 0o777).toString(8);
      throw new ToolwharfError(
        'CONFIG_INVALID',
        `${file} can be read by others (mode ${shown}). Run: chmod 600 ${file}. If another user may have read it, change the key too`,
      );
    }
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

function failed(file: string, what: 'made' | 'read', cause: Error): never {
  throw new ToolwharfError('CONFIG_INVALID', `${file} could not be ${what}: ${cause.message}`, { cause });
}

/** Syncs the directory, so that a new file survives a power failure; ignored where it is not supported. */
async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r').catch(() => undefined);
  await handle?.sync().catch(() => {});
  await handle?.close();
}
