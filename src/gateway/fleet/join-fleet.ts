import type { Fleet } from '../../fleet/fleet.ts';
import type { Placements } from '../../fleet/placement/placements.ts';
import { hashOf } from '../../kernel/canonical-json.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Log } from '../../kernel/log.ts';
import { version } from '../../kernel/version.ts';
import type { FleetStore } from '../../storage/ports/fleet-store.ts';
import type { InternalToolbox } from '../../toolbox.ts';
import type { OpenRequests } from '../auth/open-requests.ts';
import { type ResumeScriptsPorts, resumeScripts } from '../scripts/resume-scripts.ts';
import type { createEndedSessions } from './ended-sessions.ts';
import type { ReplicaHealth } from './replica-health.ts';
import { type ResumeCallsPorts, type ResumedCalls, resumeCalls } from './resume-calls.ts';

export type JoinFleetPorts = Omit<DescribeReplicaPorts, 'store' | 'intervalMs'> &
  FollowChangesPorts &
  Omit<ResumeCallsPorts, 'intervalMs'> &
  Omit<ResumeScriptsPorts, 'intervalMs' | 'startWaitMs'>;

export interface JoinedFleet extends Disposable {
  /** Ends a call that waits for approval and that no replica runs. */
  readonly cancelWaiting: ResumedCalls['cancel'];
}

/** How often the load is reported. */
const intervalMs = 2_000;

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

interface DescribeReplicaPorts {
  readonly store: Pick<FleetStore, 'describe'> | undefined;
  readonly fleet: Pick<Fleet, 'appliedRevision'>;
  readonly toolbox: Pick<InternalToolbox, 'config' | 'calls' | 'on'>;
  readonly replica: ReplicaHealth | undefined;
  readonly placements: Pick<Placements, 'owned'> | undefined;
  readonly log: Log;
}

/** Keeps the published facts about this replica up to date. */
function describeReplica(ports: DescribeReplicaPorts): Disposable {
  const { store, fleet, toolbox, replica, placements, log } = ports;
  if (!store) return { [Symbol.dispose]() {} };
  const startedAt = new Date().toISOString();
  let config = hashConfig();
  let reported = '';
  toolbox.on('config.applied', () => {
    config = hashConfig();
    void report();
  });

  /** Equal on replicas with the same configuration. */
  function hashConfig(): string {
    return hashOf(toolbox.config as unknown as JsonObject).slice(0, 12);
  }

  async function report(): Promise<void> {
    const { running, queued } = toolbox.calls.stats();
    const health = replica && { epoch: replica.epoch, permits: replica.permits, problems: [...replica.reasons()] };
    const facts = {
      version,
      startedAt,
      config,
      revision: fleet.appliedRevision,
      running,
      queued,
      servers: placements?.owned() ?? [],
      ...health,
    };
    const text = JSON.stringify(facts);
    if (text === reported) return;
    try {
      await store?.describe(facts);
      reported = text;
    } catch (cause) {
      log.debug('fleet.not-described', `The facts about this replica could not be stored: ${messageOf(cause)}`);
    }
  }

  void report();
  const timer = setInterval(() => void report(), intervalMs).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
