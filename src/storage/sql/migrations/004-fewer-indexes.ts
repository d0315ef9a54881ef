import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Replaces the indexes by status with partial ones: most calls succeed and are only listed by time. */
export const fewerIndexes: Migration = {
  version: 4,
  name: 'fewer-indexes',
  async up(db) {
    await db.schema.dropIndex('calls_by_status').execute();
    await db.schema.dropIndex('calls_by_server_and_status').execute();
    await sql`create index calls_by_status on calls (status, created_at, first_seq) where status <> 'success'`.execute(
      db,
    );
    await sql`create index calls_by_server_and_error on calls (server, created_at, first_seq) where status = 'error'`.execute(
      db,
    );
  },
};
