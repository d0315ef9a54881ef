import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** `high`: large requests are rejected. `critical`: all requests except probes are rejected. */
export type Pressure = 'normal' | 'high' | 'critical';

/** How close the process is to the end of its heap. */
export interface HeapPressure {
  /** Cheap: the heap is measured at most every 50 ms. */
  level(): Pressure;
  /** The used fraction of the heap at the last measurement. */
  readonly fraction: number;
  readonly limitBytes: number;
}

export interface HeapPressureOptions {
  /** The used bytes and the limit of the heap. */
  readonly measure?: () => { readonly used: number; readonly limit: number };
  /** Frees unused memory. */
  readonly collect?: () => void;
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
}

const highFraction = 0.75;
const criticalFraction = 0.88;
const measureEveryMs = 50;
const collectEveryMs = 2_000;

export function createHeapPressure(options: HeapPressureOptions = {}): HeapPressure {
  const { measure = measureHeap, collect = collectGarbage, now = () => performance.now() } = options;
  let measuredAt = Number.NEGATIVE_INFINITY;
  let collectedAt = Number.NEGATIVE_INFINITY;
  let fraction = 0;

  function update(): void {
    const { used, limit } = measure();
    fraction = used / limit;
    measuredAt = now();
  }

  return {
    limitBytes: measure().limit,
    level() {
      if (now() - measuredAt >= measureEveryMs) update();
      // The measurement includes garbage, and a gateway that rejects everything allocates too little to trigger a collection.
      if (fraction >= highFraction && now() - collectedAt >= collectEveryMs) {
        collect();
        collectedAt = now();
        update();
      }
      if (fraction >= criticalFraction) return 'critical';
      return fraction >= highFraction ? 'high' : 'normal';
    },
    get fraction() {
      return fraction;
    },
  };
}

function measureHeap(): { used: number; limit: number } {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  return { used, limit };
}

let gc: (() => void) | undefined;

function collectGarbage(): void {
  if (!gc) {
    setFlagsFromString('--expose-gc');
    gc = runInNewContext('gc') as () => void;
    setFlagsFromString('--no-expose-gc');
  }
  gc();
}
