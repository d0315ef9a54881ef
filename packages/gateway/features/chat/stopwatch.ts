/** Measures the time during which at least one task runs. */
export interface Stopwatch {
  /** Starts a task; returns the function that ends it. */
  start(): () => void;
  readonly elapsedMs: number;
}

export function createStopwatch(now: () => number = () => performance.now()): Stopwatch {
  let running = 0;
  let since = 0;
  let total = 0;
  return {
    start() {
      if (running++ === 0) since = now();
      let ended = false;
      return () => {
        if (ended) return;
        ended = true;
        if (--running === 0) total += now() - since;
      };
    },
    get elapsedMs() {
      return Math.round(total + (running > 0 ? now() - since : 0));
    },
  };
}
