import { isDeepStrictEqual } from 'node:util';
import type { Chat } from '../../../chat/chat.ts';
import type { Assistant } from '../../../storage/ports/assistant-store.ts';
import type { Conversation, Message } from '../../../storage/ports/conversation-store.ts';
import { type AssistantChanges, type ChatHost, owner } from './chat-host.ts';
import { type ConversationView, openConversationView, type ViewOptions } from './conversation-view.ts';

/** An answer that has ended. */
export interface Answered {
  readonly message: Message;
  readonly conversation: Conversation;
}

/** One person's talk with one assistant at a time, in one conversation at a time. */
export interface Session extends Disposable {
  readonly assistant: Assistant;
  /** Undefined until something was said. */
  readonly view: ConversationView | undefined;
  /** Has something answered, in a new conversation where there is none. */
  answer(begin: (chat: Chat, conversation: string) => Promise<Message>): Promise<Answered>;
  /** Goes on with a conversation. */
  open(conversation: Conversation): Promise<void>;
  /** The next thing that is said begins a new conversation. */
  leave(): void;
  /** Goes on with another assistant. */
  use(assistant: Assistant): Promise<void>;
  /** Changes the assistant for as long as this lasts. */
  vary(changes: AssistantChanges): Promise<void>;
  /** Ends what is being answered. */
  stop(): Promise<void>;
}

export interface SessionOptions extends Omit<ViewOptions, 'chat'> {
  readonly host: ChatHost;
  readonly assistant: Assistant;
}

export function createSession({ host, assistant: first, ...viewOptions }: SessionOptions): Session {
  const { chat, settings } = host;
  let assistant = first;
  let current: { readonly view: ConversationView; readonly id: string; readonly leave: () => void } | undefined;

  function leave(): void {
    current?.view[Symbol.dispose]();
    current?.leave();
    current = undefined;
  }

  async function openHere(id: string) {
    leave();
    const endAttending = host.attend(id);
    try {
      const view = await openConversationView(id, { ...viewOptions, chat });
      current = { view, id, leave: endAttending };
      return current;
    } catch (cause) {
      endAttending();
      throw cause;
    }
  }

  async function opened() {
    if (current) return current;
    const { id } = await chat.create({ assistantId: assistant.id, owner });
    return openHere(id);
  }

  async function use(next: Assistant): Promise<void> {
    if (current && current.view.content.conversation.assistantId !== next.id) {
      await chat.update(current.id, { assistantId: next.id });
    }
    assistant = next;
  }

  return {
    get assistant() {
      return assistant;
    },
    get view() {
      return current?.view;
    },
    async answer(begin) {
      const { view, id } = await opened();
      const message = await Promise.race([view.answer(() => begin(chat, id)), host.lost]);
      return { message, conversation: view.content.conversation };
    },
    async open(conversation) {
      await openHere(conversation.id);
      const found = await settings.assistants.get(conversation.assistantId);
      // One that is gone is replaced by the one at hand, so that there is somebody to answer.
      if (found) assistant = found;
      else await use(assistant);
    },
    leave,
    use,
    async vary(changes) {
      // What it has already is no change.
      if (isDeepStrictEqual({ ...assistant, ...changes }, assistant)) return;
      await use(await host.vary(assistant, changes));
    },
    async stop() {
      if (current) await chat.stop(current.id);
    },
    [Symbol.dispose]: leave,
  };
}
