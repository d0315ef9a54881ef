import type { JsonObject } from '../kernel/json.ts';

export type ConnectionState = 'disconnected' | 'connecting' | 'connected' | 'degraded' | 'error';
export type Era = 'legacy' | 'modern';

/** The truth about one connection, as of now. */
export interface ConnectionStatus {
  readonly state: ConnectionState;
  /** What is wrong, for `degraded` and `error`. */
  readonly reason?: string;
  /** The error code that belongs to the reason. */
  readonly code?: string;
  /** Where a person must sign in before it can be connected. */
  readonly signInUrl?: string;
  /** Since when it is in this state; ISO time. */
  readonly since: string;
  /** When it is tried again; ISO time. */
  readonly nextTryAt?: string;
  readonly failures: number;
  readonly lastConnectedAt?: string;
  readonly transport?: 'stdio' | 'http' | 'sse' | 'api';
  readonly era?: Era;
  readonly protocolVersion?: string;
  readonly serverInfo?: JsonObject;
  readonly instructions?: string;
  readonly capabilities?: JsonObject;
  readonly pid?: number;
  /** How long the last handshake took. */
  readonly connectMs?: number;
}
