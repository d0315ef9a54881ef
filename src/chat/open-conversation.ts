import { messageOf } from '../kernel/errors.ts';
import type { Conversation, Message } from '../storage/ports/conversation-store.ts';
import type { ChatEvent, ChatPorts } from './chat.ts';
import { createDraft, type Draft } from './draft.ts';
import { createSaver, type Saver } from './saver.ts';
import type { Watchers } from './watchers.ts';

/** A conversation while it changes: keeps memory, store and watchers consistent. */
export interface OpenConversation {
  readonly conversation: Conversation;
  /** Oldest first, including the answer being generated. */
  readonly messages: readonly Message[];
  /** Resolves when the change is stored. */
  change(fields: Partial<Conversation>): Promise<void>;
  add(message: Message): Promise<void>;
  /** Deletes a message and all later ones. */
  cut(from: string): Promise<void>;
  /** Opens the last message for editing. */
  edit(): Draft;
}

export interface OpenPorts extends Pick<ChatPorts, 'log' | 'onChanged'> {
  readonly store: ChatPorts['storage']['conversations'];
  readonly watchers: Watchers;
  readonly now: () => string;
}

const debounceMs = 500;

export function createOpenConversation(
  stored: { readonly conversation: Conversation; readonly messages: readonly Message[] },
  { store, watchers, log, onChanged, now }: OpenPorts,
): OpenConversation {
  const { id } = stored.conversation;
  let { conversation } = stored;
  let messages = [...stored.messages];
  let draft: Draft | undefined;
  const publish = (event: ChatEvent) => watchers.publish(id, event);
  const saver = saverOf(() => store.put(conversation));

  function saverOf(write: () => Promise<void>): Saver {
    const onError = (cause: unknown) =>
      log.error('chat.not-kept', `Could not store a conversation: ${messageOf(cause)}`, { conversation: id });
    return createSaver({ write, onError, debounceMs });
  }

  const current = () => messages.map((message) => (message.id === draft?.message.id ? draft.message : message));

  return {
    get conversation() {
      return conversation;
    },
    get messages() {
      return current();
    },
    change(fields) {
      conversation = { ...conversation, ...fields, updatedAt: now() };
      publish({ kind: 'conversation', conversation });
      onChanged?.({ kind: 'changed', conversation });
      return saver.save();
    },
    async add(message) {
      await store.putMessage(id, message);
      messages = [...current(), message];
      draft = undefined;
      publish({ kind: 'message', message });
    },
    async cut(from) {
      const at = messages.findIndex((message) => message.id === from);
      if (at < 0) return;
      await store.cutMessages(id, from);
      messages = current().slice(0, at);
      draft = undefined;
      publish({ kind: 'cut', message: from });
    },
    edit() {
      const last = current().at(-1);
      if (!last) throw new Error('The conversation has no message to edit');
      draft = createDraft(last, { publish, createSaver: (read) => saverOf(() => store.putMessage(id, read())) });
      return draft;
    },
  };
}

/** A title from the first message: its beginning, shortened at a word boundary if possible. */
export function titleFrom(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line.length <= maxTitleLength) return line;
  const cut = line.slice(0, maxTitleLength).toWellFormed();
  const space = cut.lastIndexOf(' ');
  return `${space > maxTitleLength / 2 ? cut.slice(0, space) : cut}…`;
}

const maxTitleLength = 60;
