import type { Log } from '../../../toolwharf/kernel/log.ts';
import type { FleetStore } from '../../../toolwharf/storage/ports/fleet-store.ts';
import type { InternalToolbox, InternalToolboxOptions } from '../../../toolwharf/toolbox-types.ts';
import type { RequestResults } from '../http/limits/result-memory.ts';
import type { WaitForContent } from '../mcp/method-ports.ts';
import type { Fleet, ReplicaHealth } from './fleet.ts';

/** What a gateway shares with other replicas on its database. */
export interface Replicas extends Disposable {
  readonly fleet: Fleet;
  /** The limits of all replicas together. */
  readonly limits: InternalToolboxOptions['limits'];
  readonly health: ReplicaHealth;
  readonly placements: ReplicaPlacements;
  /** Keeps the published facts about this replica up to date until disposed. */
  describe(toolbox: Pick<InternalToolbox, 'config' | 'calls' | 'on'>): Disposable;
}

/** The servers of which one replica runs the process. */
export type ReplicaPlacements = NonNullable<InternalToolboxOptions['placements']> & {
  readonly waitForContent: WaitForContent;
  /** The servers that this replica runs. */
  owned(): readonly string[];
  /**
   * Accepts no more calls of other replicas, which wait for the next owner. Finishes those that run, here and for others, and then
   * gives the servers to the other replicas.
   */
  drain(): Promise<void>;
};

export interface ReplicasPorts {
  readonly store: FleetStore;
  readonly log: Log;
  /** Reserves memory for the results that this replica receives for others. */
  readonly openResults: () => RequestResults;
}
