import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createLog, type Log, type LogEntry } from '../../packages/toolwharf/kernel/log.ts';

/** Variables without a value are omitted. */
type Env = Readonly<Record<string, string | undefined>>;

/** A stdio server as in a configuration. */
export interface Program {
  readonly command: string;
  readonly args: string[];
  readonly env: Record<string, string>;
}

/** A server on loopback; disposing stops it and waits for its end. */
export interface HttpServer extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  /** Kills the server, as a crash would. */
  kill(): Promise<void>;
}

/** The fixture `test/fixtures/servers/{name}.mjs` as a program to spawn. */
export function fixture(name: string, env: Env = {}): Program {
  const given = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const path = pathOf(`../fixtures/servers/${name}.mjs`);
  return { command: process.execPath, args: [path], env: Object.fromEntries(given) };
}

/** Starts the HTTP fixture with this name. */
export function startHttp(name: string, env: Env = {}): Promise<HttpServer> {
  return startProgram(fixture(name, env));
}

/** The public server-everything: a program for stdio, or a running server for the two HTTP transports. */
export function everything(mode: 'stdio'): Program;
export function everything(mode: 'streamableHttp' | 'sse'): Promise<HttpServer>;
export function everything(mode: 'stdio' | 'streamableHttp' | 'sse'): Program | Promise<HttpServer> {
  const entry = entryOf('server-everything');
  if (mode === 'stdio') return { command: process.execPath, args: [entry, 'stdio'], env: {} };
  const preload = pathOf('../fixtures/servers/shared/loopback.mjs');
  return startProgram({
    command: process.execPath,
    args: ['--import', preload, entry, mode],
    env: { URL_PATH: mode === 'sse' ? '/sse' : '/mcp' },
  });
}

/** A demo server of the official packages for MCP Apps. */
export function appDemo(name: 'basic-vanillajs' | 'budget-allocator' | 'debug', env: Program['env'] = {}): Program {
  return { command: process.execPath, args: [entryOf(`server-${name}`), '--stdio'], env };
}

/** The public filesystem server, limited to one directory. */
export function filesystemServer(directory: string): Program {
  return { command: process.execPath, args: [entryOf('server-filesystem'), directory], env: {} };
}

/** The public memory server, with its graph in one file. */
export function memoryServer(file: string): Program {
  return { command: process.execPath, args: [entryOf('server-memory')], env: { MEMORY_FILE_PATH: file } };
}

/** A new directory that is removed with its content when it is disposed. */
export async function tempDir(): Promise<AsyncDisposable & { readonly path: string; file(name: string): string }> {
  const path = await mkdtemp(join(tmpdir(), 'test-'));
  return {
    path,
    file: (name) => join(path, name),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 3 }),
  };
}

/** A `Log` and its entries, oldest first. */
export function collectLog(): { readonly log: Log; readonly entries: readonly LogEntry[] } {
  const entries: LogEntry[] = [];
  return { log: createLog((entry) => entries.push(entry)), entries };
}

function pathOf(relative: string): string {
  return fileURLToPath(new URL(relative, import.meta.url));
}

function entryOf(server: string): string {
  return pathOf(`../../node_modules/@modelcontextprotocol/${server}/dist/index.js`);
}

/** Starts a program that prints its URL. */
export async function startProgram({ command, args, env }: Program): Promise<HttpServer> {
  const child = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'pipe'] });
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  // A process that ended has closed its stdin; a failed write does not matter.
  child.stdin.on('error', () => {});
  const pid = child.pid;
  const url = await urlOf(child);
  if (pid === undefined || url === undefined) throw new Error(`${args.join(' ')} did not start: ${stderr}`);
  // The output after the URL is discarded; a full pipe would block the server.
  child.stdout.resume();
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  };
  return { url, pid, kill: () => end('SIGKILL'), [Symbol.asyncDispose]: () => end('SIGTERM') };
}

async function urlOf(child: ChildProcess): Promise<string | undefined> {
  if (child.stdout === null) return undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith('{"url"')) return (JSON.parse(line) as { url: string }).url;
  }
  return undefined;
}
