import { randomUUID } from 'node:crypto';
import { fdatasync } from 'node:fs';
import { chmod, mkdir, open, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Kysely, SqliteDialect } from 'kysely';
import { messageOf, ToolwharfError } from '../../kernel/errors.ts';
import type { Engine, Ownership } from '../sql/engine.ts';
import type { Tables } from '../sql/tables.ts';
import { connectionSettings } from './connection-settings.ts';
import { type FileLock, takeFileLock } from './file-lock.ts';
import { createIntake } from './intake/intake.ts';
import type { SyncFile } from './intake/intake-file.ts';
import { toKyselyDatabase } from './kysely-database.ts';

/** Takes the file for this process; refuses when another one has it. */
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
  const database = new DatabaseSync(file);
  try {
    database.exec(connectionSettings);
  } catch (cause) {
    database.close();
    throw cause;
  }
  const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database: toKyselyDatabase(database) }) });
  const intake = createIntake(file, syncFile);
  return {
    db,
    intake,
    bigint: 'integer',
    exclusive: true,
    // Transactions take the lock when they begin.
    lockForMigration: async () => {},
    isUniqueViolation: (error) => (error as { errcode?: number }).errcode === sqliteConstraintUnique,
    own: () => own(db),
    async close() {
      await intake.close();
      await db.destroy();
      // Kysely closes what it used, and nothing else.
      if (database.isOpen) database.close();
      lock.release();
    },
  };
}

/** Nobody else can have the file, so all that were entered are gone. */
async function own(db: Kysely<Tables>): Promise<Ownership> {
  const id = randomUUID();
  await db.transaction().execute(async (trx) => {
    await trx.deleteFrom('owners').execute();
    await trx.insertInto('owners').values({ id, pid: process.pid, host: hostname(), expires_at: 0 }).execute();
  });
  return {
    id,
    beat: async () => {},
    keep: async () => {},
    forgetGone: async () => {},
    others: async () => [],
    release: async () => void (await db.deleteFrom('owners').execute()),
  };
}

/**
 * The log and the index that SQLite keeps beside the file get the file's mode. A file that is there is never opened here:
 * closing it again would take away the locks that this process may have on it.
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
  const message = `${file} is in use by ${who}: only one can have it. Stop that one, use another data directory, or Postgres`;
  return new ToolwharfError('STORAGE_UNAVAILABLE', message, { data: { file, ...(pid !== undefined && { pid }) } });
}

/** The process id that the owner entered; undefined while it is still starting. */
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
