import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Short versions of large records, so that lists do not read the whole ones. */
export const summaries: Migration = {
  version: 6,
  name: 'summaries',
  async up(db, { bigint }) {
    await db.schema
      .createTable('summaries')
      .addColumn('seq', sql.raw(bigint), (column) => column.primaryKey())
      .addColumn('body', 'text', (column) => column.notNull())
      .execute();
    await db.schema.alterTable('approvals').addColumn('summary', 'text').execute();
  },
};
