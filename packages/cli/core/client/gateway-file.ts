import { mkdir, readFile, realpath, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../../contract/errors.ts';
import { isObject } from '../../../contract/json.ts';
import { adminTokenFile } from '../../../gateway/core/auth/admin-token.ts';
import { UnavailableError } from '../errors.ts';
import { connectToGateway, isAbsent } from './prove-gateway.ts';
import { writeFileAtomically } from './write-file.ts';

/** The record of a gateway in its data directory. */
export interface GatewayRecord {
  /** `http://127.0.0.1:7420` */
  readonly url: string;
  readonly pid: number;
  /** The configuration file; undefined for the default servers. */
  readonly config?: string;
}

/** A gateway that has proved to be the one of the data directory. */
export interface RunningGateway extends GatewayRecord {
  readonly adminToken: string;
}

/** Records the gateway in its data directory, where other commands find it. */
export async function writeGatewayFile(dataDir: string, gateway: GatewayRecord): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  await writeFileAtomically(gatewayFile(dataDir), `${JSON.stringify(gateway)}\n`);
}

/** Removes the record, unless another gateway has replaced it. */
export async function removeGatewayFile(dataDir: string, pid: number): Promise<void> {
  const gateway = await readRecord(dataDir);
  if (gateway?.pid === pid) await rm(gatewayFile(dataDir), { force: true });
}

/**
 * Finds the running gateway of a data directory; undefined if none runs, even if a crashed one left its record behind or
 * another program uses its port. Throws an `UnavailableError` if the gateway does not respond.
 */
export async function findGateway(dataDir: string): Promise<RunningGateway | undefined> {
  const record = await readRecord(dataDir);
  if (!record || !isRunning(record.pid)) return undefined;
  const adminToken = await readOwnFile(adminTokenFile(dataDir));
  if (adminToken === undefined) return undefined;
  const url = toReachableUrl(record.url);
  return (await hasToken(url, adminToken.trim(), record.pid))
    ? { ...record, url, adminToken: adminToken.trim() }
    : undefined;
}

/** The gateway's URL as a client can reach it: a wildcard address becomes loopback. */
export function toReachableUrl(url: string): string {
  return url.replace(/\/\/0\.0\.0\.0(?=:|$)/, '//127.0.0.1').replace(/\/\/\[::\](?=:|$)/, '//[::1]');
}

/** Whether two paths name the same file. */
export async function isSameFile(one: string, other: string): Promise<boolean> {
  const [first, second] = await Promise.all([one, other].map((file) => realpath(file).catch(() => undefined)));
  return first !== undefined && first === second;
}

/** Whether the gateway at a URL knows the token. */
async function hasToken(url: string, adminToken: string, pid: number): Promise<boolean> {
  try {
    (await connectToGateway(url, adminToken)).destroy();
    return true;
  } catch (cause) {
    if (isAbsent(cause)) return false;
    throw new UnavailableError(
      `The gateway at ${url} (process ${pid}) does not respond: ${messageOf(cause)}. Restart it, or use --local`,
    );
  }
}

async function readRecord(dataDir: string): Promise<GatewayRecord | undefined> {
  const text = await readOwnFile(gatewayFile(dataDir));
  try {
    const value: unknown = JSON.parse(text ?? '');
    if (!isObject(value) || typeof value.url !== 'string' || !Number.isInteger(value.pid)) return undefined;
    const config = typeof value.config === 'string' ? value.config : undefined;
    return { url: value.url, pid: Number(value.pid), config };
  } catch {
    return undefined;
  }
}

/** The text of a file that belongs to the current user; undefined otherwise. The superuser may read the files of others. */
async function readOwnFile(file: string): Promise<string | undefined> {
  try {
    const user = process.getuid?.();
    const { uid } = await stat(file);
    return user === undefined || user === 0 || uid === user ? await readFile(file, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}

function gatewayFile(dataDir: string): string {
  return join(dataDir, 'gateway.json');
}

/** Whether a process with this id exists. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    // EPERM: the process exists and belongs to another user.
    return (cause as NodeJS.ErrnoException).code === 'EPERM';
  }
}
