import { type DescribeReplicaPorts, describeReplica } from './describe-replica.ts';
import { type FollowChangesPorts, followChanges } from './follow-changes.ts';
import { type ResumeCallsPorts, resumeCalls } from './resume-calls.ts';

export type JoinFleetPorts = Omit<DescribeReplicaPorts, 'store' | 'intervalMs'> &
  FollowChangesPorts &
  Omit<ResumeCallsPorts, 'intervalMs'>;

/** Makes the gateway a replica: it publishes its facts, applies changes of other replicas and continues calls of lost ones. */
export function joinFleet(ports: JoinFleetPorts): Disposable {
  const parts = new DisposableStack();
  parts.use(describeReplica({ ...ports, store: ports.storage.fleet }));
  parts.use(resumeCalls(ports));
  followChanges(ports);
  return parts;
}
