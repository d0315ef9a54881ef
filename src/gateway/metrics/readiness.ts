import type { MetaStore } from '../../storage/ports/meta-store.ts';
import type { Toolbox } from '../../toolbox.ts';

/** Whether requests should be sent here, and everything that speaks against it. */
export interface Readiness {
  readonly ready: boolean;
  readonly reasons: readonly string[];
}

export interface ReadinessOptions {
  readonly toolbox: Pick<Toolbox, 'servers'>;
  readonly meta: MetaStore;
  readonly stopping: AbortSignal;
  /** How long a write to the store is believed; 5 000. */
  readonly storeMs?: number;
  readonly now?: () => number;
}

export function createReadiness(options: ReadinessOptions): () => Promise<Readiness> {
  const { toolbox, meta, stopping, storeMs = 5_000, now = Date.now } = options;
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
    const missing = toolbox
      .servers()
      .filter(({ enabled, required }) => enabled && required)
      .filter(({ status }) => status.state !== 'connected' && status.state !== 'degraded');
    const reasons = [
      ...(stopping.aborted ? ['The gateway is stopping'] : []),
      ...((await isWritable()) ? [] : ['The store can not be written']),
      ...missing.map(({ name, status }) => `Required server '${name}' is ${status.state}`),
    ];
    return { ready: reasons.length === 0, reasons };
  };
}
