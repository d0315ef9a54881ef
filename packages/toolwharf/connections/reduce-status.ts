import type { ToolwharfError } from '../../contract/errors.ts';
import { isoTime } from '../kernel/clock.ts';
import type { ConnectionStatus } from './status.ts';

/** The state of a connection: its public status, and whether it reconnects after a failure. */
export interface ConnectionModel {
  readonly status: ConnectionStatus;
  readonly isWanted: boolean;
}

/** The facts about a server that a handshake returns. */
export type SessionFacts = Pick<
  ConnectionStatus,
  'transport' | 'era' | 'protocolVersion' | 'capabilities' | 'serverInfo' | 'instructions' | 'pid'
>;

/** Everything that changes the state of a connection. */
export type ConnectionEvent =
  | { readonly type: 'connect-requested' }
  | { readonly type: 'attempt-started' }
  /** The handshake succeeded; the lists are not read yet. */
  | { readonly type: 'opened'; readonly facts: SessionFacts }
  | { readonly type: 'lists-read'; readonly connectMs: number; readonly problem: string | undefined }
  /** The problem of the open session has changed: a list, or the server does not answer. */
  | { readonly type: 'problem'; readonly problem: string | undefined }
  /** An attempt failed, or the session was lost. */
  | {
      readonly type: 'failed';
      readonly error: ToolwharfError;
      /** The attempts that have failed in a row. */
      readonly failures: number;
      readonly retryAt: number;
    }
  /** A request needs the server sooner than the next attempt was scheduled. */
  | { readonly type: 'retry-scheduled'; readonly retryAt: number }
  /** The server is not needed until a request wakes it. */
  | { readonly type: 'slept' }
  | { readonly type: 'disconnect-requested' }
  | { readonly type: 'disconnected' };

/** The state before the first connect. */
export function initialModel(now: number): ConnectionModel {
  return { status: { state: 'disconnected', since: isoTime(now), failures: 0 }, isWanted: false };
}

/** Pure: the state after an event that happened now. */
export function reduce(model: ConnectionModel, event: ConnectionEvent, now: number): ConnectionModel {
  const { status, isWanted } = model;
  switch (event.type) {
    case 'connect-requested':
      return { ...model, isWanted: true };
    case 'disconnect-requested':
      return { ...model, isWanted: false };
    case 'attempt-started':
      return { isWanted, status: enter(status, { state: 'connecting', ...lastFailureOf(status) }, now) };
    case 'opened':
      return { isWanted, status: { ...status, ...event.facts } };
    case 'lists-read': {
      const facts = { failures: 0, lastConnectedAt: isoTime(now), connectMs: event.connectMs };
      return { isWanted, status: enter(status, { ...stateFor(event.problem), ...facts }, now) };
    }
    case 'problem':
      if (status.state !== 'connected' && status.state !== 'degraded') return model;
      return { isWanted, status: enter(status, stateFor(event.problem), now) };
    case 'failed':
      return { isWanted, status: enter(status, failureOf(model, event), now) };
    case 'retry-scheduled':
      return { isWanted, status: { ...status, nextTryAt: isoTime(event.retryAt) } };
    case 'slept':
      return { isWanted, status: enter(status, { state: 'sleeping', failures: 0, pid: undefined }, now) };
    case 'disconnected':
      return { isWanted, status: enter(status, { state: 'disconnected', failures: 0, pid: undefined }, now) };
  }
}

/** True when observers need no notification. */
export function isSameState(a: ConnectionStatus, b: ConnectionStatus): boolean {
  return a.state === b.state && a.reason === b.reason && a.nextTryAt === b.nextTryAt;
}

type Change = Partial<ConnectionStatus> & Pick<ConnectionStatus, 'state'>;

/** The status in another state, without the reason of the previous one. */
function enter(before: ConnectionStatus, change: Change, now: number): ConnectionStatus {
  const { reason: _reason, code: _code, cause: _cause, nextTryAt: _at, signInUrl: _url, ...lasting } = before;
  const after = { ...lasting, ...change };
  return isSameState(before, after) ? after : { ...after, since: isoTime(now) };
}

/** Why the attempt before failed. It stays known while another one runs. */
function lastFailureOf({ failures, reason, code }: ConnectionStatus): Partial<ConnectionStatus> {
  return failures > 0 ? { reason, code } : {};
}

function stateFor(problem: string | undefined): Change {
  return problem === undefined ? { state: 'connected' } : { state: 'degraded', reason: problem, code: 'SERVER_ERROR' };
}

function failureOf(
  { isWanted }: ConnectionModel,
  { error, failures, retryAt }: Extract<ConnectionEvent, { type: 'failed' }>,
): Change {
  const { authorizationUrl, httpStatus, isCommandMissing, needsCredentials } = error.data;
  const isUnauthorized = httpStatus === 401 || httpStatus === 403 || needsCredentials === true;
  return {
    state: 'error',
    reason: error.message,
    code: error.code,
    cause: isUnauthorized ? 'unauthorized' : isCommandMissing ? 'command-not-found' : undefined,
    failures,
    signInUrl: typeof authorizationUrl === 'string' ? authorizationUrl : undefined,
    nextTryAt: isWanted ? isoTime(retryAt) : undefined,
    pid: undefined,
  };
}
