export interface BackoffOptions {
  /** Default 250. */
  readonly firstMs?: number;
  /** Default 30 000. */
  readonly maxMs?: number;
  readonly random?: () => number;
}

/** The delay after the nth consecutive failure (from 1): exponential, capped, with jitter over its second half. */
export function backoffMs(failures: number, options: BackoffOptions = {}): number {
  const { firstMs = 250, maxMs = 30_000, random = Math.random } = options;
  const full = Math.min(maxMs, firstMs * 2 ** Math.min(failures - 1, 30));
  return Math.round(full / 2 + (full / 2) * random());
}
