import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Links a call to the call or answer that started it. Most calls have no parent, so the index holds only those that do. */
export const callParents: Migration = {
  version: 5,
  name: 'parents',
  async up(db) {
    await db.schema.alterTable('calls').addColumn('parent', 'text').execute();
    await sql`create index calls_by_parent on calls (parent, created_at, first_seq) where parent is not null`.execute(
      db,
    );
  },
};
