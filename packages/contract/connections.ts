/** The states of a connection. */
export const connectionStates = ['disconnected', 'connecting', 'connected', 'degraded', 'sleeping', 'error'] as const;

/** The state of one connection. */
export type ConnectionState = (typeof connectionStates)[number];

/** Whether the server takes calls: it is connected, or the first call wakes it. */
export function takesCalls(state: ConnectionState | undefined): boolean {
  return state === 'connected' || state === 'degraded' || state === 'sleeping';
}

/** Whether nothing is wrong with the server: it is connected, or it sleeps until a call wakes it. */
export function isHealthy(state: ConnectionState | undefined): boolean {
  return state === 'connected' || state === 'sleeping';
}

/** The protocol eras of MCP: up to 2025-11-25, and from 2026-07-28. */
export const eras = ['legacy', 'modern'] as const;

/** A protocol era of MCP. */
export type Era = (typeof eras)[number];

/** The causes of failed connections that a person can fix. */
export const failureCauses = ['unauthorized', 'command-not-found'] as const;

/** A cause of a failed connection that a person can fix. */
export type FailureCause = (typeof failureCauses)[number];

/** The steps of a sign-in, in the usual order. `other` is a request to another endpoint. */
export const oauthStepKinds = [
  'challenge',
  'resource-metadata',
  'server-metadata',
  'registration',
  'authorization',
  'redirect',
  'token',
  'refresh',
  'other',
] as const;

/** Why an attempt began: there was no valid token, a token had to be renewed, or the server asked for a wider scope. */
export const oauthReasons = ['sign-in', 'renewal', 'scope'] as const;

/** How an attempt ended; `waiting` until a person has signed in. */
export const oauthOutcomes = ['running', 'waiting', 'signed-in', 'renewed', 'failed'] as const;

/** Whether the gateway sent a message or received it from the server. */
export const trafficDirections = ['sent', 'received'] as const;

/** The kinds of JSON-RPC messages, and `failure` for a message that could not be delivered. */
export const trafficKinds = ['request', 'result', 'error', 'notification', 'failure'] as const;

/** The topic of a message: `question` is sampling, elicitation, roots and other input that the server requests. */
export const trafficTopics = ['request', 'question', 'log', 'progress', 'notification'] as const;
