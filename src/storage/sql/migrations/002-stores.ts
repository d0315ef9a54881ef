import { type Kysely, sql } from 'kysely';
import type { Migration } from './migration.ts';

export const storeTables: Migration = {
  version: 2,
  name: 'stores',
  async up(db, { bigint }) {
    const number = sql.raw(bigint);
    await db.schema
      .createTable('pins')
      .addColumn('key', 'text', (column) => column.primaryKey())
      .addColumn('accepted_at', number, (column) => column.notNull())
      .addColumn('body', 'text', (column) => column.notNull())
      .execute();
    await db.schema
      .createTable('rules')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('created_at', number, (column) => column.notNull())
      .addColumn('body', 'text', (column) => column.notNull())
      .execute();
    await createApprovals(db, bigint);
    await db.schema
      .createTable('servers')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('name', 'text', (column) => column.notNull().unique())
      .addColumn('sealed', 'text', (column) => column.notNull())
      .execute();
    await db.schema
      .createTable('oauth_records')
      .addColumn('server_key', 'text', (column) => column.notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('sealed', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('oauth_records_key', ['server_key', 'kind'])
      .execute();
    await db.schema
      .createTable('api_keys')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('hash', 'text', (column) => column.notNull().unique())
      .addColumn('profile', 'text')
      .addColumn('rights', 'text', (column) => column.notNull())
      .addColumn('created_at', number, (column) => column.notNull())
      .addColumn('last_used_at', number)
      .addColumn('revoked_at', number)
      .execute();
    await db.schema
      .createTable('assistants')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('body', 'text', (column) => column.notNull())
      .execute();
  },
};

async function createApprovals(db: Kysely<unknown>, bigint: string): Promise<void> {
  const number = sql.raw(bigint);
  await db.schema
    .createTable('approvals')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('open_key', 'text', (column) => column.unique())
    .addColumn('caller', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('asked_at', number, (column) => column.notNull())
    .addColumn('expires_at', number, (column) => column.notNull())
    .addColumn('request', 'text', (column) => column.notNull())
    .addColumn('answer', 'text')
    .addColumn('answered_at', 'text')
    .addColumn('answered_by', 'text')
    .execute();
  const indexes = {
    approvals_by_time: ['asked_at', 'id'],
    approvals_by_status: ['status', 'asked_at', 'id'],
    approvals_by_caller: ['caller', 'asked_at', 'id'],
    approvals_by_expiry: ['status', 'expires_at'],
  };
  for (const [name, columns] of Object.entries(indexes)) {
    await db.schema.createIndex(name).on('approvals').columns(columns).execute();
  }
}
