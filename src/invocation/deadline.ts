/** A timeout that can be paused while a person answers. */
export interface Deadline extends Disposable {
  readonly isExpired: boolean;
  /** Pauses the timeout until the returned function is called. Pauses may overlap. */
  pause(): () => void;
}

/** Starts the timeout. Calls `onExpired` once after `ms`, excluding pauses. */
export function createDeadline(ms: number, onExpired: () => void): Deadline {
  let left = ms;
  let startedAt = 0;
  let pauses = 0;
  let timer: NodeJS.Timeout | undefined;
  const deadline = { isExpired: false, pause, [Symbol.dispose]: dispose };

  function run(): void {
    startedAt = performance.now();
    timer = setTimeout(() => {
      timer = undefined;
      deadline.isExpired = true;
      onExpired();
    }, left);
  }

  function pause(): () => void {
    if (pauses++ === 0 && timer) {
      left = Math.max(0, left - (performance.now() - startedAt));
      clearTimeout(timer);
    }
    let isResumed = false;
    return () => {
      if (isResumed) return;
      isResumed = true;
      if (--pauses === 0 && !deadline.isExpired) run();
    };
  }

  function dispose(): void {
    // A late resume must not restart a disposed deadline.
    pauses = Number.POSITIVE_INFINITY;
    clearTimeout(timer);
  }

  run();
  return deadline;
}
