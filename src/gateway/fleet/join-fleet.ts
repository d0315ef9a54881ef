import type { Fleet } from '../../fleet/fleet.ts';
import type { InternalToolbox } from '../../toolbox.ts';
import type { OpenRequests } from '../auth/open-requests.ts';
import { type ResumeScriptsPorts, resumeScripts } from '../scripts/resume-scripts.ts';
import { type DescribeReplicaPorts, describeReplica } from './describe-replica.ts';
import type { createEndedSessions } from './ended-sessions.ts';
import { type ResumeCallsPorts, type ResumedCalls, resumeCalls } from './resume-calls.ts';

export type JoinFleetPorts = Omit<DescribeReplicaPorts, 'store' | 'intervalMs'> &
  FollowChangesPorts &
  Omit<ResumeCallsPorts, 'intervalMs'> &
  Omit<ResumeScriptsPorts, 'intervalMs' | 'startWaitMs'>;

export interface JoinedFleet extends Disposable {
  /** Ends a call that waits for approval and that no replica runs. */
  readonly cancelWaiting: ResumedCalls['cancel'];
}

/** Makes the gateway a replica: it publishes its facts, applies changes of other replicas and continues calls of lost ones. */
export function joinFleet(ports: JoinFleetPorts): JoinedFleet {
  const described = describeReplica({ ...ports, store: ports.storage.fleet });
  const resumed = resumeCalls(ports);
  const scripts = resumeScripts(ports);
  followChanges(ports);
  return {
    cancelWaiting: resumed.cancel,
    [Symbol.dispose]() {
      for (const part of [scripts, resumed, described]) part?.[Symbol.dispose]();
    },
  };
}

interface FollowChangesPorts {
  readonly fleet: Fleet;
  readonly toolbox: Pick<InternalToolbox, 'reloadPins' | 'servers' | 'accounts'>;
  readonly ended: Pick<ReturnType<typeof createEndedSessions>, 'load'>;
  readonly openRequests: Pick<OpenRequests, 'recheck'>;
}

/** Applies changes of other replicas: keys, ended sessions, accepted definitions, sign-ins to servers and accounts. */
function followChanges({ fleet, toolbox, ended, openRequests }: FollowChangesPorts): void {
  fleet.onChange('api_keys', openRequests.recheck);
  fleet.onChange('users', () => openRequests.recheck());
  fleet.onChange('pins', toolbox.reloadPins);
  fleet.onChange('oauth_records', toolbox.servers.retrySignIns);
  fleet.onChange('accounts', toolbox.accounts.reload);
  fleet.onChange('ended_sessions', async () => {
    await ended.load();
    await openRequests.recheck();
  });
}
