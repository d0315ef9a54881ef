/** Reads the time that has passed, in milliseconds. */
export type Stopwatch = () => number;

export interface StopwatchClocks {
  /** Never set back or forward, but may stand still while the machine sleeps. */
  readonly monotonic: () => number;
  readonly wall: () => number;
}

const systemClocks: StopwatchClocks = { monotonic: () => performance.now(), wall: () => Date.now() };

/**
 * Measures time that must not be underestimated, such as the age of a lease: the monotonic clock counts, and the wall clock if
 * more time has passed there. A wall clock that is set back has no effect.
 */
export function startStopwatch({ monotonic, wall }: StopwatchClocks = systemClocks): Stopwatch {
  const monotonicStart = monotonic();
  const wallStart = wall();
  return () => Math.max(monotonic() - monotonicStart, wall() - wallStart);
}
