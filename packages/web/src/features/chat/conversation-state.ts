import {
  applyChatEvent as applyChange,
  type ChatChange,
  type ChatContent,
} from '../../../../contract/apply-chat-event.ts';
import type { Conversation, ConversationEvents, Message } from '../../api/client.ts';

/** A conversation with its messages. */
export type ConversationState = ChatContent<Conversation, Message>;

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
  return state && applyChange(state, { kind: event.name, ...event.data } as ChatChange<Conversation, Message>);
}
