import type { SubscriptionFilter } from '@modelcontextprotocol/client';
import { backoffMs } from '../kernel/backoff.ts';
import type { Clock } from '../kernel/clock.ts';
import { messageOf } from '../kernel/errors.ts';
import { isObject } from '../kernel/json.ts';
import type { Log } from '../kernel/log.ts';
import type { Session } from './session.ts';

export interface ChangeSubscriptionOptions {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly log: Log;
  readonly server: string;
  /** The subscription was interrupted: changes may have been missed. */
  readonly onMissed: () => void;
}

/** Keeps a subscription to list changes open for the life of a modern session. Legacy servers need none. */
export function subscribeToChanges(session: Session, options: ChangeSubscriptionOptions): void {
  const filter = filterFor(session);
  if (session.era === 'legacy' || Object.keys(filter).length === 0) return;
  void keepSubscribed(session, filter, options);
}

async function keepSubscribed(
  session: Session,
  filter: SubscriptionFilter,
  options: ChangeSubscriptionOptions,
): Promise<void> {
  const { signal, clock, log, server } = options;
  for (let failures = 0; !signal.aborted; ) {
    try {
      const subscription = await session.client.listen(filter, { signal });
      if (failures > 0) options.onMissed();
      failures = 0;
      await Promise.race([subscription.closed, aborted(signal)]);
      if (signal.aborted) return void subscription.close().catch(() => {});
    } catch (cause) {
      if (signal.aborted) return;
      log.debug(
        'connection.listen-failed',
        `Server '${server}' refused the subscription to list changes: ${messageOf(cause)}`,
        {
          server,
        },
      );
    }
    failures++;
    await clock.sleep(backoffMs(failures, { firstMs: 500 }), signal).catch(() => {});
  }
}

function filterFor(session: Session): SubscriptionFilter {
  const announces = (capability: string) => {
    const found = session.capabilities[capability];
    return isObject(found) && found.listChanged === true;
  };
  return {
    ...(announces('tools') && { toolsListChanged: true as const }),
    ...(announces('resources') && { resourcesListChanged: true as const }),
    ...(announces('prompts') && { promptsListChanged: true as const }),
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
