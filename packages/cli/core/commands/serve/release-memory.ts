import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { InternalToolbox } from '../../../../toolwharf/toolbox.ts';

export interface ReleaseMemoryOptions {
  readonly toolbox: Pick<InternalToolbox, 'on'> & { readonly calls: Pick<InternalToolbox['calls'], 'stats'> };
  /** The idle time after the start before memory is released; default 2 000. */
  readonly startMs?: number;
  /** The idle time later on; default ten minutes, since the collection also discards compiled code. */
  readonly idleMs?: number;
  /** The size of the heap. */
  readonly heapBytes?: () => number;
  /** The fraction of the time since the last call in which the main thread was busy. */
  readonly utilization?: () => number;
  /** Releases the memory; default: a last-resort garbage collection. */
  readonly collect?: () => void;
}

/**
 * Returns unused heap to the system while the gateway is idle. V8 keeps the heap it grew for startup or a burst of calls
 * until there is new work; an idle gateway can afford the pause of a full collection.
 */
export function releaseMemory(options: ReleaseMemoryOptions): Disposable {
  const { toolbox, startMs = 2_000, idleMs = 600_000, heapBytes = totalHeapBytes, collect = collectAll } = options;
  const { utilization = createUtilization() } = options;
  let lastBusy = performance.now();
  let isReleased = false;
  let requiredIdleMs = startMs;
  let bytesAfterRelease = 0;
  const markBusy = () => {
    lastBusy = performance.now();
    isReleased = false;
  };
  const unsubscribers = (['call.changed', 'server.changed', 'catalog.changed'] as const).map((name) =>
    toolbox.on(name, markBusy),
  );
  const timer = setInterval(() => {
    // Work without events, such as reading a long list of tools.
    if (utilization() > maxUtilization) markBusy();
    if (isReleased || performance.now() - lastBusy < requiredIdleMs) return;
    const bytes = heapBytes();
    if (toolbox.calls.stats().running > 0 || bytes < bytesAfterRelease * minGrowth || bytes > maxHeapBytes) return;
    collect();
    bytesAfterRelease = heapBytes();
    requiredIdleMs = idleMs;
    isReleased = true;
  }, Math.min(startMs, idleMs) / 4).unref();
  return {
    [Symbol.dispose]() {
      clearInterval(timer);
      for (const unsubscribe of unsubscribers) unsubscribe();
    },
  };
}

/** A heap that has grown less since the last release is not worth the pause. */
const minGrowth = 1.5;

/** The pause of a full collection grows with the heap: a larger one is left to V8, which collects in small steps. */
const maxHeapBytes = 160 * 1024 * 1024;

const maxUtilization = 0.2;

const totalHeapBytes = () => process.memoryUsage().heapTotal;

function createUtilization(): () => number {
  let before = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    return utilization;
  };
}

function collectAll(): void {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('globalThis.gc') as ((options: object) => void) | undefined;
  gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
