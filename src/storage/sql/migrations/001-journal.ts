import { type Kysely, sql } from 'kysely';
import type { Migration } from './migration.ts';

export const journalTables: Migration = {
  version: 1,
  name: 'journal',
  async up(db, { bigint }) {
    const number = sql.raw(bigint);
    await db.schema
      .createTable('meta')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('value', 'text', (column) => column.notNull())
      .execute();
    await db.schema
      .createTable('owners')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('pid', 'integer', (column) => column.notNull())
      .addColumn('host', 'text', (column) => column.notNull())
      .addColumn('expires_at', number, (column) => column.notNull())
      .execute();
    await db.schema
      .createTable('chain')
      .addColumn('id', 'integer', (column) => column.primaryKey())
      .addColumn('head_seq', number, (column) => column.notNull())
      .addColumn('head_hash', 'text', (column) => column.notNull())
      .addColumn('anchor_seq', number, (column) => column.notNull())
      .addColumn('anchor_hash', 'text', (column) => column.notNull())
      .execute();
    const none = '0'.repeat(64);
    await sql`insert into chain (id, head_seq, head_hash, anchor_seq, anchor_hash) values (1, 0, ${none}, 0, ${none})`.execute(
      db,
    );
    await db.schema
      .createTable('steps')
      .addColumn('seq', number, (column) => column.primaryKey())
      .addColumn('call_id', 'text', (column) => column.notNull())
      .addColumn('at', 'text', (column) => column.notNull())
      .addColumn('body', 'text', (column) => column.notNull())
      .addColumn('previous', 'text', (column) => column.notNull())
      .addColumn('hash', 'text', (column) => column.notNull())
      .execute();
    await createCalls(db, bigint);
    await db.schema
      .createTable('claims')
      .addColumn('key', 'text', (column) => column.primaryKey())
      .addColumn('fingerprint', 'text', (column) => column.notNull())
      .addColumn('call_id', 'text', (column) => column.notNull())
      .addColumn('claimed_at', number, (column) => column.notNull())
      .execute();
    await db.schema.createIndex('claims_by_time').on('claims').column('claimed_at').execute();
    await db.schema.createIndex('claims_by_call').on('claims').column('call_id').execute();
  },
};

async function createCalls(db: Kysely<unknown>, bigint: string): Promise<void> {
  const number = sql.raw(bigint);
  await db.schema
    .createTable('calls')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('seq', number, (column) => column.notNull())
    .addColumn('first_seq', number, (column) => column.notNull())
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('server', 'text')
    .addColumn('tool', 'text', (column) => column.notNull())
    .addColumn('original_name', 'text', (column) => column.notNull())
    .addColumn('caller', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('created_at', number, (column) => column.notNull())
    .execute();
  // Each index ends with the sort order of pages, so that a page is read without sorting.
  const sorted = ['created_at', 'first_seq'];
  const indexes = {
    calls_by_time: sorted,
    calls_by_server: ['server', ...sorted],
    calls_by_tool: ['tool', ...sorted],
    calls_by_original_name: ['original_name', ...sorted],
    calls_by_status: ['status', ...sorted],
    calls_by_caller: ['caller', ...sorted],
    calls_by_server_and_status: ['server', 'status', ...sorted],
    calls_by_seq: ['seq'],
  };
  for (const [name, columns] of Object.entries(indexes)) {
    await db.schema.createIndex(name).on('calls').columns(columns).execute();
  }
}
