import type { JsonObject } from '../kernel/json.ts';

export type ConnectionState = 'disconnected' | 'connecting' | 'connected' | 'degraded' | 'error';
export type Era = 'legacy' | 'modern';

/** The present state of one connection. */
export interface ConnectionStatus {
  readonly state: ConnectionState;
  /** The problem, for `degraded` and `error`. */
  readonly reason?: string;
  /** The error code of the reason. */
  readonly code?: string;
  /** The address at which a person must sign in first. */
  readonly signInUrl?: string;
  /** When this state began; ISO time. */
  readonly since: string;
  /** Time of the next attempt; ISO time. */
  readonly nextTryAt?: string;
  /** Consecutive failures. */
  readonly failures: number;
  readonly lastConnectedAt?: string;
  readonly transport?: 'stdio' | 'http' | 'sse' | 'api';
  readonly era?: Era;
  readonly protocolVersion?: string;
  readonly serverInfo?: JsonObject;
  readonly instructions?: string;
  readonly capabilities?: JsonObject;
  readonly pid?: number;
  /** Duration of the last successful connect, in milliseconds. */
  readonly connectMs?: number;
}
