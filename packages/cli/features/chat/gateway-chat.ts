import { setTimeout as sleep } from 'node:timers/promises';
import { applyChatEvent } from '../../../contract/apply-chat-event.ts';
import { ToolwharfError } from '../../../contract/errors.ts';
import type { Conversation, Message } from '../../../contract/records/conversation.ts';
import type { Chat, ChatEvent, ConversationContent } from '../../../gateway/features/chat/chat.ts';
import { eventsBetween } from '../../../gateway/features/chat/events-between.ts';
import type { GatewayClient } from '../../core/client/gateway-client.ts';

export interface GatewayChatOptions {
  /** Called when a watched conversation cannot be followed any more. */
  readonly onLost: (cause: unknown) => void;
  /** The delay before a broken stream is reopened; default 500. */
  readonly retryMs?: number;
}

interface WatchedConversation {
  readonly listeners: Set<(event: ChatEvent) => void>;
  readonly stopped: AbortController;
  /** Resolves after the first snapshot, or when there will be none. */
  readonly loaded: PromiseWithResolvers<void>;
  content?: ConversationContent;
  following?: Promise<void>;
}

const maxFailures = 5;

/** The conversations of a gateway. Closing it stops watching, not the answers in progress. */
export interface GatewayChat extends Omit<Chat, 'list' | 'create' | 'remove' | 'search' | 'readAttachment'> {
  /** The conversations that the caller may read, latest first. */
  list(): Promise<readonly Conversation[]>;
  create(conversation: Pick<Conversation, 'assistantId'>): Promise<Conversation>;
  search(query: string): ReturnType<GatewayClient['searchConversations']>;
}

/** Opens the conversations of a gateway. */
export function createGatewayChat(gateway: GatewayClient, { onLost, retryMs = 500 }: GatewayChatOptions): GatewayChat {
  const watched = new Map<string, WatchedConversation>();

  function emit({ listeners }: WatchedConversation, event: ChatEvent): void {
    for (const listener of listeners) listener(event);
  }

  function receive(conversation: WatchedConversation, name: string, data: object): void {
    if (name === 'snapshot') {
      const content = data as ConversationContent;
      const missed = conversation.content ? eventsBetween(conversation.content, content) : [];
      conversation.content = content;
      conversation.loaded.resolve();
      for (const event of missed) emit(conversation, event);
      return;
    }
    const event = { kind: name, ...data } as ChatEvent;
    if (conversation.content) conversation.content = applyChatEvent(conversation.content, event);
    emit(conversation, event);
  }

  /** Reads events until the conversation is removed or no longer watched. A broken stream is reopened and catches up. */
  async function follow(id: string, conversation: WatchedConversation): Promise<void> {
    const { signal } = conversation.stopped;
    for (let failures = 0; !signal.aborted; ) {
      try {
        for await (const { event = 'message', data } of await gateway.watchConversation({
          path: { conversation: id },
          signal,
        })) {
          failures = 0;
          receive(conversation, event, JSON.parse(data));
          if (event === 'removed') return;
        }
      } catch (cause) {
        if (signal.aborted) break;
        if (isMissing(cause)) return receive(conversation, 'removed', {});
        failures++;
        if (failures >= maxFailures) return onLost(cause);
      }
      await sleep(retryMs, undefined, { signal }).catch(() => {});
    }
  }

  function watch(id: string, listener: (event: ChatEvent) => void): () => void {
    const conversation: WatchedConversation = watched.get(id) ?? {
      listeners: new Set(),
      stopped: new AbortController(),
      loaded: Promise.withResolvers(),
    };
    conversation.listeners.add(listener);
    watched.set(id, conversation);
    conversation.following ??= follow(id, conversation).finally(() => conversation.loaded.resolve());
    return () => {
      conversation.listeners.delete(listener);
      if (conversation.listeners.size > 0) return;
      watched.delete(id);
      conversation.stopped.abort();
    };
  }

  async function read(id: string): Promise<ConversationContent | undefined> {
    const conversation = watched.get(id);
    // A watcher must read the state that the next events apply to.
    if (conversation) await conversation.loaded.promise;
    if (conversation?.content) return conversation.content;
    return unlessMissing(gateway.getConversation({ path: { conversation: id } }) as Promise<ConversationContent>);
  }

  async function close(): Promise<void> {
    const open = [...watched.values()];
    watched.clear();
    for (const { stopped } of open) stopped.abort();
    await Promise.all(open.map(({ following }) => following));
  }

  return {
    watch,
    read,
    list: async () => (await gateway.listConversations({ query: { limit: 1_000 } })).conversations,
    // The gateway derives owner and profile from the credentials.
    create: ({ assistantId }) => gateway.createConversation({ body: { assistantId } }),
    update: (id, change) => gateway.updateConversation({ path: { conversation: id }, body: change }),
    search: (query) => gateway.searchConversations({ query: { query, limit: 20 } }),
    async readBranches(id) {
      const request = { path: { conversation: id }, query: { format: 'json' } } as const;
      const text = await unlessMissing(gateway.exportConversation(request));
      return text === undefined ? undefined : (JSON.parse(text) as ConversationContent);
    },
    send: (id, text, attachments) =>
      gateway.sendMessage({ path: { conversation: id }, body: { text, attachments } }) as Promise<Message>,
    retry: (id, message) => gateway.retryMessage({ path: { conversation: id, message } }) as Promise<Message>,
    edit: (id, message, text) =>
      gateway.editMessage({ path: { conversation: id, message }, body: { text } }) as Promise<Message>,
    select: (id, message) => gateway.selectMessage({ path: { conversation: id, message } }),
    resume: (id) => gateway.resumeConversation({ path: { conversation: id } }) as Promise<Message>,
    stop: (id) => gateway.stopConversation({ path: { conversation: id } }),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function isMissing(cause: unknown): boolean {
  return cause instanceof ToolwharfError && cause.code === 'NOT_FOUND';
}

async function unlessMissing<Value>(found: Promise<Value>): Promise<Value | undefined> {
  try {
    return await found;
  } catch (cause) {
    if (isMissing(cause)) return undefined;
    throw cause;
  }
}
