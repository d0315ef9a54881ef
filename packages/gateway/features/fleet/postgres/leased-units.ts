import { messageOf, ToolwharfError } from '../../../../contract/errors.ts';
import type { PermitLimit, PermitLimits } from '../../../../toolwharf/invocation/permits.ts';
import type { Log } from '../../../../toolwharf/kernel/log.ts';
import { createPermits, type LocalPermits } from '../../../../toolwharf/limits/permits.ts';
import type { UnitUser, UsedUnits } from '../../../../toolwharf/limits/units.ts';
import type {
  HeldUnits,
  LimitStore,
  SyncedPermits,
  WantedUnits,
} from '../../../../toolwharf/storage/ports/limit-store.ts';
import type { LostLease, ReplicaLease } from '../../../../toolwharf/storage/ports/replica-lease.ts';
import {
  awaitedUnits,
  countUse,
  type Demand,
  fairShare,
  limitOf,
  type NeededPool,
  poolsOf,
  returnIdle,
  toHeld,
  toWanted,
  type UnitPool,
} from './unit-pools.ts';
import { createUnitsInUse, type UnitUse } from './units-in-use.ts';

export interface LeasedUnitsOptions {
  readonly store: Pick<LimitStore, 'syncPermits' | 'keepLostPermits'>;
  readonly lease: ReplicaLease;
  /** Notifies other replicas that permits are needed or returned. */
  readonly hint: () => Promise<void>;
  readonly log: Log;
  /** How long units that no call uses are kept for the next call; 1 000. */
  readonly idleMs?: number;
  /** How often a replica with units looks for replicas that wait for some; 1 000. */
  readonly holdPollMs?: number;
  /** How often a replica looks while it waits for units, or has some that others wait for; 250. */
  readonly waitPollMs?: number;
}

/** Permits of limits that all replicas share. */
export interface LeasedUnits extends Disposable {
  createPermits(limits: PermitLimits): LocalPermits;
  /** Asks for units, or returns some, now instead of at the next poll. */
  look(): void;
  /** Why no units can be leased; undefined if they can. */
  readonly failure: string | undefined;
  /** The units on this replica, by pool. */
  readonly held: ReadonlyMap<string, number>;
}

/**
 * Leases units of limits from the database, in the amounts that waiting calls need, and returns them when they are not used or
 * when other replicas have less than their share.
 */
export function createLeasedUnits(options: LeasedUnitsOptions): LeasedUnits {
  const { store, lease, hint, log, idleMs = 1_000, holdPollMs = 1_000, waitPollMs = 250 } = options;
  const pools = new Map<string, UnitPool>();
  const inUse = createUnitsInUse(store, lease);
  const members: { readonly permits: LocalPermits; readonly limits: () => PermitLimits }[] = [];
  let seq = 0;
  let failure: string | undefined;
  let isWaiting = false;
  /** The pools, with their limits, that had no units left for the last request. Replicas that return some notify this one. */
  const usedUp = new Map<string, number>();
  /** Whether the database may have units of this lease. */
  let hasStored = false;
  let owesHint = false;
  let syncing: Promise<void> | undefined;
  let syncsAgain = false;
  /** Calls began to wait during a request, which may not include them. */
  let hasNewWaiters = false;
  let isCheckDue = false;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  function look(): void {
    if (isClosed) return;
    if (syncing) {
      syncsAgain = true;
      return;
    }
    clearTimeout(timer);
    timer = undefined;
    // After the current turn, so that all calls that arrive together are served by one request.
    syncing = new Promise<void>((resolve) => setImmediate(resolve)).then(sync).finally(() => {
      syncing = undefined;
      const isDue = syncsAgain || (hasNewWaiters && lacksMore());
      syncsAgain = false;
      hasNewWaiters = false;
      if (isDue) look();
      else schedule();
    });
  }

  /** Asks for the units of calls that wait, unless the database surely has none. */
  function request(): void {
    if (syncing) hasNewWaiters = true;
    else if (!isCheckDue) {
      isCheckDue = true;
      // Once for all calls of the current turn.
      setImmediate(() => {
        isCheckDue = false;
        if (lacksMore()) look();
      });
    }
  }

  /** Whether calls wait that another request to the database may help. */
  function lacksMore(): boolean {
    const demand = collectDemand();
    const isTooLong = ({ timeoutMs, pools: needed }: Demand) =>
      needed.some(([name]) => (pools.get(name)?.maxCallMs ?? timeoutMs) < timeoutMs);
    return wantedFor(demand).some((each) => !Object.entries(each.pools).some(isUsedUp)) || demand.some(isTooLong);
  }

  function wantedFor(demand: readonly Demand[]): WantedUnits[] {
    return toWanted(demand, (name) => pools.get(name), isUsedUp);
  }

  function isUsedUp([name, limit]: NeededPool): boolean {
    return usedUp.get(name) === limit;
  }

  function schedule(): void {
    const hasUnits = pools.size > 0 || inUse.hasLost();
    if (isClosed || !(isWaiting || hasUnits)) return;
    const isAwaited = [...pools.values()].some(({ held, used, waiters }) => held > used && waiters > 0);
    timer = setTimeout(look, isWaiting || isAwaited ? waitPollMs : holdPollMs).unref();
  }

  async function sync(): Promise<void> {
    try {
      await syncOnce().catch(() => syncOnce());
    } catch (cause) {
      if (failure === undefined) log.error('limits.unavailable', `No permits can be leased: ${messageOf(cause)}`);
      failure = messageOf(cause);
      isWaiting = false;
      usedUp.clear();
      for (const { permits } of members) permits.rejectWaiters(unavailable(cause));
    }
  }

  async function syncOnce(): Promise<void> {
    await inUse.returnLost();
    const { epoch } = lease;
    const demand = collectDemand();
    owesHint = returnIdle(pools.values(), performance.now(), idleMs) || owesHint;
    const held = toHeld(pools.values(), demand);
    const wanted = wantedFor(demand);
    for (const [name, { held: units }] of pools) if (units === 0) pools.delete(name);
    if (held.length === 0 && wanted.length === 0 && !isWaiting && !hasStored) return;
    hasStored = true;
    usedUp.clear();
    isWaiting ||= wanted.length > 0;
    const synced = await store.syncPermits({ epoch, seq: ++seq, held, wanted });
    if (failure !== undefined) log.info('limits.available', 'Permits can be leased again');
    failure = undefined;
    if (!synced) return void (await lease.renew());
    // The answer to a lost lease means nothing.
    if (epoch !== lease.epoch) return;
    hasStored = held.length > 0 || Object.keys(synced.granted).length > 0;
    apply(synced, held, wanted);
    for (const { permits } of members) permits.onUnits();
    isWaiting = wantedFor(collectDemand()).length > 0;
    // Nothing asks again about these pools while no call waits: the next call has to.
    if (!isWaiting) usedUp.clear();
    if (synced.isNewWaiter || owesHint) await hint().catch(() => {});
    owesHint = false;
    const now = performance.now();
    if (lacksMore() || [...pools.values()].some((pool) => awaitedUnits(pool, now) > 0)) syncsAgain = true;
  }

  function apply(synced: SyncedPermits, held: readonly HeldUnits[], wanted: readonly WantedUnits[]): void {
    for (const { pool: name, maxCallMs, limit } of held) {
      const pool = poolOf(name);
      pool.maxCallMs = maxCallMs;
      // The limit may have been lowered once more since the request.
      if (pool.limit === limit) pool.maxUsed = synced.maxUnits[name] ?? Number.POSITIVE_INFINITY;
    }
    for (const [name, units] of Object.entries(synced.granted)) {
      const pool = poolOf(name);
      pool.held += units;
      pool.releasedAt = performance.now();
      pool.keptUntil = pool.releasedAt + waitPollMs;
      for (const { pools: wants, maxCallMs } of wanted) {
        if (wants[name] === undefined) continue;
        pool.limit = wants[name];
        pool.maxCallMs = Math.max(pool.maxCallMs, maxCallMs);
      }
    }
    const lacking = new Set(synced.lacking);
    for (const { pools: wants } of wanted)
      for (const [name, limit] of Object.entries(wants)) if (lacking.has(name)) usedUp.set(name, limit);
    for (const pool of pools.values()) pool.waiters = synced.waiters[pool.name] ?? 0;
  }

  function collectDemand(): Demand[] {
    return members.flatMap(({ permits, limits }) =>
      permits
        .demand()
        .slice(0, 200)
        .map((demand) => ({ ...demand, pools: poolsOf(demand, limits().maxConcurrent) })),
    );
  }

  function poolOf(name: string): UnitPool {
    const known = pools.get(name);
    if (known) return known;
    const counts = {
      held: 0,
      used: 0,
      limit: 0,
      maxUsed: Number.POSITIVE_INFINITY,
      maxCallMs: 0,
      waiters: 0,
      releasedAt: 0,
      keptUntil: 0,
    };
    const pool: UnitPool = { name, ...counts, peak: { now: 0, before: 0, since: 0 } };
    pools.set(name, pool);
    return pool;
  }

  function release(use: UnitUse): void {
    if (!inUse.end(use)) return;
    if (use.epoch !== lease.epoch) {
      look();
      return;
    }
    const now = performance.now();
    for (const name of use.pools) {
      const pool = poolOf(name);
      countUse(pool, -1, now);
      pool.releasedAt = now;
      if (pool.held <= fairShare(pool)) continue;
      pool.held--;
      owesHint = true;
    }
    if (owesHint) look();
  }

  function has({ timeoutMs }: UnitUser, needed: readonly NeededPool[]): boolean {
    return needed.every(([name, limit]) => {
      const pool = pools.get(name);
      if (!pool) return false;
      setLimit(pool, limit);
      return pool.used < Math.min(pool.held, pool.maxUsed) && pool.maxCallMs >= timeoutMs;
    });
  }

  /** A limit that is used up in all replicas rather than one whose units have not arrived yet. */
  function lacking(needed: readonly NeededPool[]): PermitLimit | undefined {
    const without = needed.filter(([name]) => {
      const { used = 0, held = 0 } = pools.get(name) ?? {};
      return used >= held;
    });
    const [name] = without.find(isUsedUp) ?? without[0] ?? [];
    return name === undefined ? undefined : limitOf(name);
  }

  function setLimit(pool: UnitPool, limit: number): void {
    if (limit < pool.limit) {
      // The database has to say how many of the units that replicas have may still be used.
      pool.maxUsed = 0;
      look();
    }
    pool.limit = limit;
  }

  function use({ timeoutMs }: UnitUser, needed: readonly NeededPool[]): UsedUnits {
    const names = needed.map(([name]) => name);
    const used = inUse.begin(names, timeoutMs);
    const now = performance.now();
    for (const name of names) countUse(poolOf(name), 1, now);
    return {
      onExpired(listener) {
        used.onExpired = listener;
      },
      [Symbol.dispose]: () => release(used),
    };
  }

  function onLost(lost: LostLease): void {
    inUse.lose(lost);
    pools.clear();
    hasStored = false;
    look();
  }

  lease.onLost(onLost);
  const expiring = setInterval(inUse.expire, 1_000).unref();
  return {
    look() {
      if (isWaiting || pools.size > 0) look();
    },
    createPermits(initial) {
      let limits = initial;
      const permits = createPermits(initial, {
        has: (user) => has(user, poolsOf(user, limits.maxConcurrent)),
        use: (user) => use(user, poolsOf(user, limits.maxConcurrent)),
        isUsedUp: (user) => poolsOf(user, limits.maxConcurrent).some(isUsedUp),
        lacking: (user) => lacking(poolsOf(user, limits.maxConcurrent)),
        request,
      });
      members.push({ permits, limits: () => limits });
      return {
        ...permits,
        setLimits(changed) {
          limits = changed;
          permits.setLimits(changed);
        },
      };
    },
    get failure() {
      return failure;
    },
    get held() {
      return new Map([...pools].map(([name, { held }]) => [name, held]));
    },
    [Symbol.dispose]() {
      isClosed = true;
      clearTimeout(timer);
      clearInterval(expiring);
    },
  };
}

function unavailable(cause: unknown): ToolwharfError {
  const message = 'The call was not made: its limits could not be checked with the database. Try again later';
  return new ToolwharfError('STORAGE_UNAVAILABLE', message, { cause });
}
