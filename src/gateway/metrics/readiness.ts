import type { MetaStore } from '../../storage/storage.ts';
import type { InternalToolbox } from '../../toolbox.ts';
import type { ReplicaHealth } from '../fleet/replica-health.ts';

/** Whether the gateway is ready for requests, and every reason why not. */
export interface Readiness {
  readonly ready: boolean;
  readonly reasons: readonly string[];
}

export interface ReadinessOptions {
  readonly toolbox: { readonly servers: Pick<InternalToolbox['servers'], 'list'> };
  readonly meta: MetaStore;
  readonly stopping: AbortSignal;
  /** Undefined if no other process can use the database. */
  readonly replica?: ReplicaHealth;
  /** How long a successful test write counts as proof; 5 000. */
  readonly storeMs?: number;
  readonly now?: () => number;
}

/** Ready means: not stopping, the store accepts writes, calls can be made, and every required server is connected. */
export function createReadiness(options: ReadinessOptions): () => Promise<Readiness> {
  const { toolbox, meta, stopping, replica, storeMs = 5_000, now = Date.now } = options;
  let written = Number.NEGATIVE_INFINITY;

  async function isWritable(): Promise<boolean> {
    if (now() - written < storeMs) return true;
    try {
      await meta.set('readiness', new Date(now()).toISOString());
      written = now();
      return true;
    } catch {
      return false;
    }
  }

  return async () => {
    const missing = toolbox.servers
      .list()
      .filter(({ enabled, required }) => enabled && required)
      .filter(({ status }) => status.state !== 'connected' && status.state !== 'degraded');
    const reasons = [
      ...(stopping.aborted ? ['The gateway is stopping'] : []),
      ...((await isWritable()) ? [] : ['The store cannot be written']),
      ...(replica?.reasons() ?? []),
      ...missing.map(({ name, status }) => `Required server '${name}' is ${status.state}`),
    ];
    return { ready: reasons.length === 0, reasons };
  };
}
