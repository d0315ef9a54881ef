import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Profiles and tool overrides that are set over the API. */
export const profileTables: Migration = {
  version: 11,
  name: 'profiles',
  async up(db, { bigint }) {
    await db.schema
      .createTable('profiles')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('name', 'text', (column) => column.notNull().unique())
      .addColumn('body', 'text', (column) => column.notNull())
      .execute();
    await db.schema
      .createTable('tool_overrides')
      .addColumn('key', 'text', (column) => column.primaryKey())
      .addColumn('body', 'text', (column) => column.notNull())
      .execute();
    for (const topic of ['profiles', 'tool_overrides']) {
      await sql`insert into revisions (topic, revision) values (${topic}, 0)`.execute(db);
      // One process uses an SQLite file, so revisions are not needed.
      if (bigint !== 'bigint') continue;
      await sql`create trigger ${sql.ref(`${topic}_revision`)} after insert or update or delete on ${sql.table(topic)}
        for each statement execute function toolwharf_raise_revision()`.execute(db);
    }
  },
};
