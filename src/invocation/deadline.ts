/** A timeout that can be paused while a person answers. */
export interface Deadline extends Disposable {
  readonly isExpired: boolean;
  /** The limit that applies: `ms`, or `maxMs` after restarts. */
  readonly limitMs: number;
  /** Pauses the timeout until the returned function is called. Pauses may overlap. */
  pause(): () => void;
  /** Starts the timeout again, for a call that reports progress; at most `maxMs` in total. */
  restart(): void;
  /** Ends the time now, even during a pause. */
  expire(): void;
}

/** Starts the timeout. Calls `onExpired` once after `ms`, excluding pauses. */
export function createDeadline(ms: number, onExpired: () => void, maxMs = ms): Deadline {
  let left = ms;
  let leftInAll = Math.max(ms, maxMs);
  let startedAt = 0;
  let pauses = 0;
  let timer: NodeJS.Timeout | undefined;
  const deadline = { isExpired: false, limitMs: ms, pause, restart, expire, [Symbol.dispose]: dispose };

  function run(): void {
    startedAt = performance.now();
    timer = setTimeout(expire, left);
  }

  function expire(): void {
    if (deadline.isExpired || pauses === Number.POSITIVE_INFINITY) return;
    clearTimeout(timer);
    timer = undefined;
    deadline.isExpired = true;
    onExpired();
  }

  /** Stops the timer and subtracts the time it ran. */
  function stop(): void {
    clearTimeout(timer);
    const ran = performance.now() - startedAt;
    left = Math.max(0, left - ran);
    leftInAll = Math.max(0, leftInAll - ran);
  }

  function pause(): () => void {
    if (pauses++ === 0 && timer) stop();
    let isResumed = false;
    return () => {
      if (isResumed) return;
      isResumed = true;
      if (--pauses === 0 && !deadline.isExpired) run();
    };
  }

  function restart(): void {
    if (deadline.isExpired || maxMs <= ms) return;
    const isRunning = pauses === 0;
    if (isRunning) stop();
    left = Math.min(ms, leftInAll);
    if (left < ms) deadline.limitMs = maxMs;
    if (isRunning) run();
  }

  function dispose(): void {
    // A late resume must not restart a disposed deadline.
    pauses = Number.POSITIVE_INFINITY;
    clearTimeout(timer);
  }

  run();
  return deadline;
}
