/** Measures how long something worked: it stands still while nothing does. */
export interface Stopwatch {
  /** Something begins to work; returns the function that ends it. */
  begin(): () => void;
  readonly elapsedMs: number;
}

export function createStopwatch(now: () => number = () => performance.now()): Stopwatch {
  let working = 0;
  let since = 0;
  let total = 0;
  return {
    begin() {
      if (working++ === 0) since = now();
      let ended = false;
      return () => {
        if (ended) return;
        ended = true;
        if (--working === 0) total += now() - since;
      };
    },
    get elapsedMs() {
      return Math.round(total + (working > 0 ? now() - since : 0));
    },
  };
}
