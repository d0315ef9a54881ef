import type { Clock } from '../kernel/clock.ts';
import type { RequestObserver } from './exchange.ts';

export interface IdleSleepOptions {
  readonly clock: Clock;
  readonly idleAfterMs: number;
  /** How long a request that was cancelled counts as a use if the server does not answer it. */
  readonly graceMs: number;
  /** Whether the open session has work that `hold` does not know, such as a question of the server. */
  readonly isBusy: () => boolean;
  readonly sleep: () => void;
}

/** Lets a lazy server sleep when nothing has used it for a while. */
export interface IdleSleep {
  /** A session is open until the signal aborts. */
  watch(signal: AbortSignal): void;
  /** The server stays awake until the returned function is called. */
  hold(): () => void;
  /** The server stays awake while the work runs. */
  during<Value>(work: () => Promise<Value>): Promise<Value>;
  /** The observer of a request: after it was cancelled, the server may still be working on it, and stays awake. */
  observe(observer: RequestObserver): RequestObserver;
}

export function createIdleSleep({ clock, idleAfterMs, graceMs, isBusy, sleep }: IdleSleepOptions): IdleSleep {
  let uses = 0;
  let usedAt = 0;

  async function watch(signal: AbortSignal): Promise<void> {
    usedAt = clock.now();
    while (!signal.aborted) {
      const waitMs = usedAt + idleAfterMs - clock.now();
      // Nothing can start to use the session between this check and the end of the session: both are one step.
      if (waitMs <= 0 && uses === 0 && !isBusy()) return sleep();
      await clock.sleep(waitMs > 0 ? waitMs : idleAfterMs, signal).catch(() => {});
    }
  }

  function hold(): () => void {
    let isHeld = true;
    uses++;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      uses--;
      usedAt = clock.now();
    };
  }

  return {
    watch: (signal) => void watch(signal),
    hold,
    async during(work) {
      const release = hold();
      try {
        return await work();
      } finally {
        release();
      }
    },
    observe: (observer) => ({
      onUnanswered(request) {
        const release = hold();
        void Promise.race([request.end, clock.sleep(graceMs)]).then(release, release);
        observer.onUnanswered?.(request);
      },
    }),
  };
}
