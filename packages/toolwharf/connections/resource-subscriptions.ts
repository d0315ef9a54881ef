import { messageOf, ProtocolError } from '../../contract/errors.ts';
import { isObject } from '../../contract/json.ts';
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
  /**
   * Subscribes on a session beside the main one too, until its lifetime ends: a server that runs as several processes announces an
   * update in one of them only.
   */
  attach(side: Session): Promise<void>;
}

export interface ResourceSubscriptionsOptions {
  readonly session: () => Session;
  /** The subscription of a modern session. */
  readonly subscriptionOf: (session: Session) => ModernSubscription | undefined;
  readonly server: string;
  readonly log: Log;
  readonly timeoutMs: number;
}

export function createResourceSubscriptions(options: ResourceSubscriptionsOptions): ResourceSubscriptions {
  const { log, server, timeoutMs } = options;
  const watchers = new Map<string, number>();
  const sides = new Set<Session>();

  /** A legacy server takes one resource at a time, a modern one all at once. */
  async function update(session: Session, uris: Iterable<string>, verb: 'subscribe' | 'unsubscribe'): Promise<void> {
    if (session.era === 'modern') return options.subscriptionOf(session)?.watch([...watchers.keys()]);
    const signal = AbortSignal.timeout(timeoutMs);
    for (const uri of uris) await session.channel.request(`resources/${verb}`, { uri }, { signal });
  }

  /** The main session decides whether the server accepts the change. */
  async function updateAll(uris: readonly string[], verb: 'subscribe' | 'unsubscribe'): Promise<void> {
    if (uris.length === 0) return;
    const beside = [...sides].map((side) => update(side, uris, verb).catch(logFailure));
    await Promise.all([update(options.session(), uris, verb), ...beside]);
  }

  const end = (uris: readonly string[]) => updateAll(uris.filter(release), 'unsubscribe');

  function logFailure(cause: unknown): void {
    const message = `Server '${server}' refused a resource subscription: ${messageOf(cause)}`;
    log.warning('connection.watch-failed', message, { server });
  }

  return {
    async watch(uris) {
      assertSubscribable(options.session(), server);
      const added = uris.filter(retain);
      try {
        await updateAll(added, 'subscribe');
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
    renew,
    async attach(side) {
      const { signal } = side.lifetime;
      if (signal.aborted || !isSubscribable(side)) return;
      sides.add(side);
      signal.addEventListener('abort', () => sides.delete(side), { once: true });
      await renew(side);
    },
  };

  async function renew(session: Session): Promise<void> {
    if (watchers.size > 0) await update(session, watchers.keys(), 'subscribe').catch(logFailure);
  }

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

function isSubscribable({ capabilities: { resources } }: Session): boolean {
  return isObject(resources) && resources.subscribe === true;
}

function assertSubscribable(session: Session, server: string): void {
  if (isSubscribable(session)) return;
  const message = `Server '${server}' does not offer resource subscriptions`;
  throw new ProtocolError('SERVER_ERROR', message, { data: { reached: false, rpcCode: -32601 } });
}
