import { setTimeout as pause } from 'node:timers/promises';
import type { Chat, ChatEvent } from '../../../chat/chat.ts';
import { ToolwharfError } from '../../../kernel/errors.ts';
import type { Conversation, Message } from '../../../storage/ports/conversation-store.ts';
import type { GatewayClient } from '../../backend/gateway-client.ts';
import { applyChatEvent, type ConversationContent, eventsBetween } from './apply-chat-event.ts';

export interface RemoteChatOptions {
  /** Told once when a conversation that is watched can't be followed any more. */
  readonly onLost: (cause: unknown) => void;
  /** How long to wait before a broken stream is opened again; 500. */
  readonly retryMs?: number;
}

interface Watched {
  readonly listeners: Set<(event: ChatEvent) => void>;
  readonly ending: AbortController;
  /** Resolves when it is there for the first time, with or without content. */
  readonly first: PromiseWithResolvers<void>;
  content?: ConversationContent;
  following?: Promise<void>;
}

const maxFailures = 5;

/** The conversations of a running gateway. Closing it ends the looking, not what is being answered. */
export function createRemoteChat(gateway: GatewayClient, { onLost, retryMs = 500 }: RemoteChatOptions): Chat {
  const watched = new Map<string, Watched>();

  function tell(one: Watched, event: ChatEvent): void {
    for (const listener of one.listeners) listener(event);
  }

  function take(one: Watched, name: string, data: object): void {
    if (name === 'snapshot') {
      const now = data as ConversationContent;
      const missed = one.content ? eventsBetween(one.content, now) : [];
      one.content = now;
      one.first.resolve();
      for (const event of missed) tell(one, event);
      return;
    }
    const event = { kind: name, ...data } as ChatEvent;
    if (one.content) one.content = applyChatEvent(one.content, event);
    tell(one, event);
  }

  /** Reads events until it is ended or removed; a stream that breaks is opened again, and tells first what was missed. */
  async function follow(id: string, one: Watched): Promise<void> {
    const { signal } = one.ending;
    for (let failures = 0; !signal.aborted; ) {
      try {
        for await (const { name, data } of await gateway.events(`${pathOf(id)}/events`, signal)) {
          failures = 0;
          take(one, name, JSON.parse(data));
          if (name === 'removed') return;
        }
      } catch (cause) {
        if (signal.aborted) break;
        if (isMissing(cause)) return take(one, 'removed', {});
        failures++;
        if (failures >= maxFailures) return onLost(cause);
      }
      await pause(retryMs, undefined, { signal }).catch(() => {});
    }
  }

  function watch(id: string, listener: (event: ChatEvent) => void): () => void {
    const one: Watched = watched.get(id) ?? {
      listeners: new Set(),
      ending: new AbortController(),
      first: Promise.withResolvers(),
    };
    one.listeners.add(listener);
    watched.set(id, one);
    one.following ??= follow(id, one).finally(() => one.first.resolve());
    return () => {
      one.listeners.delete(listener);
      if (one.listeners.size > 0) return;
      watched.delete(id);
      one.ending.abort();
    };
  }

  async function read(id: string): Promise<ConversationContent | undefined> {
    const one = watched.get(id);
    // Whoever watches must get what the events they hear go on from.
    if (one) await one.first.promise;
    if (one?.content) return one.content;
    try {
      return await gateway.get<ConversationContent>(pathOf(id));
    } catch (cause) {
      if (isMissing(cause)) return undefined;
      throw cause;
    }
  }

  async function close(): Promise<void> {
    const open = [...watched.values()];
    watched.clear();
    for (const one of open) one.ending.abort();
    await Promise.all(open.map(({ following }) => following));
  }

  return {
    watch,
    read,
    async list({ owner, limit = 100 } = {}) {
      const path = `/api/conversations?limit=${owner === undefined ? limit : 1_000}`;
      const { conversations } = await gateway.get<{ readonly conversations: readonly Conversation[] }>(path);
      return conversations.filter((one) => owner === undefined || one.owner === owner).slice(0, limit);
    },
    // The gateway takes owner and profile from whoever asks.
    create: ({ assistantId, title }) =>
      gateway.post('/api/conversations', {
        ...(assistantId !== undefined && { assistantId }),
        ...(title !== undefined && { title }),
      }),
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
    send: (id, text) => gateway.post<Message>(`${pathOf(id)}/messages`, { text }),
    retry: (id, message) => gateway.post<Message>(`${pathOf(id, message)}/retry`),
    edit: (id, message, text) => gateway.post<Message>(`${pathOf(id, message)}/edit`, { text }),
    resume: (id) => gateway.post<Message>(`${pathOf(id)}/resume`),
    stop: (id) => gateway.post(`${pathOf(id)}/stop`),
    // The gateway answers what servers ask of models.
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
