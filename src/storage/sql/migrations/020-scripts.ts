import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Scripts that are saved over the API. */
export const scriptTable: Migration = {
  version: 20,
  name: 'scripts',
  async up(db, { bigint }) {
    await db.schema
      .createTable('scripts')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('name', 'text', (column) => column.notNull().unique())
      .addColumn('body', 'text', (column) => column.notNull())
      .execute();
    await sql`insert into revisions (topic, revision) values ('scripts', 0)`.execute(db);
    // One process uses an SQLite file, so revisions are not needed.
    if (bigint !== 'bigint') return;
    await sql`create trigger scripts_revision after insert or update or delete on scripts
      for each statement execute function toolwharf_raise_revision()`.execute(db);
  },
};
