import { messageOf } from '../../../contract/errors.ts';
import type { Log } from '../../../toolwharf/kernel/log.ts';
import { configurationTopics, type FleetTopic } from '../../../toolwharf/storage/ports/fleet-store.ts';

/** Reports changes of the stores, which a replica has made, to listeners by topic. */
export interface StoreChanges {
  onChange(topic: FleetTopic, listener: () => unknown): void;
  /** Reports the topics whose revision has changed since the last report. */
  report(current: ReadonlyMap<string, number>): void;
  /** The revision of the configuration in the stores that all listeners have applied. */
  readonly appliedRevision: number;
}

export function createStoreChanges(revisions: ReadonlyMap<string, number>, log: Log): StoreChanges {
  const listeners = new Map<string, (() => unknown)[]>();
  const applied = new Map(revisions);
  /** The next report applies the last change of these topics again. */
  const failed = new Set<string>();
  let seen = revisions;

  /** A change counts as applied when all listeners are done with it. */
  async function apply(topic: string, revision: number): Promise<void> {
    try {
      await Promise.all((listeners.get(topic) ?? []).map(async (listener) => listener()));
      applied.set(topic, Math.max(applied.get(topic) ?? 0, revision));
    } catch (cause) {
      failed.add(topic);
      log.error('fleet.listener-failed', `A change of another replica was not applied: ${messageOf(cause)}`);
    }
  }

  return {
    onChange: (topic, listener) => void listeners.set(topic, [...(listeners.get(topic) ?? []), listener]),
    report(current) {
      const before = seen;
      seen = current;
      for (const [topic, revision] of current)
        if (revision !== before.get(topic) || failed.delete(topic)) void apply(topic, revision);
    },
    get appliedRevision() {
      return configurationRevision(applied);
    },
  };
}

/** One number for all stores that configure the gateway. */
export function configurationRevision(revisions: ReadonlyMap<string, number>): number {
  return configurationTopics.reduce((sum: number, topic) => sum + (revisions.get(topic) ?? 0), 0);
}
