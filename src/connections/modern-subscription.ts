import type { SubscriptionFilter } from '@modelcontextprotocol/client';
import { backoffMs } from '../kernel/backoff.ts';
import type { Clock } from '../kernel/clock.ts';
import { messageOf } from '../kernel/errors.ts';
import { isObject } from '../kernel/json.ts';
import type { Log } from '../kernel/log.ts';
import type { Session } from './session.ts';

export interface ModernSubscriptionOptions {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly log: Log;
  readonly server: string;
  readonly timeoutMs: number;
  /** The subscription was interrupted: changes may have been missed. */
  readonly onMissed: () => void;
}

/** The one subscription of a modern session: to list changes, and to the resources that are watched. */
export interface ModernSubscription {
  /** Replaces the watched resources. Resolves once the server has accepted them. */
  watch(uris: readonly string[]): Promise<void>;
}

/**
 * Subscribes to list changes for the life of a modern session. One subscription carries everything, because some servers
 * end all subscriptions of a session with the first that ends.
 */
export function createModernSubscription(session: Session, options: ModernSubscriptionOptions): ModernSubscription {
  const { signal, clock, log, server, timeoutMs } = options;
  let uris: readonly string[] = [];
  let current: { readonly closed: Promise<unknown>; close(): Promise<void> } | undefined;
  let isRunning = false;
  let changing: Promise<void> = Promise.resolve();

  /** Replaces the subscription, one change after the other. */
  function listen(): Promise<void> {
    changing = changing.catch(() => {}).then(replace);
    return changing;
  }

  async function replace(): Promise<void> {
    const before = current;
    const filter = filterFor(session, uris);
    const isNeeded = Object.keys(filter).length > 0;
    const opened = isNeeded ? await session.client.listen(filter, { signal, timeout: timeoutMs }) : undefined;
    current = opened;
    await before?.close().catch(() => {});
    if (opened && !isRunning) void keepOpen();
  }

  /** Subscribes again when the server ends the subscription. */
  async function keepOpen(): Promise<void> {
    isRunning = true;
    for (let failures = 0; current && !signal.aborted; ) {
      const watched = current;
      await Promise.race([watched.closed, aborted(signal)]);
      if (signal.aborted || current !== watched) continue;
      await clock.sleep(backoffMs(++failures, { firstMs: 500 }), signal).catch(() => {});
      if (signal.aborted) break;
      await listen().then(
        () => {
          failures = 0;
          options.onMissed();
        },
        (cause) => logRefusal(cause),
      );
    }
    isRunning = false;
    if (signal.aborted) await current?.close().catch(() => {});
  }

  function logRefusal(cause: unknown): void {
    const text = `Server '${server}' refused the subscription to changes: ${messageOf(cause)}`;
    log.debug('connection.listen-failed', text, { server });
  }

  const start = async () => {
    for (let failures = 1; !signal.aborted; failures++) {
      try {
        return await listen();
      } catch (cause) {
        if (signal.aborted) return;
        logRefusal(cause);
      }
      await clock.sleep(backoffMs(failures, { firstMs: 500 }), signal).catch(() => {});
    }
  };
  void start();

  return {
    async watch(watched) {
      const before = uris;
      uris = watched;
      await listen().catch((cause) => {
        uris = before;
        throw cause;
      });
    },
  };
}

function filterFor({ capabilities }: Session, uris: readonly string[]): SubscriptionFilter {
  const announces = (capability: string) => {
    const found = capabilities[capability];
    return isObject(found) && found.listChanged === true;
  };
  return {
    toolsListChanged: announces('tools') || undefined,
    resourcesListChanged: announces('resources') || undefined,
    promptsListChanged: announces('prompts') || undefined,
    resourceSubscriptions: uris.length > 0 ? [...uris] : undefined,
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
