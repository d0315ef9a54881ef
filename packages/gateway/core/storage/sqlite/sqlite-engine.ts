import { randomBytes, randomUUID } from 'node:crypto';
import { fdatasync } from 'node:fs';
import { chmod, mkdir, open, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, resolve } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { Kysely, type SqliteDatabase, SqliteDialect, type SqliteStatement } from 'kysely';
import { messageOf, ToolwharfError } from '../../../../contract/errors.ts';
import { evictOldest } from '../../../../toolwharf/kernel/evict-oldest.ts';
import { createSealer } from '../../../../toolwharf/storage/sealer.ts';
import type { MemoryStorageOptions, SqliteStorageOptions, Storage } from '../../../../toolwharf/storage/storage.ts';
import type { Engine, Ownership } from '../sql/engine.ts';
import { openSql } from '../sql/open-sql.ts';
import { createSqlMeta } from '../sql/sql-records.ts';
import type { Tables } from '../sql/tables.ts';
import { connectionSettings } from './connection-settings.ts';
import { createSpool } from './spool/spool.ts';
import type { SyncFile } from './spool/spool-file.ts';
import { createTableThread, type TableThread } from './spool/table-thread.ts';
import { createToken, positionName } from './spool/table-writer.ts';

/** Locks the file for this process; rejects if another process has it. */
export async function openSqliteEngine(path: string, syncFile: SyncFile = fdatasync): Promise<Engine> {
  const file = resolve(path);
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    for (const name of [file, lockOf(file)]) await makePrivate(name);
    const lock = takeFileLock(lockOf(file));
    if (!lock) throw inUse(file);
    try {
      return createEngine(file, lock, syncFile);
    } catch (cause) {
      lock.release();
      throw cause;
    }
  } catch (cause) {
    if (cause instanceof ToolwharfError) throw cause;
    throw new ToolwharfError('STORAGE_UNAVAILABLE', `${file} could not be opened: ${messageOf(cause)}`, { cause });
  }
}

function createEngine(file: string, lock: FileLock, syncFile: SyncFile): Engine {
  const { db, ...engine } = createConnection(file);
  const thread = createTableThread(file);
  // Apart, so that the journal does not wait for long queries.
  const reader = createTableThread(file);
  const spool = createSpool(file, thread, () => renewToken(db), syncFile);
  return {
    ...engine,
    db,
    spool,
    writePins: thread.writePins,
    readInThread: reader.read,
    shrink: (signal) => shrink(thread, signal),
    async close() {
      await spool.close();
      await thread.close();
      await reader.close();
      await engine.close();
      lock.release();
    },
  };
}

/** The database of a file, or of this process alone at `:memory:`. */
function createConnection(file: string): Engine {
  const database = new DatabaseSync(file);
  try {
    // Must precede everything else in a new file, and has no effect in others.
    database.exec('PRAGMA auto_vacuum = INCREMENTAL');
    database.exec(connectionSettings);
  } catch (cause) {
    database.close();
    throw cause;
  }
  const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database: toKyselyDatabase(database) }) });
  return {
    db,
    bigint: 'integer',
    exclusive: true,
    // Transactions lock the database when they begin.
    lockForMigration: async () => {},
    isUniqueViolation: (error) => (error as { errcode?: number }).errcode === sqliteConstraintUnique,
    own: () => own(db),
    async close() {
      await db.destroy();
      // Kysely closes only a database that it has used.
      if (database.isOpen) database.close();
    },
  };
}

/** Few enough that writers of the main thread wait for milliseconds only. */
const pagesPerSlice = 200;

/** Returns free pages to the file system, in slices between the other work of the thread. */
async function shrink(thread: TableThread, signal?: AbortSignal): Promise<void> {
  for (let before = Number.POSITIVE_INFINITY; ; ) {
    signal?.throwIfAborted();
    const free = await thread.shrink(pagesPerSlice);
    // A file that was not created with this setting keeps its free pages.
    if (free === 0 || free >= before) return;
    before = free;
  }
}

/** Opens storage that ends with the process. Its secrets are sealed with a key that nobody else has. */
export function openSqliteInMemory(options: Omit<MemoryStorageOptions, 'kind'>): Promise<Storage> {
  return openSql(createConnection(':memory:'), { ...options, sealer: createSealer(randomBytes(32)) });
}

/** Starts a new sequence of segments in the spool. */
async function renewToken(db: Kysely<Tables>): Promise<string> {
  const { token, position } = createToken();
  await createSqlMeta(db).set(positionName, position);
  return token;
}

/** The file is locked, so all processes registered in it are gone. */
async function own(db: Kysely<Tables>): Promise<Ownership> {
  const id = randomUUID();
  await db.transaction().execute(async (trx) => {
    await trx.deleteFrom('owners').execute();
    await trx.insertInto('owners').values({ id, pid: process.pid, host: hostname(), expires_at: 0 }).execute();
  });
  return {
    id,
    renew: async () => {},
    ensureRegistered: async () => {},
    removeExpired: async () => {},
    others: async () => [],
    release: async () => void (await db.deleteFrom('owners').execute()),
  };
}

/**
 * Creates the file with a private mode, which SQLite copies to the files beside it. An existing file is not opened:
 * closing it would release locks that this process may have on it.
 */
async function makePrivate(file: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'EEXIST') throw cause;
  });
  if (handle) return handle.close();
  const { mode } = await stat(file);
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) await chmod(file, 0o600);
}

function inUse(file: string): ToolwharfError {
  const pid = ownerOf(file);
  const who = pid === undefined ? 'another process' : pid === process.pid ? 'this process already' : `process ${pid}`;
  const message = `${file} is in use by ${who}. Stop that process, use another data directory, or use Postgres`;
  return new ToolwharfError('STORAGE_UNAVAILABLE', message, { data: { file, pid } });
}

/** The process id of the owner; undefined while the owner is starting. */
function ownerOf(file: string): number | undefined {
  try {
    using database = new DatabaseSync(file, { readOnly: true });
    const owner = database.prepare('select pid from owners').get();
    return typeof owner?.pid === 'number' ? owner.pid : undefined;
  } catch {
    return undefined;
  }
}

function lockOf(file: string): string {
  return `${file}.lock`;
}

const sqliteConstraintUnique = 2067;

const maxStatements = 200;

/** Adapts Node's SQLite to kysely's dialect and caches prepared statements. */
export function toKyselyDatabase(database: DatabaseSync): SqliteDatabase {
  const prepared = new Map<string, SqliteStatement>();
  return {
    prepare(sql) {
      const known = prepared.get(sql);
      if (known) return known;
      const statement = sql === 'rollback' ? rollback(database) : toKyselyStatement(database.prepare(toImmediate(sql)));
      prepared.set(sql, statement);
      evictOldest(prepared, maxStatements);
      return statement;
    },
    close: () => database.close(),
  };
}

/** Begins with a write lock, since all transactions write: SQLite waits for a lock only at the start of one. */
function toImmediate(sql: string): string {
  return sql === 'begin' ? 'begin immediate' : sql;
}

/** SQLite itself has ended the transaction if the disk is full; an error of the rollback would hide that reason. */
function rollback(database: DatabaseSync): SqliteStatement {
  const statement = toKyselyStatement(database.prepare('rollback'));
  const run: SqliteStatement['run'] = (parameters) =>
    database.isTransaction ? statement.run(parameters) : { changes: 0, lastInsertRowid: 0 };
  return { ...statement, run };
}

function toKyselyStatement(statement: StatementSync): SqliteStatement {
  const values = (parameters: readonly unknown[]) => parameters as readonly SQLInputValue[];
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...values(parameters)),
    run: (parameters) => statement.run(...values(parameters)),
    iterate: (parameters) => statement.iterate(...values(parameters)),
  };
}

/** A lock that is held until it is released or the process ends. */
export interface FileLock {
  release(): void;
}

/**
 * Locks a separate file; undefined if another process has the lock. The system releases it when the process ends,
 * so that no stale lock remains, unlike with a process id in a file.
 */
export function takeFileLock(file: string): FileLock | undefined {
  const lock = new DatabaseSync(file);
  try {
    // The file stays empty, so it needs no journal.
    lock.exec('PRAGMA busy_timeout = 0; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return { release: () => lock.close() };
  } catch (cause) {
    lock.close();
    if ((cause as { errcode?: number }).errcode === sqliteBusy) return undefined;
    throw cause;
  }
}

const sqliteBusy = 5;

/** Opens storage in a file that only this process uses until it is closed. */
export async function openSqlite(options: Omit<SqliteStorageOptions, 'kind'>): Promise<Storage> {
  return openSql(await openSqliteEngine(options.file), options);
}
