import { messageOf } from '../../../contract/errors.ts';
import type { JsonObject } from '../../../contract/json.ts';
import { hashOf } from '../../../toolwharf/kernel/canonical-json.ts';
import type { Log } from '../../../toolwharf/kernel/log.ts';
import { version } from '../../../toolwharf/kernel/version.ts';
import type { FleetStore } from '../../../toolwharf/storage/ports/fleet-store.ts';
import type { InternalToolbox } from '../../../toolwharf/toolbox.ts';
import type { Fleet, ReplicaHealth } from '../../core/replicas/fleet.ts';
import type { Placements } from './placed/placements.ts';

/** How often the load is reported. */
const intervalMs = 2_000;

export interface DescribeReplicaPorts {
  readonly store: Pick<FleetStore, 'describe'>;
  readonly fleet: Pick<Fleet, 'appliedRevision'>;
  readonly toolbox: Pick<InternalToolbox, 'config' | 'calls' | 'on'>;
  readonly replica: ReplicaHealth;
  readonly placements: Pick<Placements, 'owned'>;
  readonly log: Log;
}

/** Keeps the published facts about this replica up to date. */
export function describeReplica(ports: DescribeReplicaPorts): Disposable {
  const { store, fleet, toolbox, replica, placements, log } = ports;
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
    const health = { epoch: replica.epoch, permits: replica.permits, problems: [...replica.reasons()] };
    const facts = {
      version,
      startedAt,
      config,
      revision: fleet.appliedRevision,
      running,
      queued,
      servers: placements.owned(),
      ...health,
    };
    const text = JSON.stringify(facts);
    if (text === reported) return;
    try {
      await store.describe(facts);
      reported = text;
    } catch (cause) {
      log.debug('fleet.not-described', `The facts about this replica could not be stored: ${messageOf(cause)}`);
    }
  }

  void report();
  const timer = setInterval(() => void report(), intervalMs).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
