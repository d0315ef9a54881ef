import type { ServerSpec } from '../config/config.ts';
import type { AbortSource } from '../kernel/abort-source.ts';
import { backoffMs } from '../kernel/backoff.ts';
import type { Clock } from '../kernel/clock.ts';
import { ConnectionError, type ToolwharfError, toToolwharfError } from '../kernel/errors.ts';
import { abortable, keepProcessAlive } from '../kernel/wait.ts';
import { type ConnectionEvent, initialModel, isSameState, reduce, type SessionFacts } from './reduce-status.ts';
import type { Session } from './session.ts';
import type { ConnectionState, ConnectionStatus } from './status.ts';

export interface SessionSupervisorOptions {
  readonly spec: ServerSpec;
  readonly clock: Clock;
  /** Opens a session; `onLost` is called when it breaks. */
  readonly open: (signal: AbortSignal, onLost: (cause: ToolwharfError) => void) => Promise<Session>;
  /** Prepares a new session before it counts as connected. */
  readonly onOpened: (session: Session) => Promise<void>;
  readonly onConnected: (session: Session) => void;
  /** The session is no longer used. */
  readonly onLeft: () => void;
  /** Releases resources that outlive a session, before the connection counts as disconnected. */
  readonly onDisconnect: () => Promise<void>;
  readonly onStatus: (status: ConnectionStatus, before: ConnectionState) => void;
  /** The lists that could not be read, if any. */
  readonly listProblem: () => string | undefined;
  readonly redactError: (error: ToolwharfError) => ToolwharfError;
}

/** Keeps one session open: reconnects with backoff for as long as the connection is wanted. */
export interface SessionSupervisor {
  status(): ConnectionStatus;
  isWanted(): boolean;
  /** The open session, if there is one. */
  session(): Session | undefined;
  /** The open session; throws SERVER_DISCONNECTED without one. */
  require(): Session;
  /** The open session, or one that is opened for this request while consecutive failures are few. */
  ready(signal?: AbortSource): Promise<Session>;
  connect(options: { readonly attempts: number; readonly signal: AbortSignal | undefined }): Promise<void>;
  disconnect(): Promise<void>;
  /** Closes a broken session and reconnects. */
  lose(session: Session, cause: ToolwharfError): void;
  /** Reconnects, and closes the session once its pending requests have ended. */
  retire(session: Session, cause: ToolwharfError): void;
  /** Shows whether all lists could be read. */
  updateListProblem(): void;
}

// After this many consecutive failures a request fails at once and starts no attempt to connect.
const maxFailuresToWaitFor = 3;
// A connection that has used up its attempts rests for this long, unless `connect` is called or a request needs it.
const restMs = 3_600_000;
// A request wakes a resting connection at most this often.
const wakeMs = 10_000;

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
  let retriesLeft = spec.retryAttempts;
  let restsSince: number | undefined;

  /** The only place that changes the state. */
  function dispatch(event: ConnectionEvent): void {
    const before = model.status;
    model = reduce(model, event, clock.now());
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
      opened = await options.open(signal, onLost);
      signal.throwIfAborted();
      session = opened;
      dispatch({ type: 'opened', facts: factsOf(opened) });
      await options.onOpened(opened);
      if (lostEarly) throw lostEarly;
    } catch (cause) {
      if (opened) await abandon(opened);
      const error = options.redactError(toToolwharfError(cause, 'SERVER_UNREACHABLE'));
      if (!signal.aborted) fail(error);
      throw error;
    }
    isConnected = true;
    startRound();
    const connectMs = Math.round(performance.now() - startedAt);
    dispatch({ type: 'lists-read', connectMs, problem: options.listProblem() });
    options.onConnected(opened);
  }

  /** Allows the full number of attempts again. */
  function startRound(): void {
    retriesLeft = spec.retryAttempts;
    restsSince = undefined;
  }

  /** Schedules the next attempt after a failed one. The first attempt after a lost session is not a retry. */
  function fail(error: ToolwharfError, isLost = false): void {
    const now = clock.now();
    if (isLost) startRound();
    // The same credentials would be refused again.
    const rests = !isLost && (retriesLeft === 0 || isRefusal(error));
    restsSince = rests ? now : undefined;
    const tried = spec.retryAttempts - retriesLeft;
    // A server that was connected before is probably restarting: its attempts are spread over more time.
    const failures = model.status.lastConnectedAt === undefined ? tried + 1 : 3 * tried + 1;
    const delayMs = rests ? restMs : backoffMs(failures);
    if (!isLost) retriesLeft = Math.max(0, retriesLeft - 1);
    dispatch({ type: 'failed', error, retryAt: now + delayMs });
    if (!model.isWanted) return;
    retry?.cancel.abort();
    const cancel = new AbortController();
    const reopen = () => {
      if (rests) startRound();
      return open();
    };
    // Cancelled when `connect` is called sooner: that attempt replaces this one.
    const promise = clock.sleep(delayMs, cancel.signal).then(reopen, () => attempt?.promise);
    promise.catch(() => {});
    retry = { promise, cancel };
  }

  /** True when a request may start an attempt to connect. */
  function mayAttempt(): boolean {
    if (attempt || model.status.failures <= maxFailuresToWaitFor) return true;
    return restsSince !== undefined && clock.now() - restsSince >= wakeMs;
  }

  function leave(): void {
    session?.lifetime.abort();
    session = undefined;
    options.onLeft();
  }

  async function abandon(which: Session): Promise<void> {
    if (session === which) leave();
    await which.close();
  }

  function lose(which: Session, cause: ToolwharfError): void {
    if (session !== which) return;
    void abandon(which);
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
      if (!session && model.isWanted && mayAttempt()) {
        if (!attempt && restsSince !== undefined) startRound();
        await abortable(open(), signal).catch((cause) => {
          if (signal?.aborted) throw cause;
        });
      }
      return require();
    },

    async connect({ attempts, signal }) {
      dispatch({ type: 'connect-requested' });
      if (session) return;
      startRound();
      let next: Promise<void> | undefined = open();
      for (let tried = 1; ; tried++) {
        try {
          await keepProcessAlive(abortable(next, signal));
          return void require();
        } catch (cause) {
          next = restsSince === undefined ? retry?.promise : undefined;
          if (signal?.aborted || !model.isWanted || tried >= attempts || !next) throw cause;
        }
      }
    },

    async disconnect() {
      dispatch({ type: 'disconnect-requested' });
      retry?.cancel.abort();
      const pending = attempt;
      pending?.cancel.abort(new ConnectionError('SERVER_DISCONNECTED', `Server '${spec.name}' was disconnected`));
      await pending?.promise.catch(() => {});
      await Promise.all([session && abandon(session), ...[...retiring].map((old) => old.close())]);
      await options.onDisconnect();
      dispatch({ type: 'disconnected' });
    },

    retire(which, cause) {
      if (session !== which) return;
      leave();
      retiring.add(which);
      void Promise.race([which.channel.whenIdle(), clock.sleep(spec.timeoutMs)])
        .then(() => which.close())
        .finally(() => retiring.delete(which));
      fail(cause, true);
    },

    updateListProblem: () => dispatch({ type: 'list-problem', problem: options.listProblem() }),
  };
}

function isRefusal({ code, data }: ToolwharfError): boolean {
  return code === 'OAUTH_REQUIRED' || data.httpStatus === 401 || data.httpStatus === 403;
}

function factsOf(session: Session): SessionFacts {
  const { transport, era, protocolVersion, capabilities, serverInfo, instructions, pid } = session;
  const facts = { transport, capabilities, serverInfo, instructions, pid };
  // An HTTP API speaks no version of the protocol.
  return transport === 'api' ? facts : { ...facts, era, protocolVersion };
}
