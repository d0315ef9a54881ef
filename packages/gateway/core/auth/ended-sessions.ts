import { backoffMs } from '../../../toolwharf/kernel/backoff.ts';
import { createEvents } from '../../../toolwharf/kernel/events.ts';
import { evictOldest } from '../../../toolwharf/kernel/evict-oldest.ts';
import type { EndedSession, EndedSessionStore } from '../../../toolwharf/storage/ports/ended-session-store.ts';

/** A session with an id of its own. */
export type EndableSession = EndedSession & { readonly id: string };

/** The sessions that have ended. Their tokens are rejected for good, by every replica and after a restart. */
export interface EndedSessions {
  has(session: EndableSession): boolean;
  /**
   * Ends a session. Resolves when the end is stored; running replicas are notified at once. Rejects if the store fails: the session has
   * ended in this process, and its end is stored later.
   */
  add(session: EndableSession): Promise<void>;
  /** Calls the listener with each session that another replica ended. */
  onRemoteEnd(listener: (id: string) => void): void;
}

export interface EndedSessionsOptions {
  /** Without it, ended sessions are in memory only. */
  readonly store?: EndedSessionStore;
  /**
   * The ends that are kept for one owner; 10 000. If an owner ends more, one end includes the older half: sessions of the same owner
   * that were opened before those end too, and sessions of others do not.
   */
  readonly maxPerOwner?: number;
  readonly now?: () => number;
}

/** The ended sessions of one owner, in the order in which they ended. */
interface OwnerSessions {
  readonly expiries: Map<string, number>;
  /** Every session that expires at or before this time has ended. */
  allUntil: number;
}

/** Sessions that ended on this replica or, each time `load` resolves, on any other. */
export function createEndedSessions(options: EndedSessionsOptions = {}): EndedSessions & { load(): Promise<void> } {
  const { store, maxPerOwner = 10_000, now = Date.now } = options;
  const owners = new Map<string, OwnerSessions>();
  const events = createEvents<{ ended: string }>();
  /** The ends that the store did not accept. Nobody can end those sessions again. */
  const unstored = new Set<EndedSession>();
  let isRetrying = false;
  let position = 0;
  let swept = now();

  function sessionsOf(owner: string): OwnerSessions {
    const sessions = owners.get(owner) ?? { expiries: new Map(), allUntil: 0 };
    owners.set(owner, sessions);
    return sessions;
  }

  function includes(owner: string, { id, expiresAt }: EndableSession): boolean {
    const sessions = owners.get(owner);
    return sessions !== undefined && (expiresAt <= sessions.allUntil || sessions.expiries.has(id));
  }

  // Sessions that ended before their owners were recorded have none.
  const has = (session: EndableSession) => includes(session.owner, session) || includes('', session);

  function remember({ id, owner, expiresAt }: EndedSession): void {
    const sessions = sessionsOf(owner);
    if (id !== undefined) return void sessions.expiries.set(id, expiresAt);
    sessions.allUntil = Math.max(sessions.allUntil, expiresAt);
    for (const [one, until] of sessions.expiries) if (until <= expiresAt) sessions.expiries.delete(one);
  }

  /** Forgets tokens that have expired. */
  function sweep(): void {
    if (now() - swept < sweepMs) return;
    swept = now();
    for (const [owner, { expiries, allUntil }] of owners) {
      for (const [id, until] of expiries) if (until < swept) expiries.delete(id);
      if (expiries.size === 0 && allUntil < swept) owners.delete(owner);
    }
  }

  async function load(): Promise<void> {
    if (!store) return;
    const stored = await store.list(position);
    position = Math.max(position, stored.position);
    for (const ended of stored.ended) {
      const { id, owner, expiresAt } = ended;
      const isNews = id !== undefined && !has({ id, owner, expiresAt });
      remember(ended);
      if (isNews) events.emit('ended', id);
    }
  }

  /** The end that includes the older half of an owner's sessions; undefined if there are few. */
  function toSharedEnd(owner: string): EndedSession | undefined {
    const { expiries } = sessionsOf(owner);
    if (expiries.size <= maxPerOwner) return undefined;
    const sorted = [...expiries.values()].sort((one, other) => one - other);
    return { owner, expiresAt: sorted[sorted.length >> 1] ?? 0 };
  }

  async function keep(end: EndedSession): Promise<void> {
    try {
      await store?.add(end);
    } catch (cause) {
      unstored.add(end);
      evictOldest(unstored, maxPerOwner);
      if (!isRetrying) retryLater(1);
      throw cause;
    }
  }

  function retryLater(failures: number): void {
    isRetrying = true;
    setTimeout(async () => {
      for (const end of unstored) {
        const isStored = end.expiresAt < now() || (await store?.add(end).then(succeed, fail));
        if (!isStored) break;
        unstored.delete(end);
      }
      isRetrying = unstored.size > 0;
      if (isRetrying) retryLater(failures + 1);
    }, backoffMs(failures)).unref();
  }

  return {
    load,
    has,
    async add(session) {
      sweep();
      remember(session);
      const shared = toSharedEnd(session.owner);
      if (shared) remember(shared);
      await keep(session);
      if (shared) await keep(shared);
    },
    onRemoteEnd: (listener) => void events.on('ended', listener),
  };
}

const sweepMs = 60_000;
const succeed = () => true;
const fail = () => false;
