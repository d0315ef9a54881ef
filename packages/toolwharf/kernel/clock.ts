import { setTimeout as delay } from 'node:timers/promises';

/** Time as a port, so that waiting can be tested. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after `ms`, or rejects with the signal's reason. Never keeps the process alive. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (ms, signal) => {
    try {
      await delay(ms, undefined, { ref: false, signal });
    } catch (cause) {
      throw signal?.aborted ? signal.reason : cause;
    }
  },
};

let lastMs = Number.NaN;
let lastText = '';

/** A time in milliseconds as ISO text. The last one is cached: under load many callers format the same millisecond. */
export function isoTime(milliseconds: number): string {
  if (milliseconds !== lastMs) {
    lastText = new Date(milliseconds).toISOString();
    lastMs = milliseconds;
  }
  return lastText;
}
