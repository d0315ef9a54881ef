import { type Kysely, sql } from 'kysely';
import { searchableText } from '../../text-search.ts';
import type { Migration } from './migration.ts';

const batch = 200;

/** Links each message to the one before it, makes messages searchable, and adds attachments and model settings. */
export const branches: Migration = {
  version: 10,
  name: 'branches',
  async up(database) {
    const db = database as Kysely<{ messages: { conversation: string; seq: number; text: string; body: string } }>;
    await db.schema.alterTable('messages').addColumn('parent', 'text').execute();
    await db.schema
      .alterTable('messages')
      .addColumn('text', 'text', (column) => column.notNull().defaultTo(''))
      .execute();
    await sql`update messages set parent = (
      select earlier.id from messages as earlier
      where earlier.conversation = messages.conversation and earlier.seq < messages.seq
      order by earlier.seq desc limit 1
    )`.execute(db);
    await fillTexts(db);
    await db.schema
      .createTable('attachments')
      .addColumn('conversation', 'text', (column) =>
        column.notNull().references('conversations.id').onDelete('cascade'),
      )
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('size_bytes', 'integer', (column) => column.notNull())
      .addColumn('data', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('attachments_key', ['conversation', 'id'])
      .execute();
    await db.schema
      .createTable('model_settings')
      .addColumn('provider', 'text', (column) => column.notNull())
      .addColumn('model', 'text', (column) => column.notNull())
      .addColumn('body', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('model_settings_key', ['provider', 'model'])
      .execute();
  },
};

async function fillTexts(
  db: Kysely<{ messages: { conversation: string; seq: number; text: string; body: string } }>,
): Promise<void> {
  for (let after = { conversation: '', seq: 0 }; ; ) {
    const rows = await db
      .selectFrom('messages')
      .select(['conversation', 'seq', 'body'])
      .where(({ eb, and, or }) =>
        or([
          eb('conversation', '>', after.conversation),
          and([eb('conversation', '=', after.conversation), eb('seq', '>', after.seq)]),
        ]),
      )
      .orderBy('conversation')
      .orderBy('seq')
      .limit(batch)
      .execute();
    for (const { conversation, seq, body } of rows) {
      const text = searchableText(JSON.parse(body));
      await db
        .updateTable('messages')
        .set({ text })
        .where('conversation', '=', conversation)
        .where('seq', '=', seq)
        .execute();
    }
    const last = rows.at(-1);
    if (!last || rows.length < batch) return;
    after = { conversation: last.conversation, seq: last.seq };
  }
}
