import type { ConnectedTransport } from '../config/transports.ts';
import type { JsonObject } from '../kernel/json.ts';

/** The states of a connection. */
export const connectionStates = ['disconnected', 'connecting', 'connected', 'degraded', 'error'] as const;

/** The state of one connection. */
export type ConnectionState = (typeof connectionStates)[number];

/** The protocol eras of MCP: up to 2025-11-25, and from 2026-07-28. */
export const eras = ['legacy', 'modern'] as const;

/** A protocol era of MCP. */
export type Era = (typeof eras)[number];

/** The causes of failed connections that a person can fix. */
export const failureCauses = ['unauthorized', 'command-not-found'] as const;

/** A cause of a failed connection that a person can fix. */
export type FailureCause = (typeof failureCauses)[number];

/** The present state of one connection. */
export interface ConnectionStatus {
  readonly state: ConnectionState;
  /** The problem, for `degraded` and `error`. */
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
  /** The replica that runs the server, for `placement: single`. */
  readonly replica?: string;
  /** Duration of the last successful connect, in milliseconds. */
  readonly connectMs?: number;
}
