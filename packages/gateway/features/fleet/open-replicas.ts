import type { Replicas, ReplicasPorts } from '../../core/replicas/replicas.ts';
import { describeReplica } from './describe-replica.ts';
import { openFleet } from './fleet.ts';
import { createPlacements } from './placed/placements.ts';
import { createSharedLimits } from './postgres/shared-limits.ts';
import { createReplicaHealth } from './replica-health.ts';

/** Makes the gateway a replica: it shares limits, servers and changes with the others on its database. */
export async function openReplicas({ store, log, openResults }: ReplicasPorts): Promise<Replicas> {
  const fleet = await openFleet({ store, log });
  const limits = createSharedLimits({ store, fleet, log });
  const health = createReplicaHealth(store.lease, limits);
  const placements = createPlacements({ store, fleet, log, openResults });
  return {
    ...{ fleet, limits, health, placements },
    describe: (toolbox) => describeReplica({ store, fleet, replica: health, placements, toolbox, log }),
    [Symbol.dispose]() {
      placements[Symbol.dispose]();
      limits[Symbol.dispose]();
    },
  };
}
