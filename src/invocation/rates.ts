import type { RateLimit } from '../config/config.ts';

export type RateAnswer =
  | { readonly ok: true }
  /** The call can be retried after this time, unless another call takes the slot first. */
  | { readonly ok: false; readonly retryAfterMs: number };

/** A sliding-window rate limiter per key: no interval of `perMs` contains more than `calls` accepted calls. */
export interface Rates {
  /** A promise only if other replicas share the limit. */
  take(key: string, limit: RateLimit): RateAnswer | Promise<RateAnswer>;
}
