/** A timeout that can be paused while a person answers. */
export interface Deadline extends Disposable {
  readonly isExpired: boolean;
  /** The limit that applies: `ms`, or `maxMs` after restarts. */
  readonly limitMs: number;
  /** How long it has run, without pauses. */
  readonly ranMs: number;
  /** Pauses the timeout until the returned function is called. Pauses may overlap. */
  pause(): () => void;
  /** Starts the timeout again, for a call that reports progress; at most `maxMs` in total. */
  restart(): void;
  /** Ends the time now, even during a pause. */
  expire(): void;
}

/** Starts the timeout. Calls `onExpired` once after `ms`, excluding pauses. */
export function createDeadline(ms: number, onExpired: () => void, maxMs = ms): Deadline {
  return new PausableDeadline(ms, onExpired, maxMs);
}

/** A class, because every call has one: methods on a prototype cost nothing per call. */
class PausableDeadline implements Deadline {
  isExpired = false;
  limitMs: number;
  readonly #ms: number;
  readonly #maxMs: number;
  readonly #onExpired: () => void;
  #left: number;
  #leftInAll: number;
  #startedAt = 0;
  #ranMs = 0;
  #pauses = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number, onExpired: () => void, maxMs: number) {
    this.limitMs = ms;
    this.#ms = ms;
    this.#maxMs = maxMs;
    this.#onExpired = onExpired;
    this.#left = ms;
    this.#leftInAll = Math.max(ms, maxMs);
    this.#run();
  }

  get ranMs(): number {
    return this.#pauses === 0 ? this.#ranMs + performance.now() - this.#startedAt : this.#ranMs;
  }

  expire(): void {
    if (this.isExpired || this.#pauses === Number.POSITIVE_INFINITY) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.isExpired = true;
    this.#onExpired();
  }

  pause(): () => void {
    if (this.#pauses++ === 0 && this.#timer) this.#stop();
    let isResumed = false;
    return () => {
      if (isResumed) return;
      isResumed = true;
      if (--this.#pauses === 0 && !this.isExpired) this.#run();
    };
  }

  restart(): void {
    if (this.isExpired || this.#maxMs <= this.#ms) return;
    const isRunning = this.#pauses === 0;
    if (isRunning) this.#stop();
    this.#left = Math.min(this.#ms, this.#leftInAll);
    if (this.#left < this.#ms) this.limitMs = this.#maxMs;
    if (isRunning) this.#run();
  }

  [Symbol.dispose](): void {
    // A late resume must not restart a disposed deadline.
    this.#pauses = Number.POSITIVE_INFINITY;
    clearTimeout(this.#timer);
  }

  #run(): void {
    this.#startedAt = performance.now();
    this.#timer = setTimeout(expire, this.#left, this);
  }

  /** Stops the timer and subtracts the time it ran. */
  #stop(): void {
    clearTimeout(this.#timer);
    const ran = performance.now() - this.#startedAt;
    this.#ranMs += ran;
    this.#left = Math.max(0, this.#left - ran);
    this.#leftInAll = Math.max(0, this.#leftInAll - ran);
  }
}

function expire(deadline: Deadline): void {
  deadline.expire();
}
