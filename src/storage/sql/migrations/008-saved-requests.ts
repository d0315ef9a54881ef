import type { Migration } from './migration.ts';

export const savedRequests: Migration = {
  version: 8,
  name: 'saved-requests',
  async up(db) {
    await db.schema
      .createTable('saved_requests')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('owner', 'text', (column) => column.notNull())
      .addColumn('shared', 'integer', (column) => column.notNull())
      .addColumn('body', 'text', (column) => column.notNull())
      .execute();
    await db.schema.createIndex('saved_requests_by_owner').on('saved_requests').column('owner').execute();
    await db.schema.createIndex('saved_requests_shared').on('saved_requests').column('shared').execute();
  },
};
