import type { Fleet } from '../../fleet/fleet.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import type { InternalToolbox } from '../../toolbox.ts';
import type { OpenRequests } from '../auth/open-requests.ts';
import type { createEndedSessions } from './ended-sessions.ts';

export interface FollowChangesPorts {
  readonly fleet: Fleet;
  readonly toolbox: Pick<InternalToolbox, 'reloadPins' | 'servers'>;
  readonly ended: Pick<ReturnType<typeof createEndedSessions>, 'load'>;
  readonly openRequests: Pick<OpenRequests, 'recheck'>;
  readonly log: Log;
}

/** Applies what other replicas change: keys, ended sessions, accepted definitions and sign-ins to servers. */
export function followChanges({ fleet, toolbox, ended, openRequests, log }: FollowChangesPorts): void {
  const react = (work: () => Promise<void>) => () => {
    work().catch((cause) => log.error('fleet.change-missed', `A change was not applied: ${messageOf(cause)}`));
  };
  fleet.onChange('api_keys', react(openRequests.recheck));
  fleet.onChange('pins', react(toolbox.reloadPins));
  fleet.onChange('oauth_records', react(toolbox.servers.retrySignIns));
  fleet.onChange(
    'ended_sessions',
    react(async () => {
      await ended.load();
      await openRequests.recheck();
    }),
  );
}
