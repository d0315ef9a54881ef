import { isIPv6 } from 'node:net';
import { hashOf } from '../../../toolwharf/kernel/canonical-json.ts';
import { evictOldest } from '../../../toolwharf/kernel/evict-oldest.ts';
import type { LimitStore } from '../../../toolwharf/storage/ports/limit-store.ts';

/** Counts failed sign-ins per credential and address, and per address. Valid credentials are never affected. */
export interface SignInThrottle {
  /** Counts a failure. Returns how long the client must wait, and whether this is the first failure in a while. */
  fail(address: string, credentialHash: string): Promise<{ readonly retryAfterMs: number; readonly isFirst: boolean }>;
}

export interface SignInThrottleOptions {
  /** Counts the failures on all replicas together; those of this process by default, or while the store is unavailable. */
  readonly store?: Pick<LimitStore, 'countFailure'>;
  /** Failures of one credential from one address per window; 20. */
  readonly maxPerCredential?: number;
  /** Failures of all credentials from one address per window; 100. */
  readonly maxPerAddress?: number;
  /** 60 000. */
  readonly windowMs?: number;
  /** Counters to remember; the oldest are dropped first; 10 000. */
  readonly maxCounters?: number;
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
}

interface Counter {
  until: number;
  failures: number;
}

export function createSignInThrottle(options: SignInThrottleOptions = {}): SignInThrottle {
  const { maxPerCredential = 20, maxPerAddress = 100, windowMs = 60_000, maxCounters = 10_000 } = options;
  const { store, now = () => performance.now() } = options;
  const counters = new Map<string, Counter>();

  async function count(key: string, max: number): Promise<{ retryAfterMs: number; isFirst: boolean }> {
    const known = counters.get(key);
    const counter = known && known.until > now() ? known : { until: now() + windowMs, failures: 0 };
    counter.failures++;
    counters.delete(key);
    counters.set(key, counter);
    evictOldest(counters, maxCounters);
    // A throttled caller is rejected before the database is used.
    if (counter.failures <= max) await countInStore(key, counter);
    return { retryAfterMs: counter.failures > max ? counter.until - now() : 0, isFirst: counter.failures === 1 };
  }

  /** The counter of the store includes the failures on other replicas. */
  async function countInStore(key: string, counter: Counter): Promise<void> {
    const shared = await store?.countFailure(hashOf(key), windowMs).catch(() => undefined);
    if (!shared) return;
    counter.failures = Math.max(counter.failures, shared.failures);
    counter.until = now() + shared.leftMs;
  }

  return {
    async fail(address, credentialHash) {
      const network = networkOf(address);
      const all = await count(network, maxPerAddress);
      // A flood of different credentials must not evict the counters of other addresses.
      if (all.retryAfterMs > 0) return all;
      return count(`${network} ${credentialHash}`, maxPerCredential);
    },
  };
}

/** IPv6 addresses are counted per /64, because one subscriber owns a whole /64. */
function networkOf(address: string): string {
  if (!isIPv6(address) || address.startsWith('::')) return address;
  const groups = address.split(':');
  const gap = groups.indexOf('');
  const filled = gap < 0 ? groups : [...groups.slice(0, gap), ...Array(9 - groups.length).fill('0')];
  return filled.slice(0, 4).join(':');
}
