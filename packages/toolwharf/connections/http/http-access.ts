import type { AuthProvider, FetchLike } from '@modelcontextprotocol/client';
import type { NotificationThrottle } from '../notification-throttle.ts';
import type { PoolFetch } from './pool-fetch.ts';

/** The dependencies of a session that reaches its server over HTTP with credentials. */
export interface HttpAccess {
  readonly fetch: FetchLike;
  /** Cheaper than `fetch`; undefined where a request may have to renew its credentials. */
  readonly send?: PoolFetch['send'];
  /** The configured headers, static credentials included. */
  readonly headers: Readonly<Record<string, string>>;
  readonly authProvider?: AuthProvider;
  /** Limits the rate at which event streams are read. */
  readonly throttle: NotificationThrottle;
  /** Asks a person to sign in; rejects if no person can be asked. Undefined for servers without OAuth. */
  readonly authorize?: (signal: AbortSignal) => Promise<void>;
  /** Closes all sockets. */
  close(): Promise<void>;
}
