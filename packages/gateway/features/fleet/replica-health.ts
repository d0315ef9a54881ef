import type { ReplicaLease } from '../../../toolwharf/storage/ports/replica-lease.ts';
import type { ReplicaHealth } from '../../core/replicas/fleet.ts';
import type { SharedLimits } from './postgres/shared-limits.ts';

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
