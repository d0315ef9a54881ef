import type { Conversation, ConversationEvents, Message, MessagePart } from '../../api/client.ts';

/** A conversation with its messages. */
export interface ConversationState {
  readonly conversation: Conversation;
  readonly messages: readonly Message[];
}

export type ChatEventName = keyof ConversationEvents;

/** One event of a conversation's stream. */
export type ChatEvent = {
  readonly [Name in ChatEventName]: { readonly name: Name; readonly data: ConversationEvents[Name] };
}[ChatEventName];

/**
 * Applies an event to the state, which is undefined before the first snapshot and after the removal. Unchanged parts keep their
 * identity, so that they are not rendered again.
 */
export function applyChatEvent(state: ConversationState | undefined, event: ChatEvent): ConversationState | undefined {
  if (event.name === 'snapshot') return event.data;
  if (event.name === 'removed' || !state) return undefined;
  switch (event.name) {
    case 'conversation':
      return { ...state, conversation: event.data.conversation };
    case 'message':
      return { ...state, messages: withMessage(state.messages, event.data.message) };
    case 'cut': {
      const from = state.messages.findIndex(({ id }) => id === event.data.message);
      return from < 0 ? state : { ...state, messages: state.messages.slice(0, from) };
    }
    case 'part': {
      const { message, index, part } = event.data;
      return withParts(state, message, (parts) => withPart(parts, index, part));
    }
    case 'text': {
      const { message, index, text } = event.data;
      return withParts(state, message, (parts) => {
        const part = parts[index];
        if (part?.type !== 'text' && part?.type !== 'reasoning') return parts;
        return withPart(parts, index, { ...part, text: part.text + text });
      });
    }
  }
}

function withMessage(messages: readonly Message[], message: Message): readonly Message[] {
  const index = messages.findIndex(({ id }) => id === message.id);
  return index < 0 ? [...messages, message] : messages.with(index, message);
}

function withParts(
  state: ConversationState,
  id: string,
  change: (parts: readonly MessagePart[]) => readonly MessagePart[],
): ConversationState {
  // Almost all events are about the last message.
  const index = state.messages.findLastIndex((message) => message.id === id);
  const message = state.messages[index];
  if (!message) return state;
  const parts = change(message.parts);
  return parts === message.parts ? state : { ...state, messages: state.messages.with(index, { ...message, parts }) };
}

function withPart(parts: readonly MessagePart[], index: number, part: MessagePart): readonly MessagePart[] {
  return index < parts.length ? parts.with(index, part) : [...parts, part];
}
