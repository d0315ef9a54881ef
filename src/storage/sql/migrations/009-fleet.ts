import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Each change of these tables raises the revision of the topic with the same name. */
const topics = {
  servers: 'insert or update or delete',
  pins: 'insert or update or delete',
  rules: 'insert or update or delete',
  assistants: 'insert or update or delete',
  providers: 'insert or update or delete',
  // The time of the last use is no change.
  api_keys: 'insert or delete or update of name, profile, rights, revoked_at',
};

/** The shared state of replicas: facts about each, revisions of the stores, messages, events and ended sessions. */
export const fleetTables: Migration = {
  version: 9,
  name: 'fleet',
  async up(db, { bigint }) {
    const number = sql.raw<number>(bigint);
    await db.schema
      .alterTable('owners')
      .addColumn('facts', 'text', (column) => column.notNull().defaultTo('{}'))
      .execute();
    await db.schema
      .createTable('revisions')
      .addColumn('topic', 'text', (column) => column.primaryKey())
      .addColumn('revision', number, (column) => column.notNull())
      .execute();
    await db.schema
      .createTable('inbox')
      .addColumn('seq', bigint === 'bigint' ? 'bigserial' : 'integer', (column) => column.primaryKey())
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('target', 'text', (column) => column.notNull())
      .addColumn('sealed', 'text', (column) => column.notNull())
      .execute();
    await db.schema.createIndex('inbox_by_target').on('inbox').columns(['target', 'seq']).execute();
    await db.schema
      .createTable('events')
      .addColumn('seq', number, (column) => column.primaryKey())
      .addColumn('at', number, (column) => column.notNull())
      .addColumn('body', 'text', (column) => column.notNull())
      .execute();
    await db.schema.createIndex('events_by_time').on('events').column('at').execute();
    await db.schema
      .createTable('ended_sessions')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('expires_at', number, (column) => column.notNull())
      .execute();
    for (const topic of [...Object.keys(topics), 'events', 'ended_sessions']) {
      await sql`insert into revisions (topic, revision) values (${topic}, 0)`.execute(db);
    }
    // One process uses an SQLite file, so nobody reads its revisions.
    if (bigint === 'bigint') await createTriggers(db);
  },
};

async function createTriggers(db: Parameters<Migration['up']>[0]): Promise<void> {
  await sql`create function toolwharf_raise_revision() returns trigger language plpgsql as $$
    begin
      update revisions set revision = revision + 1 where topic = tg_table_name;
      return null;
    end $$`.execute(db);
  for (const [table, changes] of Object.entries({ ...topics, ended_sessions: 'insert' })) {
    await sql`create trigger ${sql.ref(`${table}_revision`)} after ${sql.raw(changes)} on ${sql.table(table)}
      for each statement execute function toolwharf_raise_revision()`.execute(db);
  }
}
