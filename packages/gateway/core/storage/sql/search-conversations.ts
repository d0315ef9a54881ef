import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Conversation, Message } from '../../../../contract/records/conversation.ts';
import { parseExactly } from '../../../../toolwharf/kernel/exact-json.ts';
import type {
  ConversationSearch,
  FoundConversation,
  FoundConversations,
} from '../../../../toolwharf/storage/ports/conversation-store.ts';
import { toIndexText } from '../chain/call-columns.ts';
import {
  foldText,
  type MatchWord,
  matchExactly,
  matchesAll,
  matchRoughly,
  maxFoundMessages,
  piecesOf,
} from '../text-search.ts';
import type { Database } from './engine.ts';
import type { MessageRow } from './tables.ts';

// SQLite runs on the main thread: each query reads few conversations.
const batch = 50;

/** Searches the conversations of some owners, latest first. Words with a typo are found if nothing else is. */
export async function searchConversations(db: Database, search: ConversationSearch): Promise<FoundConversations> {
  if (search.words.length === 0) return { matches: [], total: 0 };
  const exact = await scan(db, search, (word) => [word], matchExactly);
  return exact.total > 0 ? exact : scan(db, search, piecesOf, matchRoughly);
}

/** Reads all conversations in batches. The database compares pieces of words, `match` decides. */
async function scan(
  db: Database,
  { owners, words, limit }: ConversationSearch,
  toPieces: (word: string) => readonly string[],
  match: MatchWord,
): Promise<FoundConversations> {
  const found: { readonly conversation: Conversation; readonly messages: readonly string[] }[] = [];
  let total = 0;
  for (let offset = 0; ; offset += batch) {
    const rows = await db
      .selectFrom('conversations')
      .select(['id', 'body'])
      .where('owner', 'in', owners.map(toIndexText))
      .orderBy('updated_at', 'desc')
      .orderBy('id', 'desc')
      .limit(batch)
      .offset(offset)
      .execute();
    if (rows.length === 0) break;
    const messages = await db
      .selectFrom('messages')
      .select(['conversation', 'id', 'text'])
      .where(
        'conversation',
        'in',
        rows.map(({ id }) => id),
      )
      .where((eb) => eb.and(words.map((word) => eb.or(toPieces(word).map((piece) => contains(piece))))))
      .orderBy('seq', 'desc')
      .execute();
    const byConversation = Map.groupBy(
      messages.filter(({ text }) => matchesAll(text, words, match)),
      ({ conversation }) => conversation,
    );
    for (const { id, body } of rows) {
      const conversation: Conversation = JSON.parse(body);
      const ids = (byConversation.get(id) ?? []).slice(0, maxFoundMessages).map((message) => message.id);
      if (ids.length === 0 && !matchesAll(foldText(conversation.title).text, words, match)) continue;
      if (++total <= limit) found.push({ conversation, messages: ids });
    }
    await nextTurn();
  }
  const matches: FoundConversation[] = [];
  // Only these messages are parsed: a conversation can be large.
  for (const { conversation, messages } of found)
    matches.push({ conversation, messages: await readMessages(db, conversation.id, messages) });
  return { matches, total };
}

async function readMessages(db: Database, conversation: string, ids: readonly string[]): Promise<readonly Message[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('messages')
    .select(['body', 'parent'])
    .where('conversation', '=', conversation)
    .where('id', 'in', ids)
    .orderBy('seq', 'desc')
    .execute();
  return rows.map(toMessage);
}

function contains(piece: string) {
  const pattern = `%${piece.replaceAll(/[\\%_]/g, '\\$&')}%`;
  return sql<boolean>`text like ${pattern} escape '\\'`;
}

/** The message of a row. */
export function toMessage({ body, parent }: Pick<MessageRow, 'body' | 'parent'>): Message {
  const message = parseExactly(body) as Message;
  return parent === null ? message : { ...message, parentId: parent };
}
