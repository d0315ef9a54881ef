import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject } from '../../kernel/json.ts';

/** Where the gateway of a data directory is. */
export interface GatewayPlace {
  /** `http://127.0.0.1:7420` */
  readonly url: string;
  readonly pid: number;
}

/** Lets other commands find the gateway. */
export async function writeGatewayFile(dataDir: string, place: GatewayPlace): Promise<void> {
  const file = gatewayFile(dataDir);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  // Never half a file: it is written beside and put in place whole.
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify(place)}\n`, { mode: 0o600 });
  await rename(draft, file);
}

/** Takes the file away, unless it is another gateway's by now. */
export async function removeGatewayFile(dataDir: string, pid: number): Promise<void> {
  const place = await read(dataDir);
  if (place?.pid === pid) await rm(gatewayFile(dataDir), { force: true });
}

/** The gateway of this data directory; undefined when none runs, also when one left its file behind. */
export async function findGateway(dataDir: string): Promise<GatewayPlace | undefined> {
  const place = await read(dataDir);
  return place && isRunning(place.pid) ? place : undefined;
}

async function read(dataDir: string): Promise<GatewayPlace | undefined> {
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
    // It runs, as somebody else.
    return (cause as NodeJS.ErrnoException).code === 'EPERM';
  }
}
