import type { ConnectionState, Era, FailureCause } from '../../contract/connections.ts';
import type { JsonObject } from '../../contract/json.ts';
import type { ConnectedTransport } from '../../contract/settings/transports.ts';

/** The present state of one connection. */
export interface ConnectionStatus {
  readonly state: ConnectionState;
  /** The problem, for `degraded` and `error`; for `connecting`, why the attempt before failed. */
  readonly reason?: string;
  /** The error code of the reason. */
  readonly code?: string;
  /** The cause of an `error` that a person can fix: credentials are needed, or the command is not installed. */
  readonly cause?: FailureCause;
  /** The address at which a person must sign in first. */
  readonly signInUrl?: string;
  /** When this state began; ISO time. */
  readonly since: string;
  /** Time of the next attempt; ISO time. */
  readonly nextTryAt?: string;
  /** Consecutive failures. */
  readonly failures: number;
  readonly lastConnectedAt?: string;
  readonly transport?: ConnectedTransport;
  readonly era?: Era;
  readonly protocolVersion?: string;
  readonly serverInfo?: JsonObject;
  readonly instructions?: string;
  readonly capabilities?: JsonObject;
  readonly pid?: number;
  /** The replica that runs the server, if one runs it for all. */
  readonly replica?: string;
  /** Duration of the last successful connect, in milliseconds. */
  readonly connectMs?: number;
}
