import type { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';

/** Limits how fast unsolicited messages are read from one server. */
export interface NotificationThrottle {
  /** Counts one unsolicited message. */
  count(): void;
  /** True when the server is over its limit and reading should pause. */
  isExceeded(): boolean;
  /** Resolves when more may be read. */
  wait(): Promise<void>;
}

export interface NotificationThrottleOptions {
  /** Unsolicited messages that are read without a pause; 250. */
  readonly burst?: number;
  /** Sustained rate; 5 000. */
  readonly perSecond?: number;
}

/** How many bytes are read between two checks of the throttle. */
export const pieceBytes = 4_096;
/** How long reading pauses while the throttle is exceeded. */
export const pauseMs = 10;

/** A flood of notifications slows down the server that sends it, not the others. Replies are never throttled. */
export function createNotificationThrottle(options: NotificationThrottleOptions = {}): NotificationThrottle {
  const { burst = 250, perSecond = 5_000 } = options;
  let allowance = burst;
  let countedAt = performance.now();

  function isExceeded(): boolean {
    if (allowance > 0) return false;
    const now = performance.now();
    allowance = Math.min(burst, allowance + ((now - countedAt) * perSecond) / 1_000);
    countedAt = now;
    return allowance <= 0;
  }

  return {
    count() {
      allowance--;
    },
    isExceeded,
    async wait() {
      while (isExceeded()) await wait(pauseMs, undefined, { ref: false });
    },
  };
}

/** Pushes the bytes of a stream as they arrive, and pauses the stream while the throttle is exceeded. */
export function readThrottled(stream: Readable, push: (piece: Buffer) => void, throttle: NotificationThrottle): void {
  /** False when it paused the stream, which resumes automatically. */
  function feed(chunk: Buffer): boolean {
    for (let at = 0; at < chunk.length; at += pieceBytes) {
      push(chunk.subarray(at, at + pieceBytes));
      if (!throttle.isExceeded()) continue;
      stream.pause();
      const rest = chunk.subarray(at + pieceBytes);
      setTimeout(() => feed(rest) && stream.resume(), pauseMs).unref();
      return false;
    }
    return true;
  }

  stream.on('data', feed);
}
