import { setTimeout as sleep } from 'node:timers/promises';
import { applyChatEvent } from '../../../contract/apply-chat-event.ts';
import { messageOf, ToolwharfError } from '../../../contract/errors.ts';
import type { JsonObject } from '../../../contract/json.ts';
import type { Log } from '../../../toolwharf/kernel/log.ts';
import { createMutex } from '../../../toolwharf/kernel/mutex.ts';
import { noConversation } from '../../../toolwharf/storage/ports/conversation-store.ts';
import type { FleetStore } from '../../../toolwharf/storage/ports/fleet-store.ts';
import type { EventLog } from '../../core/events/event-log.ts';
import type { Fleet } from '../../core/replicas/fleet.ts';
import type { Chat, ChatEvent, ConversationContent } from './chat.ts';
import { eventsBetween } from './events-between.ts';

/** Receives a conversation and its changes. */
export interface Follower {
  /** Called once, first. */
  onContent(content: ConversationContent): void;
  onEvent(event: ChatEvent): void;
}

/** The conversations of all replicas. */
export interface SharedChat extends Omit<Chat, 'watch'> {
  /**
   * Delivers a conversation, then every change, whichever replica makes it. Resolves after the content was delivered, with
   * the function that ends it; rejects with `NOT_FOUND` if there is no such conversation.
   */
  follow(id: string, follower: Follower): Promise<() => void>;
}

export interface SharedChatPorts {
  readonly fleet: Fleet;
  /** Undefined if no other process can use the database. */
  readonly store: Pick<FleetStore, 'ownerOfConversation'> | undefined;
  readonly events: Pick<EventLog, 'listen' | 'opened'>;
  readonly log: Log;
}

const operations = ['update', 'remove', 'send', 'retry', 'edit', 'select', 'resume', 'stop'] as const;
type Operation = (typeof operations)[number];

const maxAttempts = 5;
const retryMs = 250;

/** Passes operations to the replica that generates the answer, and streams the answer from there. */
export function shareChat(chat: Chat, { fleet, store, events, log }: SharedChatPorts): SharedChat {
  fleet.handle('chat.operate', async ({ operation, args }) => {
    if (!operations.includes(operation as Operation))
      throw new ToolwharfError('METHOD_NOT_ALLOWED', 'No such operation');
    const given = (args as unknown[]).map((arg) => arg ?? undefined);
    return { value: ((await operate(operation as Operation, given)) as never) ?? null };
  });
  fleet.handle('chat.follow', async ({ id }, { signal, send }) => {
    const stop = await followHere(String(id), {
      onContent: (content) => send({ content: content as unknown as JsonObject }),
      onEvent: (event) => send({ event: event as unknown as JsonObject }),
    });
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    stop();
    return {};
  });

  function operate(operation: Operation, args: readonly unknown[]): Promise<unknown> {
    return (chat[operation] as (...given: readonly unknown[]) => Promise<unknown>)(...args);
  }

  /** The other replica that generates an answer in a conversation. */
  async function findReplica(id: string): Promise<string | undefined> {
    const owner = await store?.ownerOfConversation(id);
    return owner === fleet.replica ? undefined : owner;
  }

  async function operateAnywhere(operation: Operation, args: readonly unknown[]): Promise<unknown> {
    for (let attempt = 1; ; attempt++) {
      const replica = await findReplica(String(args[0]));
      try {
        if (replica === undefined) return await operate(operation, args);
        const params = { operation, args: args as never };
        return (await fleet.request(replica, 'chat.operate', params)).value ?? undefined;
      } catch (cause) {
        if (attempt >= maxAttempts || !hasMoved(cause)) throw cause;
        await sleep(retryMs);
      }
    }
  }

  const anywhere = <Name extends Operation>(operation: Name) =>
    ((...args: unknown[]) => operateAnywhere(operation, args)) as unknown as Chat[Name];

  async function followHere(id: string, follower: Follower): Promise<() => void> {
    let isReady = false;
    // Events before the content are part of it.
    const unwatch = chat.watch(id, (event) => isReady && follower.onEvent(event));
    try {
      const content = await chat.read(id);
      if (!content) throw noConversation(id);
      follower.onContent(content);
      isReady = true;
      return unwatch;
    } catch (cause) {
      unwatch();
      throw cause;
    }
  }

  /** Follows on another replica. Resolves after the content was delivered; `onEnd` is called when that replica is gone. */
  async function followThere(replica: string, id: string, follower: Follower, onEnd: () => void): Promise<() => void> {
    const leaving = new AbortController();
    const delivered = Promise.withResolvers<void>();
    const onItem = ({ content, event }: JsonObject) => {
      if (leaving.signal.aborted) return;
      if (event) return follower.onEvent(event as unknown as ChatEvent);
      follower.onContent(content as unknown as ConversationContent);
      delivered.resolve();
    };
    fleet.request(replica, 'chat.follow', { id }, { signal: leaving.signal, onItem }).then(onEnd, (cause) => {
      delivered.reject(cause);
      if (!leaving.signal.aborted) onEnd();
    });
    await delivered.promise;
    return () => leaving.abort(new Error('The follower left'));
  }

  async function follow(id: string, follower: Follower): Promise<() => void> {
    const lock = createMutex();
    let content: ConversationContent | undefined;
    let source: { readonly replica: string | undefined; readonly stop: () => void } | undefined;
    let isClosed = false;
    const relay: Follower = {
      onContent(next) {
        const before = content;
        content = next;
        if (!before) follower.onContent(next);
        else for (const event of eventsBetween(before, next)) follower.onEvent(event);
      },
      onEvent(event) {
        content = content && applyChatEvent(content, event);
        follower.onEvent(event);
      },
    };

    /** Follows where the answer is generated now; reads again if the conversation is idle, since any replica may have changed it. */
    async function attach(): Promise<void> {
      if (isClosed) return;
      const owner = await store?.ownerOfConversation(id);
      const replica = owner === fleet.replica ? undefined : owner;
      if (source && source.replica === replica && owner !== undefined) return;
      const before = source;
      source = undefined;
      before?.stop();
      const stop =
        replica === undefined ? await followHere(id, relay) : await followThere(replica, id, relay, attachLater);
      if (isClosed) stop();
      else source = { replica, stop };
    }

    function attachLater(): void {
      source = undefined;
      void sleep(retryMs, undefined, { ref: false }).then(attachAgain);
    }

    function attachAgain(): void {
      lock(attach).catch((cause) => {
        if (isClosed) return;
        if (cause instanceof ToolwharfError && cause.code === 'NOT_FOUND') return follower.onEvent({ kind: 'removed' });
        log.debug('chat.not-followed', `A conversation could not be followed: ${messageOf(cause)}`);
        attachLater();
      });
    }

    const unlisten = events.listen(({ name, data }) => {
      const isConversation = name === 'conversation.changed' || name === 'conversation.removed';
      if (name === 'reset' || (isConversation && (data as { id: string }).id === id)) attachAgain();
    });
    const close = () => {
      isClosed = true;
      unlisten();
      source?.stop();
    };
    try {
      await events.opened();
      for (let attempt = 1; !content; attempt++) {
        await lock(attach).catch(async (cause) => {
          if (attempt >= maxAttempts || !hasMoved(cause)) throw cause;
          await sleep(retryMs);
        });
      }
      return close;
    } catch (cause) {
      close();
      throw cause;
    }
  }

  const { watch: _watch, ...own } = chat;
  return {
    ...own,
    ...(store && {
      update: anywhere('update'),
      remove: anywhere('remove'),
      send: anywhere('send'),
      retry: anywhere('retry'),
      edit: anywhere('edit'),
      select: anywhere('select'),
      resume: anywhere('resume'),
      stop: anywhere('stop'),
    }),
    follow: store ? follow : followHere,
  };
}

/** True if the replica of a conversation ended, or another one has taken the conversation meanwhile. */
function hasMoved(cause: unknown): boolean {
  if (!(cause instanceof ToolwharfError)) return false;
  return cause.code === 'GONE' || (cause.code === 'CONFLICT' && cause.data.isElsewhere === true);
}
