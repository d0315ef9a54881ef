import { ToolwharfError } from '../../contract/errors.ts';
import type { RateLimit } from '../../contract/settings/config.ts';
import type { CatalogEntry } from '../catalog/catalog.ts';
import type { Connection } from '../connections/connection.ts';

export type RateAnswer =
  | { readonly ok: true }
  /** The call can be retried after this time, unless another call takes the slot first. */
  | { readonly ok: false; readonly retryAfterMs: number };

/** A sliding-window rate limiter per key: no interval of `perMs` contains more than `calls` accepted calls. */
export interface Rates {
  /** A promise only if other replicas share the limit. */
  take(key: string, limit: RateLimit): RateAnswer | Promise<RateAnswer>;
}

interface RatePorts {
  readonly rates: Rates;
  readonly findConnection: (server: string) => Pick<Connection, 'spec'> | undefined;
}

/**
 * Counts a call against the rate limit of its server, if it has one. Throws `RATE_LIMITED` above it. Returns a promise only if the
 * limit is shared with other replicas.
 */
export function countCall({ server }: Pick<CatalogEntry, 'server'>, ports: RatePorts): Promise<void> | undefined {
  const rate = server === undefined ? undefined : ports.findConnection(server)?.spec.rate;
  if (server === undefined || !rate) return undefined;
  const answer = ports.rates.take(server, rate);
  if (answer instanceof Promise) return answer.then((later) => assertAccepted(server, rate, later));
  assertAccepted(server, rate, answer);
  return undefined;
}

function assertAccepted(server: string, { calls, perMs }: RateLimit, answer: RateAnswer): void {
  if (answer.ok) return;
  const { retryAfterMs } = answer;
  const message = `Server '${server}' is limited to ${calls} calls in ${perMs} ms; try again in ${retryAfterMs} ms`;
  throw new ToolwharfError('RATE_LIMITED', message, { data: { retryAfterMs } });
}
