import type { PermitLimit } from '../../../../toolwharf/invocation/permits.ts';
import { hashOf } from '../../../../toolwharf/kernel/canonical-json.ts';
import type { UnitDemand, UnitUser } from '../../../../toolwharf/limits/units.ts';
import type { HeldUnits, WantedUnits } from '../../../../toolwharf/storage/ports/limit-store.ts';

/** The units of one limit that this replica has leased. */
export interface UnitPool {
  readonly name: string;
  held: number;
  used: number;
  /** The limit for all replicas together. */
  limit: number;
  /** How many units may be used here. Less than `held` after the limit was lowered. */
  maxUsed: number;
  /** The longest time limit of a call that the database knows of. */
  maxCallMs: number;
  /** How many other replicas wait for units. */
  waiters: number;
  /** When the last call released a unit, in milliseconds of the monotonic clock. */
  releasedAt: number;
  /** Until when units that have arrived are kept for the call that lacks another unit, although other replicas wait for them. */
  keptUntil: number;
  /** The most units that calls used at once, in this period and in the last one. */
  readonly peak: { now: number; before: number; since: number };
}

/** How long units are kept for the next call while other replicas wait: one to two periods. */
const peakPeriodMs = 100;

/** Counts `by` more units of the pool as used. */
export function countUse(pool: UnitPool, by: 1 | -1, now: number): void {
  advancePeak(pool, now);
  pool.used += by;
  if (by > 0) pool.keptUntil = 0;
  pool.peak.now = Math.max(pool.peak.now, pool.used);
}

function advancePeak({ peak, used }: UnitPool, now: number): void {
  const elapsed = now - peak.since;
  if (elapsed < peakPeriodMs) return;
  peak.before = elapsed < 2 * peakPeriodMs ? peak.now : used;
  peak.now = used;
  peak.since = now;
}

const poolOfAll = 'all';

/** A pool that a call needs a unit of, and its limit. */
export type NeededPool = readonly [name: string, limit: number];

/** The pools of a call: that of all calls, of its tool and of its caller, where there is such a limit. */
export function poolsOf({ key, maxRunning, caller }: UnitUser, maxConcurrent: number): readonly NeededPool[] {
  const pools: NeededPool[] = [[`tool ${toName(key)}`, maxRunning]];
  if (maxConcurrent < Number.MAX_SAFE_INTEGER) pools.push([poolOfAll, maxConcurrent]);
  if (caller.limits) pools.push([`caller ${toName(caller.id)}`, caller.limits.maxRunning]);
  return pools;
}

/** The setting that limits the pool. */
export function limitOf(pool: string): PermitLimit {
  if (pool === poolOfAll) return 'max_concurrent';
  return pool.startsWith('tool ') ? 'max_instances' : 'maxRunningCallsPerCaller';
}

/** Servers and identity providers choose these texts, and not every text is a valid key in a database. */
function toName(text: string): string {
  return /^[\x20-\x7e]{1,200}$/.test(text) ? text : hashOf(text);
}

/**
 * How many units this replica keeps while others wait. It shares the limit with them equally; if there are fewer units than
 * replicas, each has one in turn.
 */
export function fairShare({ limit, maxUsed, waiters }: UnitPool): number {
  return Math.min(maxUsed, waiters === 0 ? limit : Math.floor(limit / (waiters + 1)));
}

/**
 * How many units other replicas can have because they wait for them: all but those in use and, of its share, those that were in use a
 * moment ago. Without these, busy replicas would give each other units between two calls and wait for them again. Units that have just
 * arrived stay for a while: a call that lacks only a unit which other calls of this replica use would else never have all.
 */
export function awaitedUnits(pool: UnitPool, now: number): number {
  if (pool.waiters === 0 || now < pool.keptUntil) return 0;
  advancePeak(pool, now);
  const { held, used, peak } = pool;
  return Math.max(0, held - Math.max(used, Math.min(fairShare(pool), Math.max(peak.now, peak.before))));
}

/**
 * Returns units that no call uses if another replica waits for them, there are too many, or they were not used for `idleMs`.
 * True if another replica waits.
 */
export function returnIdle(pools: Iterable<UnitPool>, now: number, idleMs: number): boolean {
  let isAwaited = false;
  for (const pool of pools) {
    const awaited = awaitedUnits(pool, now);
    if (awaited > 0) isAwaited = true;
    pool.held -= awaited;
    const { held, used, maxUsed, waiters } = pool;
    if (waiters === 0 && held > used && (held > maxUsed || now - pool.releasedAt >= idleMs)) pool.held = used;
  }
  return isAwaited;
}

export function toHeld(pools: Iterable<UnitPool>, demand: readonly Demand[]): HeldUnits[] {
  const longest = new Map<string, number>();
  for (const { pools: needed, timeoutMs } of demand)
    for (const [name] of needed) longest.set(name, Math.max(longest.get(name) ?? 0, timeoutMs));
  return [...pools]
    .filter(({ held }) => held > 0)
    .map(({ name, held, maxCallMs, limit }) => ({
      pool: name,
      units: held,
      limit,
      maxCallMs: Math.max(maxCallMs, longest.get(name) ?? 0),
    }));
}

/** Waiting calls with the pools that they need. */
export interface Demand extends Pick<UnitDemand, 'count' | 'timeoutMs'> {
  readonly pools: readonly NeededPool[];
}

/**
 * The units to lease for waiting calls, in addition to the unused units on this replica: all units of a call together. Where a limit is
 * exhausted, a call of this replica releases units of it sooner or later. The other units that the next call of each caller needs are
 * leased before, since the released units would otherwise go to callers that have them.
 */
export function toWanted(
  demand: readonly Demand[],
  findPool: (name: string) => UnitPool | undefined,
  isUsedUp: (pool: NeededPool) => boolean,
): WantedUnits[] {
  const unused = new Map<string, number>();
  const left = (name: string) => unused.get(name) ?? unusedOf(findPool(name));
  const heldOf = (name: string) => findPool(name)?.held ?? 0;
  const wanted: WantedUnits[] = [];
  const early = new Map<string, WantedUnits>();
  for (const { pools, count, timeoutMs: maxCallMs } of demand) {
    for (let rest = count; rest > 0; ) {
      const lacking = pools.filter(([name]) => left(name) <= 0);
      const exhausted = lacking.filter((pool) => heldOf(pool[0]) > 0 && (heldOf(pool[0]) >= pool[1] || isUsedUp(pool)));
      if (exhausted.length > 0) {
        for (const [name, limit] of lacking) {
          // Every call that ends releases a unit of the limit for all calls.
          if (name !== poolOfAll && heldOf(name) < limit)
            early.set(name, { pools: { [name]: limit }, count: 1, maxCallMs });
        }
      }
      // All units of a limit are here already: the calls wait for other calls of this replica.
      if (exhausted.some(([name, limit]) => heldOf(name) >= limit)) break;
      const others = pools.filter(([name]) => left(name) > 0);
      const amount = Math.min(rest, ...others.map(([name]) => left(name)), ...lacking.map(([, limit]) => limit));
      if (lacking.length > 0) wanted.push({ pools: Object.fromEntries(lacking), count: amount, maxCallMs });
      for (const [name] of others) unused.set(name, left(name) - amount);
      rest -= amount;
      // One request for as many as the limit allows is enough.
      if (others.length === 0) break;
    }
  }
  return [...wanted, ...early.values()];
}

function unusedOf(pool: UnitPool | undefined): number {
  return pool ? pool.held - pool.used : 0;
}
