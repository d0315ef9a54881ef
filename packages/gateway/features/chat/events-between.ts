import { isDeepStrictEqual } from 'node:util';
import type { ChatEvent, ConversationContent } from './chat.ts';

/** The events that turn one state of a conversation into another. */
export function eventsBetween(before: ConversationContent, after: ConversationContent): ChatEvent[] {
  const kept = new Set(after.messages.map(({ id }) => id));
  const known = new Map(before.messages.map((message) => [message.id, message]));
  const gone = before.messages.find(({ id }) => !kept.has(id));
  return [
    ...(gone ? [{ kind: 'cut', message: gone.id } as const] : []),
    ...after.messages
      .filter((message) => !isDeepStrictEqual(known.get(message.id), message))
      .map((message) => ({ kind: 'message', message }) as const),
    ...(isDeepStrictEqual(before.conversation, after.conversation)
      ? []
      : [{ kind: 'conversation', conversation: after.conversation } as const]),
  ];
}
