import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Accounts of people at servers with per-user credentials. */
export const accountTables: Migration = {
  version: 19,
  name: 'accounts',
  async up(db, { bigint }) {
    await db.schema
      .createTable('accounts')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('server', 'text', (column) => column.notNull())
      .addColumn('owner', 'text', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('is_default', 'integer', (column) => column.notNull())
      .addColumn('created_at', bigint, (column) => column.notNull())
      .addColumn('sealed', 'text', (column) => column.notNull())
      .execute();
    await db.schema.createIndex('accounts_by_owner').on('accounts').columns(['server', 'owner']).execute();
    await sql`insert into revisions (topic, revision) values ('accounts', 0)`.execute(db);
    // One process uses an SQLite file, so revisions are not needed.
    if (bigint !== 'bigint') return;
    await sql`create trigger accounts_revision after insert or update or delete on accounts
      for each statement execute function toolwharf_raise_revision()`.execute(db);
  },
};
