import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject } from '../../kernel/json.ts';
import { writeFileAtomically } from './write-file.ts';

/** The gateway that runs for a data directory. */
export interface RunningGateway {
  /** `http://127.0.0.1:7420` */
  readonly url: string;
  readonly pid: number;
}

/** Records the gateway in its data directory, where other commands find it. */
export async function writeGatewayFile(dataDir: string, gateway: RunningGateway): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  await writeFileAtomically(gatewayFile(dataDir), `${JSON.stringify(gateway)}\n`);
}

/** Removes the record, unless another gateway has replaced it. */
export async function removeGatewayFile(dataDir: string, pid: number): Promise<void> {
  const gateway = await read(dataDir);
  if (gateway?.pid === pid) await rm(gatewayFile(dataDir), { force: true });
}

/** The gateway of a data directory; undefined if none runs, even if a crashed one left its record behind. */
export async function findGateway(dataDir: string): Promise<RunningGateway | undefined> {
  const gateway = await read(dataDir);
  return gateway && isRunning(gateway.pid) ? gateway : undefined;
}

/** The gateway's URL as a client can reach it: a wildcard address becomes loopback. */
export function toReachableUrl(url: string): string {
  return url.replace(/\/\/0\.0\.0\.0(?=:|$)/, '//127.0.0.1').replace(/\/\/\[::\](?=:|$)/, '//[::1]');
}

async function read(dataDir: string): Promise<RunningGateway | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(gatewayFile(dataDir), 'utf8'));
    if (!isObject(value) || typeof value.url !== 'string' || !Number.isInteger(value.pid)) return undefined;
    return { url: value.url, pid: Number(value.pid) };
  } catch {
    return undefined;
  }
}

function gatewayFile(dataDir: string): string {
  return join(dataDir, 'gateway.json');
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    // EPERM: the process exists and belongs to another user.
    return (cause as NodeJS.ErrnoException).code === 'EPERM';
  }
}
