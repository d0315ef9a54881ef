import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Locks that replicas hold, and a revision of the stored sign-ins. */
export const lockTables: Migration = {
  version: 13,
  name: 'locks',
  async up(db, { bigint }) {
    const number = sql.raw<number>(bigint);
    await db.schema
      .createTable('locks')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('holder', 'text', (column) => column.notNull())
      .addColumn('owner', 'text', (column) => column.notNull())
      .addColumn('expires_at', number, (column) => column.notNull())
      .execute();
    await sql`insert into revisions (topic, revision) values ('oauth_records', 0)`.execute(db);
    if (bigint !== 'bigint') return;
    // Other records change while a person signs in. Replicas do not follow those changes.
    await sql`create trigger oauth_records_revision after insert or update on oauth_records
      for each row when (new.kind = 'tokens') execute function toolwharf_raise_revision()`.execute(db);
  },
};
