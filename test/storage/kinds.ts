import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStorage } from '../../packages/gateway/core/storage/open-storage.ts';
import { createPostgresEngine } from '../../packages/gateway/core/storage/postgres/postgres-engine.ts';
import { migrate } from '../../packages/gateway/core/storage/sql/migrate.ts';
import type { FleetStore } from '../../packages/toolwharf/storage/ports/fleet-store.ts';
import { createSealer, type Sealer } from '../../packages/toolwharf/storage/sealer.ts';
import type { Storage, StorageOptions } from '../../packages/toolwharf/storage/storage.ts';
import type { TestPostgres } from '../support/postgres.ts';

export type OpenOptions = Pick<StorageOptions, 'maxResultBytes' | 'clock' | 'log'> & {
  readonly expectsCalls?: boolean;
  readonly sealer?: Sealer;
  readonly leaseMs?: number;
};

/** An empty storage location. Data survives reopening, except in memory. */
export interface Workspace extends Disposable {
  open(options?: OpenOptions): Promise<Storage>;
  /** Runs a statement directly in the database, past the storage. */
  sql(statement: string): Promise<Record<string, unknown>[]>;
}

export interface StorageKind {
  readonly name: string;
  createWorkspace(): Promise<Workspace>;
}

export const memoryKind: StorageKind = {
  name: 'memory',
  createWorkspace: async () => ({
    open: (options = {}) => openStorage({ kind: 'memory', ...options }),
    sql: async () => [],
    [Symbol.dispose]: () => {},
  }),
};

export const sqliteKind: StorageKind = { name: 'sqlite', createWorkspace: async () => createSqliteWorkspace() };

export interface SqliteWorkspace extends Workspace {
  readonly directory: string;
  readonly file: string;
  readonly key: Buffer;
}

export function createSqliteWorkspace(): SqliteWorkspace {
  const directory = mkdtempSync(join(tmpdir(), 'toolwharf-sqlite-'));
  const file = join(directory, 'data', 'toolwharf.db');
  const key = randomBytes(32);
  const sealer = createSealer(key);
  return {
    directory,
    file,
    key,
    open: (options = {}) => openStorage({ kind: 'sqlite', file, sealer, ...options }),
    async sql(statement) {
      const { DatabaseSync } = await import('node:sqlite');
      using database = new DatabaseSync(file);
      return database.prepare(statement).all();
    },
    [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }),
  };
}

/**
 * Postgres for many small tests that change only rows: a schema that a test has left is emptied and used again, because its
 * tables take a quarter of a second of processor time.
 */
export function postgresKind(server: () => TestPostgres): StorageKind {
  const left: string[] = [];
  let reset: string | undefined;

  async function createTables(): Promise<string> {
    const url = await server().createUrl();
    const engine = createPostgresEngine({ url });
    await migrate(engine);
    await engine.close();
    reset ??= await describeReset(server(), url);
    return url;
  }

  async function empty(url: string): Promise<string> {
    await server().query(url, reset ?? '');
    return url;
  }

  return {
    name: 'postgres',
    async createWorkspace() {
      const used = left.pop();
      const url = used === undefined ? await createTables() : await empty(used);
      return { ...workspaceAt(server(), url), [Symbol.dispose]: () => void left.push(url) };
    },
  };
}

/** The statements that return the tables of a schema to the rows that they have now. */
async function describeReset(server: TestPostgres, url: string): Promise<string> {
  const tables = await server.query(
    url,
    "select tablename as name from pg_tables where schemaname = current_schema() and tablename <> 'migrations'",
  );
  const names = tables.map(({ name }) => String(name));
  const inserts: string[] = [];
  for (const name of names) {
    const rows = await server.query(url, `select to_json(${name}) as row from ${name}`);
    const json = JSON.stringify(rows.map(({ row }) => row)).replaceAll("'", "''");
    if (rows.length > 0)
      inserts.push(`insert into ${name} select * from json_populate_recordset(null::${name}, '${json}')`);
  }
  return [...names.map((name) => `delete from ${name}`), ...inserts].join('; ');
}

export interface PostgresWorkspace extends Workspace {
  readonly url: string;
  readonly key: Buffer;
  /** Opens the storage of a replica whose lease does not expire during a test. */
  openReplica(): Promise<{ readonly storage: Storage; readonly store: FleetStore }>;
}

export async function createPostgresWorkspace(server: TestPostgres): Promise<PostgresWorkspace> {
  return workspaceAt(server, await server.createUrl());
}

function workspaceAt(server: TestPostgres, url: string): PostgresWorkspace {
  const key = randomBytes(32);
  const sealer = createSealer(key);
  const open = (options: OpenOptions = {}) => openStorage({ kind: 'postgres', url, sealer, ...options });
  return {
    url,
    key,
    open,
    async openReplica() {
      const storage = await open({ leaseMs: 600_000 });
      if (!storage.fleet) throw new Error('A storage on Postgres has no fleet');
      return { storage, store: storage.fleet };
    },
    sql: (statement) => server.query(url, statement),
    [Symbol.dispose]: () => {},
  };
}
