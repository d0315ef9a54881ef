import type { ConnectionState } from '../../contract/connections.ts';
import { ConnectionError, messageOf, ToolwharfError } from '../../contract/errors.ts';
import type { ServerSpec } from '../../contract/settings/config.ts';
import type { AbortSource } from '../kernel/abort-source.ts';
import { backoffMs } from '../kernel/backoff.ts';
import type { Clock } from '../kernel/clock.ts';
import { abortable, keepProcessAlive } from '../kernel/wait.ts';
import { type ConnectionEvent, initialModel, isSameState, reduce, type SessionFacts } from './reduce-status.ts';
import type { Session } from './session.ts';
import type { ConnectionStatus } from './status.ts';

export interface SessionSupervisorOptions {
  readonly spec: ServerSpec;
  readonly clock: Clock;
  /** Opens a session; `onLost` is called when it breaks. */
  readonly open: (signal: AbortSignal, onLost: (cause: ToolwharfError) => void) => Promise<Session>;
  /** Prepares a new session before it counts as connected. */
  readonly onOpened: (session: Session) => Promise<void>;
  readonly onConnected: (session: Session) => void;
  /** The session is no longer used; `isAsleep`: nothing has used it for a while. */
  readonly onLeft: (isAsleep: boolean) => void;
  /** Releases resources that outlive a session, before the connection counts as disconnected. */
  readonly onDisconnect: () => Promise<void>;
  readonly onStatus: (status: ConnectionStatus, before: ConnectionState) => void;
  /** Why the open session is only partly usable, if it is. */
  readonly problem: () => string | undefined;
  readonly redactError: (error: ToolwharfError) => ToolwharfError;
}

/** Keeps one session open: reconnects with growing pauses for as long as the connection is wanted. */
export interface SessionSupervisor {
  status(): ConnectionStatus;
  isWanted(): boolean;
  /** The open session, if there is one. */
  session(): Session | undefined;
  /** The open session; throws SERVER_DISCONNECTED without one. */
  require(): Session;
  /** The open session, or one that an attempt opens for this request. Requests share an attempt. */
  ready(signal?: AbortSource): Promise<Session>;
  connect(options: { readonly attempts: number; readonly signal: AbortSignal | undefined }): Promise<void>;
  /** Closes the session, or opens none, until a request needs one. An attempt that is running goes on. */
  sleep(): void;
  disconnect(): Promise<void>;
  /** Closes a broken session and reconnects. */
  lose(session: Session, cause: ToolwharfError): void;
  /** Reconnects, and closes the session once its pending requests have ended. */
  retire(session: Session, cause: ToolwharfError): void;
  /** Shows whether the open session has a problem. */
  updateProblem(): void;
}

/** The longest pause between attempts while a server may still be starting, and after that. */
const startingMs = 600_000;
const maxStartingPauseMs = 30_000;
const maxPauseMs = 180_000;
// Requests that need a server which is down cause at most one attempt in this time.
const minPauseMs = 1_000;

interface Attempt {
  readonly promise: Promise<void>;
  readonly cancel: AbortController;
}

export function createSessionSupervisor(options: SessionSupervisorOptions): SessionSupervisor {
  const { spec, clock } = options;
  const retiring = new Set<Session>();
  let model = initialModel(clock.now());
  let session: Session | undefined;
  let attempt: Attempt | undefined;
  let retry: Attempt | undefined;
  /** The end of the session before the server slept: the server does not run twice. */
  let ending: Promise<void> | undefined;
  // When the present series of failures began, and when the latest attempt failed.
  let downSince: number | undefined;
  let failedAt = 0;

  /** The only place that changes the state. */
  function dispatch(event: ConnectionEvent, now = clock.now()): void {
    const before = model.status;
    model = reduce(model, event, now);
    if (!isSameState(before, model.status)) options.onStatus(model.status, before.state);
  }

  function open(): Promise<void> {
    if (attempt) return attempt.promise;
    retry?.cancel.abort();
    const cancel = new AbortController();
    const promise = tryToOpen(cancel.signal).finally(() => {
      if (attempt?.cancel === cancel) attempt = undefined;
    });
    promise.catch(() => {});
    attempt = { promise, cancel };
    return promise;
  }

  async function tryToOpen(signal: AbortSignal): Promise<void> {
    dispatch({ type: 'attempt-started' });
    const startedAt = performance.now();
    let opened: Session | undefined;
    let isConnected = false;
    let lostEarly: ToolwharfError | undefined;
    const onLost = (cause: ToolwharfError) => {
      if (isConnected && opened) lose(opened, cause);
      else lostEarly = cause;
    };
    try {
      if (ending) await abortable(ending, signal);
      opened = await options.open(signal, onLost);
      signal.throwIfAborted();
      session = opened;
      dispatch({ type: 'opened', facts: factsOf(opened) });
      await options.onOpened(opened);
      if (lostEarly) throw lostEarly;
    } catch (cause) {
      if (opened) await abandon(opened);
      const error = options.redactError(toOpenError(cause));
      if (!signal.aborted) fail(error);
      throw error;
    }
    isConnected = true;
    downSince = undefined;
    const connectMs = Math.round(performance.now() - startedAt);
    dispatch({ type: 'lists-read', connectMs, problem: options.problem() });
    options.onConnected(opened);
  }

  /** Schedules the next attempt after a failed one, or after a session was lost. */
  function fail(error: ToolwharfError, isLost = false): void {
    const now = clock.now();
    downSince ??= now;
    failedAt = now;
    const failures = isLost ? 0 : model.status.failures + 1;
    const delayMs = pauseMs(failures, now - downSince, error);
    dispatch({ type: 'failed', error, failures, retryAt: now + delayMs }, now);
    if (model.isWanted) retryIn(delayMs);
  }

  function retryIn(delayMs: number): void {
    retry?.cancel.abort();
    const cancel = new AbortController();
    // Cancelled when an attempt starts sooner: that attempt replaces this one.
    const promise = clock.sleep(delayMs, cancel.signal).then(open, () => attempt?.promise);
    promise.catch(() => {});
    retry = { promise, cancel };
  }

  /** Opens a session for a request: at once, or when the minimum pause after the latest failure is over. */
  function openSoon(): Promise<void> {
    if (attempt || !retry) return open();
    const now = clock.now();
    const scheduledMs = Date.parse(model.status.nextTryAt ?? '') - now;
    const waitMs = Math.min(minPauseMs, failedAt + minPauseMs - now);
    if (waitMs <= 0) return open();
    if (waitMs < scheduledMs) {
      dispatch({ type: 'retry-scheduled', retryAt: now + waitMs });
      retryIn(waitMs);
    }
    return retry.promise;
  }

  function leave(isAsleep = false): void {
    session?.lifetime.abort();
    session = undefined;
    options.onLeft(isAsleep);
  }

  async function abandon(which: Session): Promise<void> {
    if (session === which) leave();
    await which.close();
  }

  function lose(which: Session, cause: ToolwharfError): void {
    if (session !== which) return;
    abandon(which).catch(() => {});
    fail(cause, true);
  }

  function require(): Session {
    if (session) return session;
    const { reason, nextTryAt } = model.status;
    const when = nextTryAt ? `; next try at ${nextTryAt}` : '';
    const why = reason ? ` (${reason}${when})` : '';
    throw new ConnectionError('SERVER_DISCONNECTED', `Not connected to MCP server: ${spec.name}${why}`, {
      data: { reached: false },
    });
  }

  return {
    status: () => model.status,
    isWanted: () => model.isWanted,
    session: () => session,
    require,
    lose,

    async ready(signal) {
      if (!session && model.isWanted) {
        await keepProcessAlive(abortable(openSoon(), signal)).catch((cause) => {
          // The error of a sign-in says where to sign in.
          if (signal?.aborted || cause.code === 'OAUTH_REQUIRED') throw cause;
        });
      }
      return require();
    },

    async connect({ attempts, signal }) {
      dispatch({ type: 'connect-requested' });
      // A session whose lists are still being read is not ready.
      if (session && !attempt) return;
      let next: Promise<void> | undefined = open();
      for (let tried = 1; ; tried++) {
        try {
          await keepProcessAlive(abortable(next, signal));
          return void require();
        } catch (cause) {
          next = isRefusal(cause) ? undefined : retry?.promise;
          if (signal?.aborted || !model.isWanted || tried >= attempts || !next) throw cause;
        }
      }
    },

    sleep() {
      if (attempt) return;
      retry?.cancel.abort();
      const last = session;
      if (last) leave(true);
      const closing = last?.close().catch(() => {});
      ending = closing?.then(() => {
        if (ending === closing) ending = undefined;
      });
      dispatch({ type: 'connect-requested' });
      dispatch({ type: 'slept' });
    },

    async disconnect() {
      dispatch({ type: 'disconnect-requested' });
      retry?.cancel.abort();
      const pending = attempt;
      const data = { reached: false, wasDisconnected: true };
      const message = `Server '${spec.name}' was disconnected`;
      pending?.cancel.abort(new ConnectionError('SERVER_DISCONNECTED', message, { data }));
      await pending?.promise.catch(() => {});
      await Promise.all([session && abandon(session), ending, ...[...retiring].map((old) => old.close())]);
      await options.onDisconnect();
      dispatch({ type: 'disconnected' });
    },

    retire(which, cause) {
      if (session !== which) return;
      leave();
      retiring.add(which);
      void Promise.race([which.channel.whenIdle(), clock.sleep(spec.timeoutMs)])
        .then(() => which.close())
        .catch(() => {})
        .finally(() => retiring.delete(which));
      fail(cause, true);
    },

    updateProblem: () => dispatch({ type: 'problem', problem: options.problem() }),
  };
}

/** Why no session could be opened. */
function toOpenError(cause: unknown): ToolwharfError {
  return cause instanceof ToolwharfError
    ? cause
    : new ConnectionError('SERVER_UNREACHABLE', messageOf(cause), { cause });
}

/**
 * The pause before the next attempt. Pauses grow, but stay short while a server may be starting. The same credentials are
 * refused again, and an attempt may ask a person to sign in: those pauses are long at once.
 */
function pauseMs(failures: number, downMs: number, error: ToolwharfError): number {
  if (error.code === 'OAUTH_REQUIRED') return maxPauseMs;
  const maxMs = downMs < startingMs ? maxStartingPauseMs : maxPauseMs;
  return isRefusal(error) ? maxMs : backoffMs(Math.max(1, failures), { maxMs });
}

function isRefusal(cause: unknown): boolean {
  if (!(cause instanceof ToolwharfError)) return false;
  const { code, data } = cause;
  return code === 'OAUTH_REQUIRED' || data.httpStatus === 401 || data.httpStatus === 403;
}

function factsOf(session: Session): SessionFacts {
  const { transport, era, protocolVersion, capabilities, serverInfo, instructions, pid } = session;
  const facts = { transport, capabilities, serverInfo, instructions, pid };
  // An HTTP API speaks no version of the protocol.
  return transport === 'api' ? facts : { ...facts, era, protocolVersion };
}
