import type { SubscriptionFilter } from '@modelcontextprotocol/client';
import { messageOf } from '../../contract/errors.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';
import { backoffMs } from '../kernel/backoff.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import type { Session } from './session.ts';

export interface ModernSubscriptionOptions {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly log: Log;
  readonly server: string;
  readonly timeoutMs: number;
  /** The subscription was interrupted: changes of the lists may have been missed. Without it, it is to resources only. */
  readonly onMissed?: () => void;
}

/** The one subscription of a modern session: to list changes if these are wanted, and to the resources that are watched. */
export interface ModernSubscription {
  /** Replaces the watched resources. Resolves once the server has accepted them. */
  watch(uris: readonly string[]): Promise<void>;
}

/**
 * Subscribes to list changes for the life of a modern session. One subscription carries everything, and it is ended before the
 * next one is opened, because some servers end all subscriptions of a session with the first that ends.
 */
export function createModernSubscription(session: Session, options: ModernSubscriptionOptions): ModernSubscription {
  const { signal, clock, log, server, timeoutMs } = options;
  let uris: readonly string[] = [];
  /** Aborted when the watched resources change: the present subscription, or the pause before the next, ends. */
  let change = new AbortController();
  let waiting: PromiseWithResolvers<void>[] = [];

  /** Keeps a subscription open while there is something to subscribe to. */
  async function run(): Promise<void> {
    let wasOpen = false;
    for (let failures = 0; !signal.aborted; ) {
      const changed = AbortSignal.any([signal, change.signal]);
      const requested = waiting;
      waiting = [];
      const filter = filterFor(options.onMissed ? session.capabilities : {}, uris);
      let isFinal = Object.keys(filter).length === 0;
      try {
        if (!isFinal) {
          const opened = await session.client.listen(filter, { signal, timeout: timeoutMs });
          failures = 0;
          // Changes between two subscriptions were not announced.
          if (wasOpen) options.onMissed?.();
          wasOpen = true;
          for (const { resolve } of requested) resolve();
          await Promise.race([opened.closed, aborted(changed)]);
          await opened.close().catch(() => {});
        }
        for (const { resolve } of requested) resolve();
      } catch (cause) {
        for (const { reject } of requested) reject(cause);
        isFinal = isUnsupported(cause);
        if (!signal.aborted)
          log.debug(
            'connection.listen-failed',
            `Server '${server}' refused the subscription to changes: ${messageOf(cause)}`,
            {
              server,
            },
          );
      }
      if (isFinal) await aborted(changed);
      else await clock.sleep(backoffMs(++failures, { firstMs: 500 }), changed).catch(() => {});
    }
    for (const { reject } of waiting) reject(signal.reason);
  }
  void run();

  function watch(watched: readonly string[]): Promise<void> {
    uris = watched;
    const request = Promise.withResolvers<void>();
    waiting.push(request);
    const before = change;
    change = new AbortController();
    before.abort();
    return request.promise;
  }

  return {
    async watch(watched) {
      signal.throwIfAborted();
      const before = uris;
      await watch(watched).catch((cause) => {
        if (!signal.aborted && uris === watched) watch(before).catch(() => {});
        throw cause;
      });
    },
  };
}

const methodNotFound = -32601;

/** True if the server has no subscriptions at all: the next session may be with another version of it. */
function isUnsupported(cause: unknown): boolean {
  const { code, status, data } = cause as { code?: unknown; status?: unknown; data?: JsonObject };
  const httpStatus = status ?? data?.httpStatus ?? data?.status;
  return code === methodNotFound || data?.rpcCode === methodNotFound || httpStatus === 404 || httpStatus === 405;
}

function filterFor(capabilities: JsonObject, uris: readonly string[]): SubscriptionFilter {
  const announces = (capability: string) => {
    const found = capabilities[capability];
    return isObject(found) && found.listChanged === true;
  };
  return {
    ...(announces('tools') && { toolsListChanged: true }),
    ...(announces('resources') && { resourcesListChanged: true }),
    ...(announces('prompts') && { promptsListChanged: true }),
    ...(uris.length > 0 && { resourceSubscriptions: [...uris] }),
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
