import type { CatalogEntry } from '../catalog/catalog.ts';
import type { UnansweredRequest } from '../connections/exchange.ts';
import { toolIdOf, toolKey } from '../kernel/tool-id.ts';

/** The right to run one call. Disposing releases it; disposing twice has no effect. */
export interface Permit extends Disposable {
  readonly key: string;
  /** Calls the listener when the call must end, because this replica lost its lease too long ago. Undefined if it cannot. */
  onExpired?(listener: () => void): void;
  /** The call has ended for its caller, but its server has not answered. Others that wait are told about it. */
  setUnanswered(): void;
}

/** A limit of calls, by the name of its setting. */
export type PermitLimit = 'max_instances' | 'max_concurrent' | 'maxRunningCallsPerCaller';

/** Why a call waits for a permit. */
export interface PermitWait {
  readonly limit: PermitLimit;
  /** For people: the limit, and how long calls without an answer have had its permits. */
  readonly text: string;
}

export interface PermitLimits {
  /** Permits over all keys. */
  readonly maxConcurrent: number;
  /** Waiters in the queue; one more is refused with `QUEUE_FULL`. */
  readonly maxQueued: number;
}

/** Limits on the calls of one caller. */
export interface CallerLimits {
  readonly maxRunning: number;
  /** One more is refused with `LIMIT_REACHED`. */
  readonly maxQueued: number;
}

/** The caller that a permit is for. */
export interface PermitCaller {
  readonly id: string;
  readonly limits?: CallerLimits;
  /** The time limit of the call. If this replica is lost, the permit is in use for as long. */
  readonly timeoutMs?: number;
}

/** How many calls run and wait, in total and by tool. */
export interface PermitStats {
  readonly running: number;
  readonly queued: number;
  /** Only keys with running or queued calls. */
  readonly byKey: ReadonlyMap<string, { readonly running: number; readonly queued: number }>;
  /** How many of the running calls have ended for their callers, but not for their servers; undefined if none. */
  readonly unanswered?: number;
}

/** A keyed semaphore: at most `maxConcurrent` permits in total, and per key at most the `maxRunning` of its latest call. */
export interface Permits {
  /**
   * Resolves when a permit is free. Callers are served in turn (start-time fair queueing), the waiters of one caller in
   * the order of their arrival; a key or caller at its limit does not block others. When the signal aborts, the waiter
   * leaves the queue at once and rejects with the signal's reason.
   */
  acquire(key: string, maxRunning: number, options?: AcquireOptions): Promise<Permit>;
  /** A permit if one is free now and the caller waits for none of this key. */
  tryAcquire(key: string, maxRunning: number, caller?: PermitCaller): Permit | undefined;
  /** Applies changed limits. Running calls continue; permits that become available are granted at once. */
  setLimits(limits: PermitLimits): void;
  stats(): PermitStats;
  /** The limit that a call waits for now. */
  explainWait(key: string, maxRunning: number, caller?: PermitCaller): PermitWait;
  /** The number of refused waiters: at the limit of a caller, or of all callers. */
  readonly refusals: { readonly caller: number; readonly total: number };
}

export interface AcquireOptions {
  readonly signal?: AbortSignal;
  /** All calls without a caller count as calls of one caller. */
  readonly caller?: PermitCaller;
}

/** The sum of two stats that have no key in common. */
export function joinStats(one: PermitStats, other: PermitStats): PermitStats {
  return {
    running: one.running + other.running,
    queued: one.queued + other.queued,
    byKey: new Map([...one.byKey, ...other.byKey]),
    unanswered: (one.unanswered ?? 0) + (other.unanswered ?? 0) || undefined,
  };
}

/**
 * Releases the permit of a call that was cancelled or timed out when its server has answered after all or can no longer work on it,
 * at the latest after `graceMs`.
 */
export function releaseWhenAnswered(permit: Permit, { end, forget }: UnansweredRequest, graceMs: number): void {
  permit.setUnanswered();
  const release = () => {
    clearTimeout(timer);
    forget?.();
    permit[Symbol.dispose]();
  };
  const timer = setTimeout(release, graceMs).unref();
  void end.then(release, release);
}

/** Tools that call others have only their own limits: their number is limited by the permits of the tools they call. */
export function composedLimits({ maxQueued }: Pick<PermitLimits, 'maxQueued'>): PermitLimits {
  return { maxConcurrent: Number.MAX_SAFE_INTEGER, maxQueued };
}

const keys = new WeakMap<CatalogEntry, string>();

/** The key of the permits of a tool: its id as text, which is built once. */
export function permitKeyOf(tool: CatalogEntry): string {
  const known = keys.get(tool);
  if (known !== undefined) return known;
  const key = toolKey(toolIdOf(tool));
  keys.set(tool, key);
  return key;
}
