import { isDeepStrictEqual } from 'node:util';
import type { Conversation, Message, MessagePart } from '../storage/ports/conversation-store.ts';
import type { ChatEvent } from './chat.ts';

/** A conversation with everything said in it. */
export interface ConversationContent {
  readonly conversation: Conversation;
  /** Oldest first. */
  readonly messages: readonly Message[];
}

/** The conversation after an event; undefined once it is removed. */
export function applyChatEvent(content: ConversationContent, event: ChatEvent): ConversationContent | undefined {
  const { messages } = content;
  switch (event.kind) {
    case 'conversation':
      return { ...content, conversation: event.conversation };
    case 'message':
      return { ...content, messages: put(messages, event.message) };
    case 'part':
      return changed(content, event.message, (parts) => parts.toSpliced(event.index, 1, event.part));
    case 'text':
      return changed(content, event.message, (parts) => {
        const part = parts[event.index];
        if (part?.type !== 'text' && part?.type !== 'reasoning') return parts;
        return parts.with(event.index, { ...part, text: part.text + event.text });
      });
    case 'cut': {
      const at = messages.findIndex(({ id }) => id === event.message);
      return at === -1 ? content : { ...content, messages: messages.slice(0, at) };
    }
    case 'removed':
      return undefined;
  }
}

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

function put(messages: readonly Message[], message: Message): readonly Message[] {
  const at = messages.findIndex(({ id }) => id === message.id);
  return at === -1 ? [...messages, message] : messages.with(at, message);
}

function changed(
  content: ConversationContent,
  id: string,
  change: (parts: MessagePart[]) => MessagePart[],
): ConversationContent {
  const message = content.messages.find((candidate) => candidate.id === id);
  if (!message) return content;
  return { ...content, messages: put(content.messages, { ...message, parts: change(message.parts) }) };
}
