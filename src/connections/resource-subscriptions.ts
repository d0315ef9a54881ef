import { messageOf } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';
import type { Session } from './session.ts';

/** Subscriptions to resources, renewed for each new session. */
export interface ResourceSubscriptions {
  /** Resolves once the server has the subscription; the returned function ends it. Watchers of one resource share it. */
  watch(uri: string): Promise<() => Promise<void>>;
  /** Subscribes to all watched resources on a new session. */
  renew(session: Session): Promise<void>;
}

export interface ResourceSubscriptionsOptions {
  readonly session: () => Session;
  readonly server: string;
  readonly log: Log;
  readonly timeoutMs: number;
}

export function createResourceSubscriptions(options: ResourceSubscriptionsOptions): ResourceSubscriptions {
  const { log, server, timeoutMs } = options;
  const watchers = new Map<string, number>();
  let listening: { session: Session; close: () => Promise<void> } | undefined;

  /** A legacy server takes one resource at a time; a modern one gets one subscription for all, replaced on each change. */
  async function update(session: Session, uri: string, verb: 'subscribe' | 'unsubscribe'): Promise<void> {
    if (session.era === 'legacy') {
      await session.channel.request(`resources/${verb}`, { uri }, { signal: AbortSignal.timeout(timeoutMs) });
      return;
    }
    const before = listening;
    const uris = [...watchers.keys()];
    listening = undefined;
    if (uris.length > 0) {
      const subscription = await session.client.listen({ resourceSubscriptions: uris }, { timeout: timeoutMs });
      listening = { session, close: () => subscription.close() };
    }
    await before?.close().catch(() => {});
  }

  return {
    async watch(uri) {
      const count = watchers.get(uri) ?? 0;
      watchers.set(uri, count + 1);
      try {
        if (count === 0) await update(options.session(), uri, 'subscribe');
      } catch (cause) {
        release(uri);
        throw cause;
      }
      let ended = false;
      return async () => {
        if (ended) return;
        ended = true;
        if (release(uri)) await update(options.session(), uri, 'unsubscribe').catch(() => {});
      };
    },
    async renew(session) {
      if (watchers.size === 0) return;
      try {
        if (session.era === 'modern') await update(session, '', 'subscribe');
        else for (const uri of watchers.keys()) await update(session, uri, 'subscribe');
      } catch (cause) {
        log.warning(
          'connection.watch-failed',
          `Server '${server}' refused a resource subscription: ${messageOf(cause)}`,
          {
            server,
          },
        );
      }
    },
  };

  /** True for the last watcher of the resource. */
  function release(uri: string): boolean {
    const count = (watchers.get(uri) ?? 1) - 1;
    if (count > 0) watchers.set(uri, count);
    else watchers.delete(uri);
    return count <= 0;
  }
}
