import { messageOf, ProtocolError } from '../kernel/errors.ts';
import { isObject } from '../kernel/json.ts';
import type { Log } from '../kernel/log.ts';
import type { ModernSubscription } from './modern-subscription.ts';
import type { Session } from './session.ts';

/** Subscriptions to resources, renewed for each new session. */
export interface ResourceSubscriptions {
  /**
   * Subscribes to these resources together. Resolves once the server has the subscriptions; the returned function ends
   * them. Watchers of one resource share its subscription.
   */
  watch(uris: readonly string[]): Promise<() => Promise<void>>;
  /** Subscribes to all watched resources on a new session. */
  renew(session: Session): Promise<void>;
}

export interface ResourceSubscriptionsOptions {
  readonly session: () => Session;
  /** The subscription of the open session; undefined for legacy sessions. */
  readonly subscription: () => ModernSubscription | undefined;
  readonly server: string;
  readonly log: Log;
  readonly timeoutMs: number;
}

export function createResourceSubscriptions(options: ResourceSubscriptionsOptions): ResourceSubscriptions {
  const { log, server, timeoutMs } = options;
  const watchers = new Map<string, number>();

  /** A legacy server takes one resource at a time, a modern one all at once. */
  async function update(session: Session, uris: Iterable<string>, verb: 'subscribe' | 'unsubscribe'): Promise<void> {
    if (session.era === 'modern') return options.subscription()?.watch([...watchers.keys()]);
    const signal = AbortSignal.timeout(timeoutMs);
    for (const uri of uris) await session.channel.request(`resources/${verb}`, { uri }, { signal });
  }

  async function end(uris: readonly string[]): Promise<void> {
    const unwatched = uris.filter(release);
    if (unwatched.length > 0) await update(options.session(), unwatched, 'unsubscribe');
  }

  return {
    async watch(uris) {
      assertSubscribable(options.session(), server);
      const added = uris.filter(retain);
      try {
        if (added.length > 0) await update(options.session(), added, 'subscribe');
      } catch (cause) {
        await end(uris).catch(() => {});
        throw cause;
      }
      let ended = false;
      return async () => {
        if (ended) return;
        ended = true;
        // Without a session there is nothing to unsubscribe from.
        await end(uris).catch(() => {});
      };
    },
    async renew(session) {
      if (watchers.size === 0) return;
      try {
        await update(session, watchers.keys(), 'subscribe');
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

  /** True for the first watcher of the resource. */
  function retain(uri: string): boolean {
    const count = watchers.get(uri) ?? 0;
    watchers.set(uri, count + 1);
    return count === 0;
  }

  /** True for the last watcher of the resource. */
  function release(uri: string): boolean {
    const count = (watchers.get(uri) ?? 1) - 1;
    if (count > 0) watchers.set(uri, count);
    else watchers.delete(uri);
    return count <= 0;
  }
}

function assertSubscribable({ capabilities: { resources } }: Session, server: string): void {
  if (isObject(resources) && resources.subscribe === true) return;
  const message = `Server '${server}' does not offer resource subscriptions`;
  throw new ProtocolError('SERVER_ERROR', message, { data: { reached: false, rpcCode: -32601 } });
}
