import { setTimeout as sleep } from 'node:timers/promises';
import { applyChatEvent, type ConversationContent, eventsBetween } from '../../../chat/apply-chat-event.ts';
import type { Chat, ChatEvent } from '../../../chat/chat.ts';
import type { ConversationMatch } from '../../../chat/search-conversations.ts';
import { ToolwharfError } from '../../../kernel/errors.ts';
import type { Attachment, Conversation, Message } from '../../../storage/ports/conversation-store.ts';
import type { GatewayClient } from '../../backend/gateway-client.ts';

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

/** The conversations of the running gateway. Closing it stops watching, not the answers in progress. */
export function createGatewayChat(gateway: GatewayClient, { onLost, retryMs = 500 }: GatewayChatOptions): Chat {
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
        for await (const { event = 'message', data } of await gateway.events(`${pathOf(id)}/events`, signal)) {
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
    return unlessMissing(gateway.get<ConversationContent>(pathOf(id)));
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
    async list({ owner, limit = 100 } = {}) {
      const path = `/api/conversations?limit=${owner === undefined ? limit : 1_000}`;
      const { conversations } = await gateway.get<{ readonly conversations: readonly Conversation[] }>(path);
      return conversations.filter((found) => owner === undefined || found.owner === owner).slice(0, limit);
    },
    // The gateway derives owner and profile from the credentials.
    create: ({ assistantId, title }) => gateway.post('/api/conversations', { assistantId, title }),
    update: (id, change) => gateway.put(pathOf(id), change),
    async remove(id) {
      try {
        await gateway.delete(pathOf(id));
        return true;
      } catch (cause) {
        if (isMissing(cause)) return false;
        throw cause;
      }
    },
    async search({ query, limit = 20 }) {
      const path = `/api/conversations/search?${new URLSearchParams({ query, limit: String(limit) })}`;
      return (await gateway.get<{ readonly matches: readonly ConversationMatch[] }>(path)).matches;
    },
    readBranches: (id) => unlessMissing(gateway.get<ConversationContent>(`${pathOf(id)}/export?format=json`)),
    readAttachment: (id, attachment) =>
      unlessMissing(gateway.get<Attachment>(`${pathOf(id)}/attachments/${encodeURIComponent(attachment)}`)),
    send: (id, text, attachments) => gateway.post<Message>(`${pathOf(id)}/messages`, { text, attachments }),
    retry: (id, message) => gateway.post<Message>(`${pathOf(id, message)}/retry`),
    edit: (id, message, text) => gateway.post<Message>(`${pathOf(id, message)}/edit`, { text }),
    select: (id, message) => gateway.post(`${pathOf(id, message)}/select`),
    resume: (id) => gateway.post<Message>(`${pathOf(id)}/resume`),
    stop: (id) => gateway.post(`${pathOf(id)}/stop`),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function pathOf(conversation: string, message?: string): string {
  const path = `/api/conversations/${encodeURIComponent(conversation)}`;
  return message === undefined ? path : `${path}/messages/${encodeURIComponent(message)}`;
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
