import { openSql } from '../sql/open-sql.ts';
import type { SqliteStorageOptions, Storage } from '../storage.ts';
import { openSqliteEngine } from './sqlite-engine.ts';

/** Storage in a file that only this process uses, until it is closed. */
export async function openSqlite(options: Omit<SqliteStorageOptions, 'kind'>): Promise<Storage> {
  return openSql(await openSqliteEngine(options.file), options);
}
