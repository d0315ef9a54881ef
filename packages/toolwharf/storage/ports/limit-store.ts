import type { RateLimit } from '../../../contract/settings/config.ts';

/** The units of one limit that a replica keeps. */
export interface HeldUnits {
  readonly pool: string;
  readonly units: number;
  /** The longest time limit of the calls that use the units. */
  readonly maxCallMs: number;
  /** The limit of the pool. */
  readonly limit: number;
}

/** Calls that each need one unit of every pool. */
export interface WantedUnits {
  /** The limit of each pool. */
  readonly pools: Readonly<Record<string, number>>;
  readonly count: number;
  readonly maxCallMs: number;
}

export interface PermitSync {
  readonly epoch: number;
  /** Rises with each request, so that one that is executed late has no effect. */
  readonly seq: number;
  /** Everything that this replica keeps. Other units are returned. */
  readonly held: readonly HeldUnits[];
  readonly wanted: readonly WantedUnits[];
}

export interface SyncedPermits {
  /** The new units by pool. */
  readonly granted: Readonly<Record<string, number>>;
  /** The wanted pools of which no more units are left for this replica. */
  readonly lacking: readonly string[];
  /** How many other replicas wait for units of a pool that this replica has. */
  readonly waiters: Readonly<Record<string, number>>;
  /** How many units this replica may use of pools whose limit was lowered, and is exceeded by what replicas have. */
  readonly maxUnits: Readonly<Record<string, number>>;
  /** Whether this replica began to wait for a pool. */
  readonly isNewWaiter: boolean;
}

/** Limits that all replicas share. */
export interface LimitStore {
  /** Returns units and leases others, atomically. Undefined if the lease of the epoch is gone. */
  syncPermits(request: PermitSync): Promise<SyncedPermits | undefined>;
  /** Returns the units of a lost lease, except those of calls that still run. */
  keepLostPermits(epoch: number, held: Readonly<Record<string, number>>): Promise<void>;
  /** Accepts a call and returns 0, or the milliseconds until one can be accepted. */
  takeRate(server: string, limit: RateLimit): Promise<number>;
  /** Counts a failed sign-in in the current period of the key. */
  countFailure(key: string, periodMs: number): Promise<{ readonly failures: number; readonly leftMs: number }>;
}
