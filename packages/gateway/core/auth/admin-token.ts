import { createHash, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { chmod, link, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { ToolwharfError } from '../../../contract/errors.ts';

const shape = /^twadmin_[A-Za-z0-9_-]{43}$/;

/**
 * Reads the admin token of a data directory, or creates it on first use. It is stored in the file `admin-token`, readable by its
 * owner only. To replace the token, delete the file and restart the gateway.
 *
 * Replicas on one database have the same token: it is derived from their master key and written to the file of each.
 */
export async function openAdminToken(dataDir: string, masterKey?: Buffer): Promise<string> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const file = adminTokenFile(dataDir);
  if (masterKey) {
    const token = toToken(Buffer.from(hkdfSync('sha256', masterKey, '', 'toolwharf admin token', 32)));
    if ((await read(file)) !== token) await writeFile(file, `${token}\n`, { mode: 0o600 });
    return token;
  }
  const found = await read(file);
  if (found !== undefined) return checked(found, file);
  // Written to a temporary file and linked into place, so that a process starting at the same time never reads a partial token.
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  await writeFile(draft, `${toToken(randomBytes(32))}\n`, { mode: 0o600, flag: 'wx' });
  try {
    await link(draft, file).catch((cause: NodeJS.ErrnoException) => {
      if (cause.code !== 'EEXIST') throw cause;
    });
  } finally {
    await rm(draft, { force: true });
  }
  return checked((await read(file)) ?? '', file);
}

function toToken(bytes: Buffer): string {
  return `twadmin_${bytes.toString('base64url')}`;
}

/** The path of the admin token in a data directory. */
export function adminTokenFile(dataDir: string): string {
  return join(dataDir, 'admin-token');
}

/** Compares two secrets in constant time. */
export function isSameSecret(one: string, other: string): boolean {
  return timingSafeEqual(digest(one), digest(other));
}

/**
 * Proves to a client that knows the admin token that this gateway knows it too, without revealing it. The proof is bound to the
 * port, so that a program on another port cannot relay it.
 */
export function proveAdminToken(token: string, challenge: string, port: number): string {
  return createHmac('sha256', token).update(`toolwharf gateway\n${port}\n${challenge}`).digest('base64url');
}

/** The response headers that answer the challenge of a command that looks for the gateway of its data directory. */
export function answerChallenge(
  { headers, socket }: IncomingMessage,
  adminToken: string | undefined,
): Readonly<Record<string, string>> {
  const challenge = headers['x-toolwharf-challenge'];
  if (typeof challenge !== 'string' || challenge.length > 200 || adminToken === undefined) return {};
  return { 'x-toolwharf-proof': proveAdminToken(adminToken, challenge, socket.localPort ?? 0) };
}

async function read(file: string): Promise<string | undefined> {
  try {
    const text = await readFile(file, 'utf8');
    const { mode } = await stat(file);
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) await chmod(file, 0o600);
    return text.trim();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new ToolwharfError('CONFIG_INVALID', `Could not read the admin token from ${file}`, { cause });
  }
}

function checked(token: string, file: string): string {
  if (shape.test(token)) return token;
  throw new ToolwharfError(
    'CONFIG_INVALID',
    `${file} does not contain a valid admin token. Delete the file to create a new token`,
  );
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
