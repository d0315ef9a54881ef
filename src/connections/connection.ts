import type { ServerSpec } from '../config/config.ts';
import { backoffMs } from '../kernel/backoff.ts';
import type { Clock } from '../kernel/clock.ts';
import { ConnectionError, ToolwharfError, toToolwharfError } from '../kernel/errors.ts';
import type { JsonObject } from '../kernel/json.ts';
import { createRedactor } from '../kernel/redact.ts';
import { abortable, keepProcessAlive } from '../kernel/wait.ts';
import type { ChannelRequestOptions, DroppedReplies } from './channel.ts';
import type { ListKind } from './discovery.ts';
import { requestWithInput } from './input-required.ts';
import { createListKeeper, type ServerLists } from './list-keeper.ts';
import { listenForChanges } from './listen-for-changes.ts';
import { againIfCut, neverArrived } from './may-repeat.ts';
import type { HttpOpener } from './open-http.ts';
import { openSession } from './open-session.ts';
import { answerQuestion } from './request-host.ts';
import type { Session, SessionOptions } from './session.ts';
import type { ConnectionState, ConnectionStatus } from './status.ts';
import { createStderrTail } from './stderr-tail.ts';
import { type CallableTool, type ToolCall, toCallHeaders, toCallParams } from './tool-call.ts';
import { watchHealth } from './watch-health.ts';
import { createWatchedResources } from './watched-resources.ts';

export interface ConnectionOptions
  extends Pick<SessionOptions, 'questions' | 'memory' | 'log' | 'env' | 'maxMessageBytes' | 'logLevel'> {
  readonly openHttp: HttpOpener;
  readonly clock: Clock;
  /** How long a quiet connection is believed before it is asked; 30 000. */
  readonly healthMs: number;
  readonly onStatus: (status: ConnectionStatus, before: ConnectionState) => void;
  /** A list was read: the first time, or again after the server said it changed or was reconnected. Connecting waits for it. */
  readonly onList: (kind: ListKind) => void | Promise<void>;
  readonly onNotification: SessionOptions['onNotification'];
}

export interface RequestOptions extends ChannelRequestOptions {
  /** An `input_required` answer comes back as it is, instead of being answered here. */
  readonly passInputRequired?: boolean;
}

/** A server we stay connected to: opened once, kept up by itself, and honest about its state. */
export interface Connection {
  readonly spec: ServerSpec;
  readonly status: ConnectionStatus;
  readonly lists: ServerLists;
  readonly dropped: DroppedReplies;
  /** Its last lines of error output, secrets hidden. */
  stderr(): readonly string[];
  /** The value without this server's secrets. */
  redact<Value>(value: Value): Value;
  /** Resolves once connected; rejects when `attempts` tries in a row failed. Goes on trying by itself until `disconnect`. */
  connect(options?: { attempts?: number; signal?: AbortSignal }): Promise<void>;
  disconnect(): Promise<void>;
  /** One request, answered raw. Sent a second time only when the first surely never reached the server. */
  request(method: string, params: JsonObject, options?: RequestOptions): Promise<JsonObject>;
  /**
   * Calls a tool of the server: its result as the server sent it, without secrets. Sent a second time only when the
   * first request surely never reached the server. Rejects when there is no result.
   */
  callTool(tool: CallableTool, args: JsonObject, call: ToolCall): Promise<JsonObject>;
  /** Reads a list again. */
  refresh(kind: ListKind): Promise<void>;
  /** Takes what a browser brought back from a sign-in; false when it is not this server's. */
  finishSignIn(params: URLSearchParams): Promise<boolean>;
  /** Has the server tell of a resource's changes, also after a reconnect; the returned function ends it. */
  watchResource(uri: string): Promise<() => Promise<void>>;
}

// After this many failures in a row, a request no longer waits for a try of its own but fails at once.
const patience = 3;

export function createConnection(spec: ServerSpec, options: ConnectionOptions): Connection {
  const { clock, log, questions, memory, env, maxMessageBytes, logLevel } = options;
  const redactor = createRedactor();
  const stderr = createStderrTail({ redact: redactor.text });
  const http = spec.target.transport === 'stdio' ? undefined : options.openHttp(spec, redactor);
  const lists = createListKeeper({
    request: (method, params) =>
      againIfCut(() => sendOnce(currentSession(), method, params, { signal: AbortSignal.timeout(spec.timeoutMs) })),
    log,
    server: spec.name,
    onList: options.onList,
    onHealth: settleState,
  });

  const resources = createWatchedResources({
    session: () => currentSession(),
    server: spec.name,
    log,
    timeoutMs: spec.timeoutMs,
  });

  const retiring = new Set<Session>();
  let session: Session | undefined;
  let wanted = false;
  let opening: { promise: Promise<void>; cancel: AbortController } | undefined;
  let retry: AbortController | undefined;
  let retrying: Promise<void> | undefined;
  let lifetime = new AbortController();
  let status: ConnectionStatus = { state: 'disconnected', since: new Date(clock.now()).toISOString(), failures: 0 };
  let dropped: DroppedReplies = { replies: 0, progress: 0 };
  let lastTraffic = 0;

  function setStatus(change: Partial<ConnectionStatus> & { state: ConnectionState }): void {
    const before = status;
    const same =
      before.state === change.state && before.reason === change.reason && before.nextTryAt === change.nextTryAt;
    const { reason: _reason, code: _code, nextTryAt: _next, signInUrl: _signIn, ...kept } = before;
    status = { ...kept, since: same ? before.since : new Date(clock.now()).toISOString(), ...change };
    if (!same) options.onStatus(status, before.state);
  }

  /** Connected or degraded, by what the lists say. */
  function settleState(): void {
    if (!session || status.state === 'connecting') return;
    settle();
  }

  function settle(): void {
    const trouble = lists.trouble();
    setStatus(trouble ? { state: 'degraded', reason: trouble, code: 'SERVER_ERROR' } : { state: 'connected' });
  }

  function open(): Promise<void> {
    if (opening) return opening.promise;
    retry?.abort();
    const cancel = new AbortController();
    const promise = attempt(cancel.signal).finally(() => {
      if (opening?.cancel === cancel) opening = undefined;
    });
    opening = { promise, cancel };
    promise.catch(() => {});
    return promise;
  }

  async function attempt(signal: AbortSignal): Promise<void> {
    setStatus({ state: 'connecting' });
    const started = performance.now();
    let opened: Session | undefined;
    let isUp = false;
    let lostEarly: ToolwharfError | undefined;
    try {
      opened = await openSession(spec, {
        questions,
        memory,
        log,
        env,
        maxMessageBytes,
        logLevel,
        openHttp: http?.open,
        stderr,
        redactor,
        signal,
        onNotification: receive,
        onLost: (cause) => {
          if (isUp) lost(opened, cause);
          else lostEarly = cause;
        },
      });
      signal.throwIfAborted();
      session = opened;
      dropped = opened.channel.dropped;
      lifetime = new AbortController();
      lastTraffic = clock.now();
      status = { ...status, ...factsOf(opened) };
      await lists.readAll(opened.capabilities);
      if (lostEarly) throw lostEarly;
    } catch (cause) {
      await abandon(opened);
      const error = hidden(toToolwharfError(cause, 'SERVER_UNREACHABLE'));
      if (signal.aborted) throw error;
      failed(error);
      throw error;
    }
    isUp = true;
    status = {
      ...status,
      failures: 0,
      lastConnectedAt: new Date(clock.now()).toISOString(),
      connectMs: Math.round(performance.now() - started),
    };
    settle();
    watch(opened);
    void resources.renew(opened);
  }

  function watch(opened: Session): void {
    const { signal } = lifetime;
    listenForChanges(opened, {
      signal,
      clock,
      log,
      server: spec.name,
      onMissed: () => void lists.readAll(opened.capabilities),
    });
    watchHealth(opened, {
      signal,
      clock,
      // Many an API allows so many requests an hour, and no more.
      intervalMs: opened.transport === 'api' ? options.healthMs * 10 : options.healthMs,
      timeoutMs: Math.min(spec.timeoutMs, 10_000),
      lastTraffic: () => lastTraffic,
      onDead: (cause) => lost(opened, cause),
    });
  }

  function receive(method: string, params: JsonObject, callIds: readonly string[]): void {
    lists.noteChange(method);
    options.onNotification(method, params, callIds);
  }

  function lost(which: Session | undefined, cause: ToolwharfError): void {
    if (!which || session !== which) return;
    void abandon(which);
    failed(cause);
  }

  /** As `lost`, but what else is under way on the old session may still be answered: it is closed when it is idle. */
  function retired(which: Session, cause: ToolwharfError): void {
    if (session !== which) return;
    leave();
    retiring.add(which);
    void Promise.race([which.channel.whenIdle(), clock.sleep(spec.timeoutMs)])
      .then(() => which.close())
      .finally(() => retiring.delete(which));
    failed(cause);
  }

  function failed(error: ToolwharfError): void {
    const failures = status.failures + 1;
    const waitMs = backoffMs(failures);
    const nextTryAt = new Date(clock.now() + waitMs).toISOString();
    const { pid: _pid, ...rest } = status;
    status = { ...rest, failures };
    const { authorizationUrl: signInUrl } = error.data;
    setStatus({
      state: 'error',
      reason: error.message,
      code: error.code,
      ...(typeof signInUrl === 'string' && { signInUrl }),
      ...(wanted && { nextTryAt }),
    });
    if (!wanted) return;
    retry?.abort();
    retry = new AbortController();
    // Called off when somebody opens sooner: then that is the next try.
    retrying = clock.sleep(waitMs, retry.signal).then(open, () => opening?.promise);
    retrying.catch(() => {});
  }

  async function abandon(which: Session | undefined): Promise<void> {
    if (!which) return;
    if (session === which) leave();
    await which.close();
  }

  function leave(): void {
    session = undefined;
    lifetime.abort();
    lists.markStale();
  }

  /** The error without our secrets: servers echo what they were sent. */
  function hidden(error: ToolwharfError): ToolwharfError {
    const message = redactor.text(error.message);
    const data = redactor.value(error.data);
    if (message === error.message && data === error.data) return error;
    const Kind = error.constructor as typeof ToolwharfError;
    return new Kind(error.code, message, { data });
  }

  function currentSession(): Session {
    if (session) return session;
    const when = status.nextTryAt ? `; next try at ${status.nextTryAt}` : '';
    const why = status.reason ? ` (${status.reason}${when})` : '';
    throw new ConnectionError('SERVER_DISCONNECTED', `Not connected to MCP server: ${spec.name}${why}`, {
      data: { reached: false },
    });
  }

  /** A session to use now: the one there is, or the one being opened, or, while failures are few, a new one. */
  async function ready(signal?: AbortSignal): Promise<Session> {
    if (!session && wanted && (opening || status.failures <= patience)) {
      await abortable(open(), signal).catch((cause) => {
        if (signal?.aborted) throw cause;
      });
    }
    return currentSession();
  }

  function sendOnce(
    on: Session,
    method: string,
    params: JsonObject,
    requestOptions: RequestOptions,
  ): Promise<JsonObject> {
    const send = async (withParams: JsonObject) => {
      try {
        const result = await on.channel.request(method, withParams, requestOptions);
        lastTraffic = clock.now();
        return result;
      } catch (cause) {
        throw cause instanceof ToolwharfError ? hidden(cause) : cause;
      }
    };
    const { host, callId, passInputRequired = host?.input !== undefined } = requestOptions;
    if (on.era === 'legacy' || passInputRequired) return send(params);
    const context = { server: spec.name, signal: requestOptions.signal ?? lifetime.signal, callId };
    return requestWithInput(params, {
      send,
      answer: (question, questionParams, key) =>
        answerQuestion(host, options.questions, question, questionParams, { ...context, key }),
    });
  }

  /** Sends on the present session, and once more on a new one where the first request surely never reached the server. */
  async function deliver(
    send: (on: Session) => Promise<JsonObject>,
    signal: AbortSignal | undefined,
  ): Promise<JsonObject> {
    const first = session ?? (await ready(signal));
    try {
      return await send(first);
    } catch (cause) {
      if (!neverArrived(cause) || !wanted || signal?.aborted) throw cause;
      // The session is gone (expired, or its server was restarted). One caller rebuilds it, the others wait for that.
      retired(first, cause);
      return send(await ready(signal));
    }
  }

  return {
    spec,
    get status() {
      return status;
    },
    get dropped() {
      return dropped;
    },
    lists,
    stderr: () => stderr.lines(),
    redact: (value) => redactor.value(value),

    async connect({ attempts = 1, signal } = {}) {
      wanted = true;
      if (session) return;
      let next: Promise<void> | undefined = open();
      for (let tried = 1; ; tried++) {
        try {
          await keepProcessAlive(abortable(next, signal));
          return void currentSession();
        } catch (cause) {
          next = retrying;
          if (signal?.aborted || !wanted || tried >= attempts || !next) throw cause;
        }
      }
    },

    async disconnect() {
      wanted = false;
      retry?.abort();
      const cause = new ConnectionError('SERVER_DISCONNECTED', `Server '${spec.name}' was disconnected`);
      const pendingOpen = opening;
      pendingOpen?.cancel.abort(cause);
      await pendingOpen?.promise.catch(() => {});
      await Promise.all([abandon(session), ...[...retiring].map((old) => old.close())]);
      await http?.close();
      lists.clear();
      const { pid: _pid, ...rest } = status;
      status = { ...rest, failures: 0 };
      setStatus({ state: 'disconnected' });
    },

    request: (method, params, requestOptions = {}) =>
      deliver((on) => sendOnce(on, method, params, requestOptions), requestOptions.signal),

    async callTool(tool, args, call) {
      const { id: callId, host, signal } = call;
      const params = toCallParams(tool, args, call);
      const send = (on: Session) =>
        sendOnce(on, 'tools/call', params, { signal, callId, host, headers: toCallHeaders(tool, args, on) });
      return redactor.value(await deliver(send, signal));
    },

    refresh: (kind) => lists.read(kind),
    watchResource: (uri) => resources.watch(uri),
    finishSignIn: async (params) => (await http?.finishSignIn(params)) ?? false,
  };
}

function factsOf(session: Session): Partial<ConnectionStatus> {
  const { transport, capabilities, serverInfo, instructions, pid, era, protocolVersion } = session;
  const facts = { transport, capabilities, serverInfo, instructions, pid };
  // An API speaks no version of the protocol: we speak it to ourselves.
  return transport === 'api' ? facts : { ...facts, era, protocolVersion };
}
