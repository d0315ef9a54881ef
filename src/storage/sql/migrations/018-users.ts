import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** People who sign in through an identity provider. */
export const userTables: Migration = {
  version: 18,
  name: 'users',
  async up(db, { bigint }) {
    const number = sql.raw<number>(bigint);
    await db.schema
      .createTable('users')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('issuer', 'text', (column) => column.notNull())
      .addColumn('subject', 'text', (column) => column.notNull())
      .addColumn('name', 'text')
      .addColumn('email', 'text')
      .addColumn('groups', 'text', (column) => column.notNull())
      .addColumn('role', 'text', (column) => column.notNull())
      .addColumn('profile', 'text')
      .addColumn('claims_at', number, (column) => column.notNull())
      .addColumn('session_version', 'integer', (column) => column.notNull())
      .addColumn('created_at', number, (column) => column.notNull())
      .addColumn('last_seen_at', number)
      .addColumn('disabled_at', number)
      .addUniqueConstraint('users_by_subject', ['issuer', 'subject'])
      .execute();
    await sql`insert into revisions (topic, revision) values ('users', 0)`.execute(db);
    // One process uses an SQLite file, so revisions are not needed.
    if (bigint !== 'bigint') return;
    // The time of the last request is no change.
    await sql`create trigger users_revision
      after insert or delete or update of role, profile, session_version, disabled_at on users
      for each statement execute function toolwharf_raise_revision()`.execute(db);
  },
};
