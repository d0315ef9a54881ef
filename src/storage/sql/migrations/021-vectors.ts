import type { Migration } from './migration.ts';

/** Vectors of the texts of tools, so that a restart does not compute them again. */
export const vectorTable: Migration = {
  version: 21,
  name: 'vectors',
  async up(db, { bigint }) {
    await db.schema
      .createTable('vectors')
      .addColumn('key', 'text', (column) => column.primaryKey())
      .addColumn('vector', 'text', (column) => column.notNull())
      .addColumn('used_at', bigint, (column) => column.notNull())
      .execute();
    await db.schema.createIndex('vectors_by_use').on('vectors').columns(['used_at', 'key']).execute();
  },
};
