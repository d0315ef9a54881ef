import { isIPv6 } from 'node:net';
import { evictOldest } from '../../kernel/evict-oldest.ts';

/** Counts failed sign-ins per network address. */
export interface FailedAttempts {
  record(address: string): void;
  /** How long the address must wait before the next attempt; 0 if it may try now. */
  retryAfterMs(address: string): number;
}

export interface FailedAttemptsOptions {
  /** Allowed failures per window; 20. */
  readonly maxFailures?: number;
  /** 60 000. */
  readonly windowMs?: number;
  /** Addresses to remember; the oldest are dropped first; 10 000. */
  readonly maxAddresses?: number;
  readonly now?: () => number;
}

export function createFailedAttempts(options: FailedAttemptsOptions = {}): FailedAttempts {
  const { maxFailures = 20, windowMs = 60_000, maxAddresses = 10_000, now = Date.now } = options;
  const windows = new Map<string, { readonly until: number; failures: number }>();

  function current(address: string) {
    const window = windows.get(networkOf(address));
    return window && window.until > now() ? window : undefined;
  }

  return {
    record(address) {
      const window = current(address) ?? { until: now() + windowMs, failures: 0 };
      window.failures++;
      const network = networkOf(address);
      windows.delete(network);
      windows.set(network, window);
      evictOldest(windows, maxAddresses);
    },
    retryAfterMs(address) {
      const window = current(address);
      return window && window.failures >= maxFailures ? window.until - now() : 0;
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
