import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const chatTables: Migration = {
  version: 3,
  name: 'chat',
  async up(db, { bigint }) {
    const number = sql.raw(bigint);
    await db.schema
      .createTable('providers')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('sealed', 'text', (column) => column.notNull())
      .execute();
    await db.schema
      .createTable('conversations')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('owner', 'text', (column) => column.notNull())
      .addColumn('process', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('updated_at', number, (column) => column.notNull())
      .addColumn('body', 'text', (column) => column.notNull())
      .execute();
    const indexes = {
      conversations_by_time: ['updated_at', 'id'],
      conversations_by_owner: ['owner', 'updated_at', 'id'],
      conversations_by_status: ['status'],
    };
    for (const [name, columns] of Object.entries(indexes)) {
      await db.schema.createIndex(name).on('conversations').columns(columns).execute();
    }
    await db.schema
      .createTable('messages')
      .addColumn('conversation', 'text', (column) =>
        column.notNull().references('conversations.id').onDelete('cascade'),
      )
      .addColumn('seq', 'integer', (column) => column.notNull())
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('body', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('messages_key', ['conversation', 'seq'])
      .addUniqueConstraint('messages_id', ['conversation', 'id'])
      .execute();
  },
};
