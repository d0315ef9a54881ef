import { sql } from 'kysely';
import { ToolwharfError } from '../../../../contract/errors.ts';
import type { Conversation } from '../../../../contract/records/conversation.ts';
import { canonicalJson } from '../../../../toolwharf/kernel/canonical-json.ts';
import { evictOldest } from '../../../../toolwharf/kernel/evict-oldest.ts';
import { toJsonText } from '../../../../toolwharf/kernel/exact-json.ts';
import { pageSize } from '../../../../toolwharf/storage/call-records.ts';
import { type ConversationStore, noConversation } from '../../../../toolwharf/storage/ports/conversation-store.ts';
import { toIndexText } from '../chain/call-columns.ts';
import { searchableText } from '../text-search.ts';
import type { Engine, Ownership, Writing } from './engine.ts';
import { searchConversations, toMessage } from './search-conversations.ts';

const maxRemembered = 10_000;

/**
 * Conversations in a database, each with the process that works on it, and one row per message. `removeLost` removes the processes
 * that are gone, and ends their calls.
 */
export function createSqlConversations(
  { db }: Engine,
  ownership: Ownership,
  removeLost: () => Promise<unknown>,
): ConversationStore {
  /** The leases in which this process took conversations. In another one, another process may have taken them. */
  const epochs = new Map<string, number>();

  function remember(id: string): void {
    const epoch = ownership.lease?.epoch;
    if (epoch === undefined) return;
    epochs.delete(id);
    epochs.set(id, epoch);
    evictOldest(epochs, maxRemembered);
  }

  /** True in the database while this process has the lease in which it took the conversation. */
  function isHeld(id: string) {
    const epoch = epochs.get(id);
    if (epoch === undefined) return sql<boolean>`1 = 1`;
    return sql<boolean>`exists (select 1 from owners where owners.id = ${ownership.id} and owners.epoch = ${epoch})`;
  }

  /** Takes a conversation that no other process works on. */
  async function claimFree(id: string): Promise<boolean> {
    const { numUpdatedRows } = await db
      .updateTable('conversations')
      .set({ process: ownership.id })
      .where('id', '=', id)
      .where(({ eb, or, selectFrom }) =>
        or([
          eb('status', '=', 'idle'),
          eb('process', '=', ownership.id),
          eb('process', 'not in', selectFrom('owners').select('owners.id')),
        ]),
      )
      .executeTakeFirst();
    if (numUpdatedRows > 0n) remember(id);
    return numUpdatedRows > 0n;
  }

  return {
    async list({ owner, limit = 100 } = {}) {
      let query = db.selectFrom('conversations').select('body');
      if (owner !== undefined) query = query.where('owner', '=', toIndexText(owner));
      const rows = await query.orderBy('updated_at', 'desc').orderBy('id', 'desc').limit(pageSize(limit)).execute();
      return rows.map(toConversation);
    },
    async get(id) {
      const row = await db.selectFrom('conversations').select('body').where('id', '=', id).executeTakeFirst();
      return row && toConversation(row);
    },
    async put(conversation) {
      const row = {
        owner: toIndexText(conversation.owner),
        status: conversation.status,
        updated_at: Date.parse(conversation.updatedAt) || 0,
        body: canonicalJson(conversation),
      };
      await ownership.ensureRegistered();
      const { id } = conversation;
      if (!epochs.has(id)) remember(id);
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('conversations')
        .values({ id, process: ownership.id, ...row })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(row).where(isHeld(id)))
        .executeTakeFirstOrThrow();
      if (numInsertedOrUpdatedRows === 0n) throw conversationLost();
    },
    async remove(id) {
      const { numDeletedRows } = await db.deleteFrom('conversations').where('id', '=', id).executeTakeFirst();
      return numDeletedRows > 0n;
    },
    async messages(conversation) {
      const rows = await db
        .selectFrom('messages')
        .select(['body', 'parent'])
        .where('conversation', '=', conversation)
        .orderBy('seq')
        .execute();
      return rows.map(toMessage);
    },
    async putMessage(conversation, message) {
      const { id, parentId, ...rest } = message;
      const row = { text: searchableText(message), body: toJsonText({ id, ...rest }) };
      const replaced = await db
        .updateTable('messages')
        .set(row)
        .where('conversation', '=', conversation)
        .where('id', '=', id)
        .where(isHeld(conversation))
        .executeTakeFirst();
      if (replaced.numUpdatedRows > 0n) return;
      await db.transaction().execute(async (trx) => {
        await lockConversation(trx, conversation);
        const held = await sql<{ held: unknown }>`select 1 as held where ${isHeld(conversation)}`.execute(trx);
        if (held.rows.length === 0) throw conversationLost();
        const last = await trx
          .selectFrom('messages')
          .select(({ fn }) => fn.max('seq').as('seq'))
          .where('conversation', '=', conversation)
          .executeTakeFirst();
        await trx
          .insertInto('messages')
          .values({ conversation, seq: (last?.seq ?? 0) + 1, id, parent: parentId ?? null, ...row })
          .onConflict((conflict) => conflict.columns(['conversation', 'id']).doUpdateSet(row))
          .execute();
      });
    },
    search: (search) => searchConversations(db, search),
    async putAttachment(conversation, { id, sizeBytes, data }) {
      await db.transaction().execute(async (trx) => {
        await lockConversation(trx, conversation);
        await trx.insertInto('attachments').values({ conversation, id, size_bytes: sizeBytes, data }).execute();
      });
    },
    async attachment(conversation, id) {
      const row = await db
        .selectFrom('attachments')
        .selectAll()
        .where('conversation', '=', conversation)
        .where('id', '=', id)
        .executeTakeFirst();
      return row && { id, sizeBytes: row.size_bytes, data: row.data };
    },
    async attachmentTotals(conversation) {
      const totals = await db
        .selectFrom('attachments')
        .select(({ fn }) => [fn.countAll().as('count'), fn.sum('size_bytes').as('bytes')])
        .where('conversation', '=', conversation)
        .executeTakeFirst();
      return { count: Number(totals?.count ?? 0), sizeBytes: Number(totals?.bytes ?? 0) };
    },
    async claim(id) {
      await ownership.ensureRegistered();
      if (await claimFree(id)) return true;
      await removeLost();
      return claimFree(id);
    },
    async abandoned() {
      await ownership.ensureRegistered();
      await removeLost();
      const rows = await db
        .updateTable('conversations')
        .set({ process: ownership.id })
        .where('status', '!=', 'idle')
        .where(({ eb, or, selectFrom }) =>
          or([eb('process', '=', ownership.id), eb('process', 'not in', selectFrom('owners').select('owners.id'))]),
        )
        .returning(['id', 'updated_at', 'body'])
        .execute();
      for (const { id } of rows) remember(id);
      return rows
        .sort((one, other) => other.updated_at - one.updated_at || (other.id < one.id ? -1 : 1))
        .map(toConversation);
    },
  };
}

/** Locks the conversation until the transaction ends, so that messages are numbered without gaps. */
async function lockConversation(trx: Writing, id: string): Promise<void> {
  const { numUpdatedRows } = await trx
    .updateTable('conversations')
    .set((row) => ({ status: row.ref('status') }))
    .where('id', '=', id)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw noConversation(id);
}

function conversationLost(): ToolwharfError {
  const message = 'The conversation was not saved: this replica was not in contact with the database for too long';
  return new ToolwharfError('STORAGE_UNAVAILABLE', message, { data: { isLeaseLost: true } });
}

function toConversation({ body }: { body: string }): Conversation {
  return JSON.parse(body);
}
