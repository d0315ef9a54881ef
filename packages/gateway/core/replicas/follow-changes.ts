import type { InternalToolbox } from '../../../toolwharf/toolbox.ts';
import type { createEndedSessions } from '../auth/ended-sessions.ts';
import type { OpenRequests } from '../auth/open-requests.ts';
import type { Fleet } from './fleet.ts';

export interface FollowChangesPorts {
  readonly fleet: Fleet;
  readonly toolbox: Pick<InternalToolbox, 'reloadPins' | 'servers' | 'accounts'>;
  readonly ended: Pick<ReturnType<typeof createEndedSessions>, 'load'>;
  readonly openRequests: Pick<OpenRequests, 'recheck'>;
}

/** Applies changes of other replicas: keys, ended sessions, accepted definitions, sign-ins to servers and accounts. */
export function followChanges({ fleet, toolbox, ended, openRequests }: FollowChangesPorts): void {
  fleet.onChange('api_keys', openRequests.recheck);
  fleet.onChange('users', () => openRequests.recheck());
  fleet.onChange('roles', () => openRequests.recheck());
  fleet.onChange('pins', toolbox.reloadPins);
  fleet.onChange('oauth_records', toolbox.servers.retrySignIns);
  fleet.onChange('accounts', toolbox.accounts.reload);
  fleet.onChange('ended_sessions', async () => {
    await ended.load();
    await openRequests.recheck();
  });
}
