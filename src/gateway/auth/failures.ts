import { isIPv6 } from 'node:net';

/** Counts failed attempts by address. */
export interface Failures {
  note(address: string): void;
  /** How long the address has to wait; 0 while it may try. */
  waitMs(address: string): number;
}

export interface FailuresOptions {
  /** Attempts in a window; 20. */
  readonly maxFailures?: number;
  /** 60 000. */
  readonly windowMs?: number;
  /** Addresses remembered; the oldest are forgotten first; 10 000. */
  readonly maxAddresses?: number;
  readonly now?: () => number;
}

export function createFailures(options: FailuresOptions = {}): Failures {
  const { maxFailures = 20, windowMs = 60_000, maxAddresses = 10_000, now = Date.now } = options;
  const windows = new Map<string, { readonly until: number; failures: number }>();

  function current(address: string) {
    const window = windows.get(networkOf(address));
    return window && window.until > now() ? window : undefined;
  }

  return {
    note(address) {
      const window = current(address) ?? { until: now() + windowMs, failures: 0 };
      window.failures++;
      const network = networkOf(address);
      windows.delete(network);
      windows.set(network, window);
      const oldest = windows.size > maxAddresses ? windows.keys().next().value : undefined;
      if (oldest !== undefined) windows.delete(oldest);
    },
    waitMs(address) {
      const window = current(address);
      return window && window.failures >= maxFailures ? window.until - now() : 0;
    },
  };
}

/** One IPv6 subscriber has a whole /64 to try from. */
function networkOf(address: string): string {
  if (!isIPv6(address) || address.startsWith('::')) return address;
  const groups = address.split(':');
  const gap = groups.indexOf('');
  const filled = gap < 0 ? groups : [...groups.slice(0, gap), ...Array(9 - groups.length).fill('0')];
  return filled.slice(0, 4).join(':');
}
