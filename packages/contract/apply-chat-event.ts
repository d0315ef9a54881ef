/** A message as far as events change it. */
interface ChangedMessage {
  readonly id: string;
  readonly parts: readonly { readonly type: string; readonly text?: unknown }[];
}

/** A conversation with its messages, oldest first. */
export interface ChatContent<Conversation, Message extends ChangedMessage> {
  readonly conversation: Conversation;
  readonly messages: readonly Message[];
}

/** A change of a conversation. Applied in order to its content, these events keep it up to date. */
export type ChatChange<Conversation, Message extends ChangedMessage> =
  | { readonly kind: 'conversation'; readonly conversation: Conversation }
  /** A new or changed message. */
  | { readonly kind: 'message'; readonly message: Message }
  /** A new or changed part of a message. */
  | { readonly kind: 'part'; readonly message: string; readonly index: number; readonly part: Message['parts'][number] }
  /** Text appended to a text or reasoning part. */
  | { readonly kind: 'text'; readonly message: string; readonly index: number; readonly text: string }
  /** This message and all later ones are no longer part of the selected branch. */
  | { readonly kind: 'cut'; readonly message: string }
  | { readonly kind: 'removed' };

/** The conversation after an event; undefined once it is removed. Unchanged messages and parts keep their identity. */
export function applyChatEvent<Conversation, Message extends ChangedMessage>(
  content: ChatContent<Conversation, Message>,
  event: ChatChange<Conversation, Message>,
): ChatContent<Conversation, Message> | undefined {
  const { messages } = content;
  switch (event.kind) {
    case 'conversation':
      return { ...content, conversation: event.conversation };
    case 'message': {
      const at = messages.findIndex(({ id }) => id === event.message.id);
      return { ...content, messages: at < 0 ? [...messages, event.message] : messages.with(at, event.message) };
    }
    case 'part':
      return changeParts(content, event.message, (parts) => parts.toSpliced(event.index, 1, event.part));
    case 'text':
      return changeParts(content, event.message, (parts) => {
        const part = parts[event.index];
        if (part?.type !== 'text' && part?.type !== 'reasoning') return parts;
        return parts.with(event.index, { ...part, text: `${part.text}${event.text}` });
      });
    case 'cut': {
      const at = messages.findIndex(({ id }) => id === event.message);
      return at < 0 ? content : { ...content, messages: messages.slice(0, at) };
    }
    case 'removed':
      return undefined;
  }
}

function changeParts<Conversation, Message extends ChangedMessage>(
  content: ChatContent<Conversation, Message>,
  id: string,
  change: (parts: Message['parts']) => Message['parts'],
): ChatContent<Conversation, Message> {
  // Almost all events are about the last message.
  const at = content.messages.findLastIndex((message) => message.id === id);
  const message = content.messages[at];
  if (!message) return content;
  const parts = change(message.parts);
  return parts === message.parts ? content : { ...content, messages: content.messages.with(at, { ...message, parts }) };
}
