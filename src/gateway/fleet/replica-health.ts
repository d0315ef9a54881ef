import type { SharedLimits } from '../../fleet/postgres/shared-limits.ts';
import type { ReplicaLease } from '../../storage/ports/replica-lease.ts';

/** Whether this replica can make calls. */
export interface ReplicaHealth {
  /** Why calls are refused; empty if they are not. */
  reasons(): readonly string[];
  readonly epoch: number;
  /** The permits that this replica has leased, for all calls. */
  readonly permits: number;
}

export function createReplicaHealth(
  lease: ReplicaLease,
  limits: Pick<SharedLimits, 'failure' | 'held'> | undefined,
): ReplicaHealth {
  return {
    reasons: () => [
      ...(lease.isHeld(lease.epoch) ? [] : ['The lease of this replica has expired']),
      ...(limits?.failure === undefined ? [] : ['No permits can be leased from the database']),
    ],
    get epoch() {
      return lease.epoch;
    },
    get permits() {
      return limits?.held.get('all') ?? 0;
    },
  };
}
