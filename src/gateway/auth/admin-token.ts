import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { chmod, link, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ToolwharfError } from '../../kernel/errors.ts';

const shape = /^twadmin_[A-Za-z0-9_-]{43}$/;

/**
 * The administrator's token of a data directory, for the command line and the app on this machine. Made on first use, kept in the
 * file `admin-token` that only its owner can read; to replace it, remove the file and start again.
 */
export async function openAdminToken(dataDir: string): Promise<string> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const file = adminTokenFile(dataDir);
  const found = await read(file);
  if (found !== undefined) return checked(found, file);
  // Written whole under another name and linked: whoever starts at the same time sees all of it or nothing.
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  await writeFile(draft, `twadmin_${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' });
  try {
    await link(draft, file).catch((cause: NodeJS.ErrnoException) => {
      if (cause.code !== 'EEXIST') throw cause;
    });
  } finally {
    await rm(draft, { force: true });
  }
  return checked((await read(file)) ?? '', file);
}

/** Where that token is kept. */
export function adminTokenFile(dataDir: string): string {
  return join(dataDir, 'admin-token');
}

/** Equal or not, in a time that does not depend on where they differ. */
export function isSameSecret(one: string, other: string): boolean {
  return timingSafeEqual(digest(one), digest(other));
}

async function read(file: string): Promise<string | undefined> {
  try {
    const text = await readFile(file, 'utf8');
    const { mode } = await stat(file);
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) await chmod(file, 0o600);
    return text.trim();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new ToolwharfError('CONFIG_INVALID', `The administrator's token can't be read from ${file}`, { cause });
  }
}

function checked(token: string, file: string): string {
  if (shape.test(token)) return token;
  throw new ToolwharfError('CONFIG_INVALID', `${file} holds no administrator's token: remove it to get a new one`);
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
