import type { RateLimit } from '../../contract/settings/config.ts';
import type { RateAnswer, Rates } from '../invocation/rates.ts';
import type { Clock } from '../kernel/clock.ts';

/** The rates of one process. */
export interface RateLimiter extends Rates {
  take(key: string, limit: RateLimit): RateAnswer;
  /** The number of keys in memory: those with accepted calls in their window, and a few expired ones. */
  readonly size: number;
}

/** The times from index `head` on are inside the window, oldest first. */
interface Window {
  times: number[];
  head: number;
  perMs: number;
  endsAt: number;
}

/** Stores the time of each call in the window: at most about twice `calls` numbers per active key. */
export function createRateLimiter({ clock }: { readonly clock: Pick<Clock, 'now'> }): RateLimiter {
  const windows = new Map<string, Window>();

  function take(key: string, { calls, perMs }: RateLimit): RateAnswer {
    const now = clock.now();
    evictExpired(now);
    const window = windows.get(key) ?? { times: [], head: 0, perMs, endsAt: 0 };
    dropExpired(window, now, perMs);
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

  // Checks two keys per call, round-robin, so that every key is checked before the number of keys can double.
  function evictExpired(now: number): void {
    let checks = 2;
    for (const [key, window] of windows) {
      if (checks-- === 0) return;
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

function dropExpired(window: Window, now: number, perMs: number): void {
  const latest = window.times.at(-1) ?? now;
  // If the clock was set back, future times are clamped to now. Otherwise the key would stay blocked for the length of the jump.
  if (latest > now) window.times = window.times.map((time) => Math.min(time, now));
  while ((window.times[window.head] ?? Number.POSITIVE_INFINITY) <= now - perMs) window.head++;
  if (window.head > 32 && window.head * 2 > window.times.length) {
    window.times = window.times.slice(window.head);
    window.head = 0;
  }
}
