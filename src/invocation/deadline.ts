/** A time limit that can stand still: while a person is asked, the tool's clock does not run. */
export interface Deadline extends Disposable {
  /** Aborts with a `TimeoutError` when the time is used up, and with the outer signal's reason when that aborts. */
  readonly signal: AbortSignal;
  /** The time was used up. */
  isOver(): boolean;
  /** Stops the clock until the returned function is called; pauses may overlap. */
  pause(): () => void;
}

/** `outer` ends it too: one signal that follows another is much cheaper than one made of two. */
export function createDeadline(ms: number, outer?: AbortSignal): Deadline {
  const controller = new AbortController();
  let left = ms;
  let started = performance.now();
  let pauses = 0;
  let isOver = false;
  let timer: NodeJS.Timeout | undefined = start();
  const follow = () => controller.abort(outer?.reason);
  if (outer?.aborted) follow();
  else outer?.addEventListener('abort', follow);

  function start(): NodeJS.Timeout {
    started = performance.now();
    return setTimeout(() => {
      isOver = !controller.signal.aborted;
      controller.abort(new DOMException('The time is used up', 'TimeoutError'));
    }, left);
  }

  function stop(): void {
    clearTimeout(timer);
    timer = undefined;
  }

  return {
    signal: controller.signal,
    isOver: () => isOver,
    pause() {
      if (pauses++ === 0 && timer) {
        left = Math.max(0, left - (performance.now() - started));
        stop();
      }
      let resumed = false;
      return () => {
        if (resumed) return;
        resumed = true;
        if (--pauses === 0 && !controller.signal.aborted) timer = start();
      };
    },
    [Symbol.dispose]() {
      // A disposed deadline must not be started again by a late resume.
      pauses = Number.POSITIVE_INFINITY;
      stop();
      outer?.removeEventListener('abort', follow);
    },
  };
}
