export interface BackoffOptions {
  /** 250. */
  readonly firstMs?: number;
  /** 30 000. */
  readonly maxMs?: number;
  readonly random?: () => number;
}

/** How long to wait after the nth failure in a row (from 1): doubling, capped, and spread so that many never march in step. */
export function backoffMs(failures: number, options: BackoffOptions = {}): number {
  const { firstMs = 250, maxMs = 30_000, random = Math.random } = options;
  const full = Math.min(maxMs, firstMs * 2 ** Math.min(failures - 1, 30));
  return Math.round(full / 2 + (full / 2) * random());
}
