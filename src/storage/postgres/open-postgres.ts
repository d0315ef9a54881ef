import { openSql } from '../sql/open-sql.ts';
import type { PostgresStorageOptions, Storage } from '../storage.ts';
import { createPostgresEngine } from './postgres-engine.ts';

/** Storage in a Postgres database that several processes use at the same time. */
export async function openPostgres(options: Omit<PostgresStorageOptions, 'kind'>): Promise<Storage> {
  return openSql(createPostgresEngine(options), options);
}
