import type { Fleet } from '../../fleet/fleet.ts';
import type { Placements } from '../../fleet/placement/placements.ts';
import { hashOf } from '../../kernel/canonical-json.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Log } from '../../kernel/log.ts';
import { version } from '../../kernel/version.ts';
import type { FleetStore } from '../../storage/ports/fleet-store.ts';
import type { InternalToolbox } from '../../toolbox.ts';
import type { ReplicaHealth } from './replica-health.ts';

export interface DescribeReplicaPorts {
  readonly store: Pick<FleetStore, 'describe'> | undefined;
  readonly fleet: Pick<Fleet, 'appliedRevision'>;
  readonly toolbox: Pick<InternalToolbox, 'config' | 'calls' | 'on'>;
  readonly replica: ReplicaHealth | undefined;
  readonly placements: Pick<Placements, 'owned'> | undefined;
  readonly log: Log;
}

/** How often the load is reported. */
const intervalMs = 2_000;

/** Keeps the published facts about this replica up to date. */
export function describeReplica(ports: DescribeReplicaPorts): Disposable {
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
