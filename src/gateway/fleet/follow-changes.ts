import type { Fleet } from '../../fleet/fleet.ts';
import type { InternalToolbox } from '../../toolbox.ts';
import type { OpenRequests } from '../auth/open-requests.ts';
import type { createEndedSessions } from './ended-sessions.ts';

export interface FollowChangesPorts {
  readonly fleet: Fleet;
  readonly toolbox: Pick<InternalToolbox, 'reloadPins' | 'servers'>;
  readonly ended: Pick<ReturnType<typeof createEndedSessions>, 'load'>;
  readonly openRequests: Pick<OpenRequests, 'recheck'>;
}

/** Applies changes of other replicas: keys, ended sessions, accepted definitions and sign-ins to servers. */
export function followChanges({ fleet, toolbox, ended, openRequests }: FollowChangesPorts): void {
  fleet.onChange('api_keys', openRequests.recheck);
  fleet.onChange('pins', toolbox.reloadPins);
  fleet.onChange('oauth_records', toolbox.servers.retrySignIns);
  fleet.onChange('ended_sessions', async () => {
    await ended.load();
    await openRequests.recheck();
  });
}
