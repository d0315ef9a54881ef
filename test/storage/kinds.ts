import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStorage } from '../../src/storage/open-storage.ts';
import type { FleetStore } from '../../src/storage/ports/fleet-store.ts';
import { createSealer, type Sealer } from '../../src/storage/sealer.ts';
import type { Storage, StorageOptions } from '../../src/storage/storage.ts';
import type { TestPostgres } from '../support/postgres.ts';

export type OpenOptions = Pick<StorageOptions, 'maxResultBytes' | 'clock' | 'log'> & {
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

export function postgresKind(server: () => TestPostgres): StorageKind {
  return { name: 'postgres', createWorkspace: () => createPostgresWorkspace(server()) };
}

export interface PostgresWorkspace extends Workspace {
  readonly url: string;
  readonly key: Buffer;
  /** Opens the storage of a replica whose lease does not expire during a test. */
  openReplica(): Promise<{ readonly storage: Storage; readonly store: FleetStore }>;
}

export async function createPostgresWorkspace(server: TestPostgres): Promise<PostgresWorkspace> {
  const url = await server.createUrl();
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
