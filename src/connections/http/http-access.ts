import type { AuthProvider, FetchLike } from '@modelcontextprotocol/client';
import type { NotificationThrottle } from '../notification-throttle.ts';
import type { PoolFetch } from './pool-fetch.ts';

/** What an HTTP session needs to reach its server and to prove who it is. */
export interface HttpAccess {
  readonly fetch: FetchLike;
  /** A cheaper way to send a call; undefined where credentials may have to be renewed in the middle of it. */
  readonly post?: PoolFetch['post'];
  /** The configured headers and fixed credentials. */
  readonly headers: Readonly<Record<string, string>>;
  readonly authProvider?: AuthProvider;
  /** The throttle that its event streams are read at. */
  readonly throttle: NotificationThrottle;
  /** Has the person sign in; rejects where nobody can. Undefined where the server uses no OAuth. */
  readonly authorize?: (signal: AbortSignal) => Promise<void>;
  /** Ends all sockets. */
  close(): Promise<void>;
}
