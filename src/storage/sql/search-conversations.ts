import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import { toIndexText } from '../chain/call-columns.ts';
import type { Conversation, ConversationSearch, FoundConversation, Message } from '../ports/conversation-store.ts';
import {
  foldText,
  type MatchWord,
  matchExactly,
  matchesAll,
  matchRoughly,
  maxFoundMessages,
  maxSearchedConversations,
  piecesOf,
} from '../text-search.ts';
import type { Database } from './engine.ts';
import type { MessageRow } from './tables.ts';

// SQLite runs on the main thread: each query reads few conversations.
const batch = 50;

/** Searches the conversations of some owners, latest first. Words with a typo are found if nothing else is. */
export async function searchConversations(
  db: Database,
  search: ConversationSearch,
): Promise<readonly FoundConversation[]> {
  if (search.words.length === 0) return [];
  const exact = await scan(db, search, (word) => [word], matchExactly);
  return exact.length > 0 ? exact : scan(db, search, piecesOf, matchRoughly);
}

/** Reads conversations in batches until enough are found. The database compares pieces of words, `match` decides. */
async function scan(
  db: Database,
  { owners, words, limit }: ConversationSearch,
  toPieces: (word: string) => readonly string[],
  match: MatchWord,
): Promise<FoundConversation[]> {
  const found: { readonly conversation: Conversation; readonly messages: readonly string[] }[] = [];
  for (let offset = 0; offset < maxSearchedConversations && found.length < limit; offset += batch) {
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
      if (ids.length > 0 || matchesAll(foldText(conversation.title).text, words, match))
        found.push({ conversation, messages: ids });
    }
    await nextTurn();
  }
  const matches: FoundConversation[] = [];
  // Only these messages are parsed: a conversation can be large.
  for (const { conversation, messages } of found.slice(0, limit))
    matches.push({ conversation, messages: await readMessages(db, conversation.id, messages) });
  return matches;
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
  const message = JSON.parse(body);
  return parent === null ? message : { ...message, parentId: parent };
}
