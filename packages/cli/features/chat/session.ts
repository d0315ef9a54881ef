import { isDeepStrictEqual } from 'node:util';
import type { Assistant } from '../../../contract/records/assistant.ts';
import type { Conversation, Message } from '../../../contract/records/conversation.ts';
import type { AssistantOverrides, ChatHost } from './chat-host.ts';
import { type ConversationView, openConversationView, type ViewOptions } from './conversation-view.ts';
import type { GatewayChat } from './gateway-chat.ts';

/** An answer that has ended, and its conversation. */
export interface EndedAnswer {
  readonly message: Message;
  readonly conversation: Conversation;
}

/** A chat with one assistant in one conversation at a time. */
export interface Session extends Disposable {
  readonly assistant: Assistant;
  /** The open conversation; undefined before the first message. */
  readonly view: ConversationView | undefined;
  /** Starts an answer, in a new conversation if none is open; resolves when it has ended. */
  answer(start: (chat: GatewayChat, conversation: string) => Promise<Message>): Promise<EndedAnswer>;
  /** Continues a conversation. */
  open(conversation: Conversation): Promise<void>;
  /** Closes the conversation; the next message starts a new one. */
  leave(): void;
  /** Switches to another assistant. */
  use(assistant: Assistant): Promise<void>;
  /** Overrides settings of the assistant for this session. */
  override(overrides: AssistantOverrides): Promise<void>;
  /** Stops the answer in progress. */
  stop(): Promise<void>;
}

export interface SessionOptions extends Omit<ViewOptions, 'chat'> {
  readonly host: ChatHost;
  readonly assistant: Assistant;
}

/** Creates a session with an assistant. */
export function createSession({ host, assistant: first, ...viewOptions }: SessionOptions): Session {
  const { chat, settings } = host;
  let assistant = first;
  let current: { readonly view: ConversationView; readonly id: string; readonly stopAttending: () => void } | undefined;

  function leave(): void {
    current?.view[Symbol.dispose]();
    current?.stopAttending();
    current = undefined;
  }

  async function openConversation(id: string) {
    leave();
    const stopAttending = host.attend(id);
    try {
      const view = await openConversationView(id, { ...viewOptions, chat });
      current = { view, id, stopAttending };
      return current;
    } catch (cause) {
      stopAttending();
      throw cause;
    }
  }

  async function openOrCreate() {
    if (current) return current;
    const { id } = await chat.create({ assistantId: assistant.id });
    return openConversation(id);
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
    async answer(start) {
      const { view, id } = await openOrCreate();
      const message = await Promise.race([view.answer(() => start(chat, id)), host.lost]);
      return { message, conversation: view.content.conversation };
    },
    async open(conversation) {
      await openConversation(conversation.id);
      const found = (await settings.assistants()).find(({ id }) => id === conversation.assistantId);
      // The assistant was removed: the current one continues the conversation.
      if (found) assistant = found;
      else await use(assistant);
    },
    leave,
    use,
    async override(overrides) {
      if (isDeepStrictEqual({ ...assistant, ...overrides }, assistant)) return;
      await use(await host.override(assistant, overrides));
    },
    async stop() {
      if (current) await chat.stop(current.id);
    },
    [Symbol.dispose]: leave,
  };
}
