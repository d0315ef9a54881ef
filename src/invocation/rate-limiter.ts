import type { RateLimit } from '../config/config.ts';
import type { Clock } from '../kernel/clock.ts';

export type RateAnswer =
  | { readonly ok: true }
  /** There is room after this long, if nobody else comes first. */
  | { readonly ok: false; readonly retryAfterMs: number };

/** Counts calls per key. Whatever the times, no stretch of `perMs` holds more than `calls` that were let through. */
export interface RateLimiter {
  take(key: string, limit: RateLimit): RateAnswer;
  /** Keys that are remembered: those let through within their window, and few others. */
  readonly size: number;
}

/** Times from `head` on are inside the window, oldest first. */
interface Window {
  times: number[];
  head: number;
  perMs: number;
  endsAt: number;
}

/** Keeps the time of each call in the window: at most about twice `calls` numbers for each key that was used within it. */
export function createRateLimiter({ clock }: { readonly clock: Pick<Clock, 'now'> }): RateLimiter {
  const windows = new Map<string, Window>();

  function take(key: string, { calls, perMs }: RateLimit): RateAnswer {
    const now = clock.now();
    forgetEnded(now);
    const window = windows.get(key) ?? { times: [], head: 0, perMs, endsAt: 0 };
    dropLeft(window, now, perMs);
    const used = window.times.length - window.head;
    if (used >= calls) {
      const blocking = window.times[window.times.length - calls] ?? now;
      return { ok: false, retryAfterMs: blocking + perMs - now };
    }
    window.times.push(now);
    window.perMs = perMs;
    window.endsAt = now + perMs;
    windows.set(key, window);
    return { ok: true };
  }

  // Two of them on each call, in turns: all are looked at before their number can double.
  function forgetEnded(now: number): void {
    let looks = 2;
    for (const [key, window] of windows) {
      if (looks-- === 0) return;
      windows.delete(key);
      window.endsAt = Math.min(window.endsAt, now + window.perMs);
      if (window.endsAt > now) windows.set(key, window);
    }
  }

  return {
    take,
    get size() {
      return windows.size;
    },
  };
}

function dropLeft(window: Window, now: number, perMs: number): void {
  const latest = window.times.at(-1) ?? now;
  // The clock was set back: what seems to lie ahead counts as happening now, or the key could stay shut for as long as the jump.
  if (latest > now) window.times = window.times.map((time) => Math.min(time, now));
  while ((window.times[window.head] ?? Number.POSITIVE_INFINITY) <= now - perMs) window.head++;
  if (window.head > 32 && window.head * 2 > window.times.length) {
    window.times = window.times.slice(window.head);
    window.head = 0;
  }
}
