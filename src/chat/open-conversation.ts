import { messageOf } from '../kernel/errors.ts';
import type { Conversation, Message } from '../storage/ports/conversation-store.ts';
import type { ChatPorts } from './chat-ports.ts';
import { createDraft, type Draft } from './draft.ts';
import { createSaver, type Saver } from './saver.ts';
import type { Watchers } from './watchers.ts';

/** A conversation while something happens in it: what is here, what is kept and what is told go together. */
export interface OpenConversation {
  readonly conversation: Conversation;
  /** Oldest first, an answer that is being written among them as it is now. */
  readonly messages: readonly Message[];
  /** Resolves once the change is kept. */
  change(fields: Partial<Conversation>): Promise<void>;
  add(message: Message): Promise<void>;
  /** Removes a message and all after it. */
  cut(from: string): Promise<void>;
  /** The last message, to be written on. */
  edit(): Draft;
}

export interface OpenPorts extends Pick<ChatPorts, 'log' | 'onChanged'> {
  readonly store: ChatPorts['storage']['conversations'];
  readonly watchers: Watchers;
  readonly now: () => string;
}

const gatherMs = 500;

export function createOpenConversation(
  kept: { readonly conversation: Conversation; readonly messages: readonly Message[] },
  { store, watchers, log, onChanged, now }: OpenPorts,
): OpenConversation {
  const { id } = kept.conversation;
  let { conversation } = kept;
  let messages = [...kept.messages];
  let draft: Draft | undefined;
  const tell = (event: Parameters<Watchers['tell']>[1]) => watchers.tell(id, event);
  const saver = saverOf(() => store.put(conversation));

  function saverOf(write: () => Promise<void>): Saver {
    const onError = (cause: unknown) =>
      log.error('chat.not-kept', `A conversation could not be kept: ${messageOf(cause)}`, { conversation: id });
    return createSaver({ write, onError, gatherMs });
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
      tell({ kind: 'conversation', conversation });
      onChanged?.({ kind: 'changed', conversation });
      return saver.save();
    },
    async add(message) {
      await store.putMessage(id, message);
      messages = [...current(), message];
      draft = undefined;
      tell({ kind: 'message', message });
    },
    async cut(from) {
      const at = messages.findIndex((message) => message.id === from);
      if (at < 0) return;
      await store.cutMessages(id, from);
      messages = current().slice(0, at);
      draft = undefined;
      tell({ kind: 'cut', message: from });
    },
    edit() {
      const last = current().at(-1);
      if (!last) throw new Error('There is no message to write on');
      draft = createDraft(last, { tell, createSaver: (read) => saverOf(() => store.putMessage(id, read())) });
      return draft;
    },
  };
}
