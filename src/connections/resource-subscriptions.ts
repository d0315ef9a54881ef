import { messageOf, ProtocolError } from '../kernel/errors.ts';
import { isObject } from '../kernel/json.ts';
import type { Log } from '../kernel/log.ts';
import type { ModernSubscription } from './modern-subscription.ts';
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
  async function update(session: Session, uri: string, verb: 'subscribe' | 'unsubscribe'): Promise<void> {
    if (session.era === 'modern') await options.subscription()?.watch([...watchers.keys()]);
    else await session.channel.request(`resources/${verb}`, { uri }, { signal: AbortSignal.timeout(timeoutMs) });
  }

  return {
    async watch(uri) {
      assertSubscribable(options.session(), server);
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

function assertSubscribable({ capabilities: { resources } }: Session, server: string): void {
  if (isObject(resources) && resources.subscribe === true) return;
  const message = `Server '${server}' does not offer resource subscriptions`;
  throw new ProtocolError('SERVER_ERROR', message, { data: { reached: false, rpcCode: -32601 } });
}
