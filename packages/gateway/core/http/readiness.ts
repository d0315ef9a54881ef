import { takesCalls } from '../../../contract/connections.ts';
import { waitAtMost } from '../../../toolwharf/kernel/wait.ts';
import type { MetaStore } from '../../../toolwharf/storage/storage.ts';
import type { InternalToolbox } from '../../../toolwharf/toolbox.ts';
import type { ReplicaHealth } from '../replicas/fleet.ts';

/** Whether the gateway is ready for requests, and every reason why not. */
export interface Readiness {
  readonly ready: boolean;
  /** For people who may know the names of servers. */
  readonly reasons: readonly string[];
  /** For everybody: they contain no names. */
  readonly codes: readonly ReadinessCode[];
}

export type ReadinessCode = 'stopping' | 'store-not-writable' | 'replica-not-ready' | 'required-server-not-connected';

export interface ReadinessOptions {
  readonly toolbox: { readonly servers: Pick<InternalToolbox['servers'], 'list'> };
  readonly meta: MetaStore;
  readonly stopping: AbortSignal;
  /** Undefined if no other process can use the database. */
  readonly replica?: ReplicaHealth;
  /** How long a successful test write counts as proof; 5 000. */
  readonly storeMs?: number;
  /** How long an answer waits for the test write; 1 000. */
  readonly storeWaitMs?: number;
  /** Milliseconds of a clock that is never set. */
  readonly now?: () => number;
}

/**
 * Ready means: not stopping, the store accepts writes, calls can be made, and every required server is connected. Answers in time
 * even if the store does not.
 */
export function createReadiness(options: ReadinessOptions): () => Promise<Readiness> {
  const { toolbox, meta, stopping, replica, storeMs = 5_000, storeWaitMs = 1_000 } = options;
  const { now = () => performance.now() } = options;
  let written = Number.NEGATIVE_INFINITY;
  let writing: Promise<void> | undefined;

  /** Probes that arrive during a test write wait for the same one: a store that does not answer gets no second. */
  async function isWritable(): Promise<boolean> {
    if (now() - written < storeMs) return true;
    const startedAt = now();
    writing ??= meta
      .set('readiness', new Date().toISOString())
      .then(() => {
        written = startedAt;
      })
      .catch(() => {})
      .finally(() => {
        writing = undefined;
      });
    await waitAtMost(writing, storeWaitMs);
    return now() - written < storeMs;
  }

  return async () => {
    const missing = toolbox.servers
      .list()
      .filter(({ enabled, required }) => enabled && required)
      .filter(({ status }) => !takesCalls(status.state));
    const found: Readonly<Record<ReadinessCode, readonly string[]>> = {
      stopping: stopping.aborted ? ['The gateway is stopping'] : [],
      'store-not-writable': (await isWritable()) ? [] : ['The store cannot be written'],
      'replica-not-ready': replica?.reasons() ?? [],
      'required-server-not-connected': missing.map(
        ({ name, status }) => `Required server '${name}' is ${status.state}`,
      ),
    };
    const reasons = Object.values(found).flat();
    const codes = (Object.keys(found) as ReadinessCode[]).filter((code) => found[code].length > 0);
    return { ready: reasons.length === 0, reasons, codes };
  };
}
