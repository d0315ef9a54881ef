import { createEvents } from '../../kernel/events.ts';
import { evictOldest } from '../../kernel/evict-oldest.ts';
import type { FleetStore } from '../../storage/ports/fleet-store.ts';

/** The sessions that have ended. Every replica rejects their tokens. */
export interface EndedSessions {
  has(id: string): boolean;
  /** Ends a session. Resolves when the end is stored; running replicas are notified at once. */
  add(id: string, expiresAt: number): Promise<void>;
  /** Calls the listener with each session that another replica ended. */
  onRemoteEnd(listener: (id: string) => void): void;
}

export interface EndedSessionsOptions {
  /** Undefined if no other process can use the database. */
  readonly store?: Pick<FleetStore, 'endSession' | 'endedSessions'>;
  /** 10 000. */
  readonly maxEnded?: number;
}

/** Sessions that ended on this replica or, each time `load` resolves, on any other. */
export function createEndedSessions(options: EndedSessionsOptions = {}): EndedSessions & { load(): Promise<void> } {
  const { store, maxEnded = 10_000 } = options;
  const ended = new Map<string, number>();
  const events = createEvents<{ ended: string }>();

  function remember(id: string, expiresAt: number): void {
    ended.set(id, expiresAt);
    if (ended.size <= maxEnded) return;
    for (const [known, until] of ended) if (until <= Date.now()) ended.delete(known);
    evictOldest(ended, maxEnded);
  }

  async function load(): Promise<void> {
    for (const { id, expiresAt } of (await store?.endedSessions()) ?? []) {
      if (ended.has(id)) continue;
      remember(id, expiresAt);
      events.emit('ended', id);
    }
  }

  return {
    load,
    has: (id) => ended.has(id),
    async add(id, expiresAt) {
      remember(id, expiresAt);
      await store?.endSession(id, expiresAt);
    },
    onRemoteEnd: (listener) => void events.on('ended', listener),
  };
}
