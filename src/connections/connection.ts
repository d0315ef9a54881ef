import type { ServerSpec } from '../config/config.ts';
import { type AbortSource, toAbortSignal } from '../kernel/abort-source.ts';
import type { Clock } from '../kernel/clock.ts';
import { ToolwharfError } from '../kernel/errors.ts';
import { isObject, type JsonObject } from '../kernel/json.ts';
import { createRedactor, type Redactor } from '../kernel/redact.ts';
import type { AccountUse, ServerAccounts } from './accounts/account-store.ts';
import type { SignInState } from './authentication/sign-in-state.ts';
import type { DroppedReplies } from './channel.ts';
import { createDelivery, type DeliveryOptions, sharedLegacyLane } from './delivery.ts';
import { retryReadOnDisconnect } from './delivery-errors.ts';
import type { ListKind } from './discovery.ts';
import { createdTaskId, type FollowTaskPorts, followTask } from './follow-task.ts';
import type { HttpEndpoints } from './http/http-endpoints.ts';
import { createModernSubscription, type ModernSubscription } from './modern-subscription.ts';
import { openSession } from './open-session.ts';
import { type ParamHeader, toParamHeaders } from './param-headers.ts';
import type { ChannelRequestOptions } from './pending-request.ts';
import { answerQuestion, type RequestHost, withRoots } from './request-host.ts';
import { answerRoots, requestWithInput, withInput } from './request-with-input.ts';
import { createResourceSubscriptions } from './resource-subscriptions.ts';
import { createServerListCache, type ServerLists } from './server-lists.ts';
import type { Session, SessionOptions } from './session.ts';
import { createSessionSupervisor } from './session-supervisor.ts';
import { createSideSessions, type OpenSideSession } from './side-sessions.ts';
import type { ConnectionState, ConnectionStatus } from './status.ts';
import { createStderrTail } from './stderr-tail.ts';
import { createTurns } from './turns.ts';
import { watchHealth } from './watch-health.ts';

export interface ConnectionOptions
  extends Pick<
    SessionOptions,
    | 'defaultHost'
    | 'protocolCache'
    | 'log'
    | 'env'
    | 'maxMessageBytes'
    | 'logLevel'
    | 'traffic'
    | 'expiresInMs'
    | 'openTransport'
  > {
  readonly openHttp: HttpEndpoints;
  readonly clock: Clock;
  /** How long a connection may be silent before its server is pinged; 30 000. */
  readonly healthMs: number;
  readonly onStatus: (status: ConnectionStatus, before: ConnectionState) => void;
  /** A list was read; `isAnnounced` when the server said that it changed. Connecting waits for the returned promise. */
  readonly onList: (kind: ListKind, isAnnounced: boolean) => void | Promise<void>;
  readonly onNotification: SessionOptions['onNotification'];
}

/** The options with which an owner listens to a connection and limits its lifetime. */
export type ConnectionHooks = Pick<ConnectionOptions, 'onStatus' | 'onList' | 'onNotification' | 'expiresInMs'>;

/** The properties of a tool that `callTool` uses. */
export interface CallableTool {
  /** The server's own name for the tool. */
  readonly name: string;
  /** Arguments that modern HTTP servers expect in headers too. */
  readonly paramHeaders?: readonly ParamHeader[];
  /** Whether a legacy server runs the tool as a task: `optional` or `required`. */
  readonly taskSupport?: unknown;
}

/** The part of a tool call that its connection uses. */
export interface ToolCall extends Pick<DeliveryOptions, 'onWait'> {
  readonly id: string;
  readonly host: RequestHost;
  readonly signal: AbortSource;
  /** Sent as the request's `_meta`. */
  readonly meta?: JsonObject;
  /** Called with the replica that runs the server, before the call is sent to it. */
  readonly onForward?: (replica: string) => void;
  /** The account that the call uses, at a server with per-user credentials. */
  readonly account?: AccountUse;
  /** True if a tool that can run as a task should. */
  readonly prefersTask?: boolean;
  /** Called with each status of the task in which the server runs the call. */
  readonly onTask?: FollowTaskPorts['onTask'];
}

/** The connection to one server: reconnects automatically and reports its true state. */
export interface Connection {
  readonly spec: ServerSpec;
  readonly status: ConnectionStatus;
  readonly lists: ServerLists;
  readonly dropped: DroppedReplies;
  /** The last lines of the server's error output, without secrets. */
  stderr(): readonly string[];
  /** The value without this server's secrets. */
  redact<Value>(value: Value): Value;
  /** Resolves once connected; rejects after `attempts` consecutive failures. Keeps trying in the background until `disconnect`. */
  connect(options?: { attempts?: number; signal?: AbortSignal }): Promise<void>;
  disconnect(): Promise<void>;
  /** Sends one request and returns its raw result. Sent a second time only when the first surely never reached the server. */
  request(method: string, params: JsonObject, options?: DeliveryOptions): Promise<JsonObject>;
  /**
   * Calls a tool and returns its raw result, without secrets. Sent a second time only when the first request surely
   * never reached the server. Rejects when there is no result.
   */
  callTool(tool: CallableTool, args: JsonObject, call: ToolCall): Promise<JsonObject>;
  /** Reads a list again. */
  refresh(kind: ListKind): Promise<void>;
  /** Completes a sign-in with the query of its redirect; false when the sign-in is not for this server. */
  finishSignIn(params: URLSearchParams): Promise<boolean>;
  /** The stored sign-in without its secrets, and the latest attempts; undefined for servers without OAuth. */
  signInState(): Promise<SignInState | undefined>;
  /** Deletes the tokens and the registration, and starts to revoke the tokens. */
  signOut(): Promise<void>;
  /** Subscribes to changes of resources, across reconnects; the returned function unsubscribes. */
  watchResources(uris: readonly string[], account?: AccountUse): Promise<() => Promise<void>>;
  /** Undefined if all callers use the same credentials. */
  readonly accounts?: ServerAccounts;
}

/** The list and the parameter that a request takes its item from. */
const itemOf: Readonly<Record<string, readonly [ListKind, string] | undefined>> = {
  'tools/call': ['tools', 'name'],
  'prompts/get': ['prompts', 'name'],
  'resources/read': ['resources', 'uri'],
};

export function createConnection(spec: ServerSpec, options: ConnectionOptions): Connection {
  const { clock, log, protocolCache, env, maxMessageBytes, logLevel, traffic, expiresInMs } = options;
  const defaultHost = withRoots(options.defaultHost, spec.roots);
  const redactor = createRedactor();
  const stderr = createStderrTail({ redact: redactor.text });
  const http = 'url' in spec.target ? options.openHttp(spec, redactor) : undefined;
  let dropped: DroppedReplies = { replies: 0, progress: 0 };
  let lastTrafficAt = 0;
  let subscription: ModernSubscription | undefined;

  const supervisor = createSessionSupervisor({
    spec,
    clock,
    onStatus: options.onStatus,
    listProblem: () => lists.problem(),
    redactError: (error) => redactError(error, redactor),
    open: (signal, onLost) => open(spec, signal, onLost),
    async onOpened(session) {
      delivery.reset();
      dropped = session.channel.dropped;
      lastTrafficAt = clock.now();
      await lists.readAll(session.capabilities);
    },
    onConnected(session) {
      monitor(session);
      void resources.renew(session);
    },
    onLeft: () => lists.markStale(),
    async onDisconnect() {
      await sides.close();
      await http?.close();
      lists.clear();
    },
  });
  const lists = createServerListCache({
    request: (method, params) =>
      retryReadOnDisconnect(() =>
        send(supervisor.require(), method, params, { signal: AbortSignal.timeout(spec.timeoutMs) }),
      ),
    sideRequest() {
      const session = sides.opened(sharedLegacyLane);
      return (
        session && ((method, params) => send(session, method, params, { signal: AbortSignal.timeout(spec.timeoutMs) }))
      );
    },
    log,
    server: spec.name,
    onList: options.onList,
    onProblemChange: supervisor.updateListProblem,
  });
  const sides = createSideSessions({ server: spec.name, clock });
  const delivery = createDelivery({
    spec,
    defaultHost,
    sides,
    main: {
      turns: createTurns(spec.name),
      session: (signal) => supervisor.session() ?? supervisor.ready(signal),
      retire: supervisor.retire,
    },
    openSide,
    onlySessionFor(method, params) {
      const [kind, key] = itemOf[method] ?? [];
      return kind && lists.onlySessionOf(kind, params[key as string]);
    },
    isWanted: supervisor.isWanted,
    send,
  });
  const resources = createResourceSubscriptions({
    session: supervisor.require,
    subscription: () => subscription,
    server: spec.name,
    log,
    timeoutMs: spec.timeoutMs,
  });

  function open(as: ServerSpec, signal: AbortSignal, onLost: SessionOptions['onLost']): Promise<Session> {
    return openSession(as, {
      defaultHost,
      protocolCache,
      log,
      env,
      maxMessageBytes,
      logLevel,
      traffic,
      expiresInMs,
      openHttp: http?.open,
      openTransport: options.openTransport,
      stderr,
      redactor,
      signal,
      onLost,
      onNotification(method, params) {
        lists.handleNotification(method);
        options.onNotification(method, params);
      },
    });
  }

  /** The lists of a server with two sessions depend on both: its processes may have changed differently. */
  function openSide(protocol: ServerSpec['protocol']): OpenSideSession {
    return async (signal, onLost) => {
      const session = await open({ ...spec, protocol }, signal, () => {
        onLost();
        lists.handleSideChange();
      });
      lists.handleSideChange();
      const close = async () => {
        await session.close();
        lists.handleSideChange();
      };
      return { ...session, close };
    };
  }

  function monitor(session: Session): void {
    const { signal } = session.lifetime;
    subscription =
      session.era === 'legacy'
        ? undefined
        : createModernSubscription(session, {
            signal,
            clock,
            log,
            server: spec.name,
            timeoutMs: spec.timeoutMs,
            onMissed: () => void lists.readAll(session.capabilities),
          });
    watchHealth(session, {
      signal,
      clock,
      // Many APIs limit the number of requests per hour.
      intervalMs: session.transport === 'api' ? options.healthMs * 10 : options.healthMs,
      timeoutMs: Math.min(spec.timeoutMs, 10_000),
      lastTrafficAt: () => lastTrafficAt,
      onUnresponsive: (cause) => supervisor.lose(session, cause),
    });
  }

  /** Sends a request on this session, and answers the questions that a server of the modern era returns. */
  function send(
    session: Session,
    method: string,
    params: JsonObject,
    requestOptions: ChannelRequestOptions,
  ): Promise<JsonObject> {
    const given = requestOptions.host;
    const host = given && withRoots(given, spec.roots);
    const rooted = host === given ? requestOptions : { ...requestOptions, host };
    const sendAgain = (withParams: JsonObject) => sendOnce(session, method, withParams, rooted);
    if (host?.input) {
      const sent = sendAgain(withInput(params, host.input));
      const { roots } = spec;
      return roots ? sent.then((result) => answerRoots(params, result, roots, sendAgain)) : sent;
    }
    const sent = sendAgain(params);
    if (session.era === 'legacy') return sent;
    return sent.then((result) => {
      if (result.resultType !== 'input_required') return result;
      const signal = toAbortSignal(requestOptions.signal ?? session.lifetime.signal);
      const context = { server: spec.name, signal, callId: requestOptions.callId };
      return requestWithInput(params, result, {
        send: sendAgain,
        answer: (question, questionParams, key) =>
          answerQuestion(host, defaultHost, question, questionParams, { ...context, key }),
      });
    });
  }

  function sendOnce(
    session: Session,
    method: string,
    params: JsonObject,
    requestOptions: ChannelRequestOptions,
  ): Promise<JsonObject> {
    const subject = method === 'tools/call' ? String(params.name) : method;
    const reply = requestOptions.host?.openReply?.(`${spec.name}/${subject}`);
    return session.channel.request(method, params, requestOptions, reply).then(noteTraffic, (cause) => {
      reply?.discard();
      throw cause instanceof ToolwharfError ? redactError(cause, redactor) : cause;
    });
  }

  function noteTraffic(result: JsonObject): JsonObject {
    lastTrafficAt = clock.now();
    return result;
  }

  /** Whether a legacy server is to run this call as a task. */
  function asksForTask({ taskSupport }: CallableTool, prefersTask: boolean | undefined): boolean {
    if (taskSupport === 'required') return true;
    return taskSupport === 'optional' && prefersTask === true && offersTasks(supervisor.status().capabilities);
  }

  /** The result of a task that the server created for a call. */
  async function awaitTask(
    created: JsonObject,
    taskId: string,
    follows: JsonObject,
    call: ToolCall,
  ): Promise<JsonObject> {
    const { id: callId } = call;
    const signal = toAbortSignal(call.signal);
    // The client answers the questions of a task in another way than those of the request that created it.
    const host: RequestHost = Object.create(call.host, { input: { value: undefined } });
    const context = { server: spec.name, callId, signal };
    return followTask(created, {
      request: (method, params, requestSignal) =>
        retryReadOnDisconnect(() =>
          delivery.deliver(method, params, { signal: requestSignal, callId, host, taskId, follows }),
        ),
      answer: (method, params, key) => answerQuestion(host, defaultHost, method, params, { ...context, key }),
      onTask: (task) => call.onTask?.(task),
      signal,
      timeoutMs: spec.timeoutMs,
    });
  }

  return {
    spec,
    get status() {
      return supervisor.status();
    },
    get dropped() {
      return dropped;
    },
    lists,
    stderr: () => stderr.lines(),
    redact: (value) => redactor.value(value),
    connect: ({ attempts = 1, signal } = {}) => supervisor.connect({ attempts, signal }),
    disconnect: supervisor.disconnect,

    request: (method, params, requestOptions = {}) => delivery.deliver(method, params, requestOptions),

    async callTool(tool, args, call) {
      const { name, paramHeaders } = tool;
      const { id: callId, host, signal, meta } = call;
      const onWait = call.onWait && (() => call.onWait?.() ?? (() => {}));
      const params = { name, arguments: args, _meta: meta, task: asksForTask(tool, call.prefersTask) ? {} : undefined };
      const toHeaders = paramHeaders && ((session: Session) => toCallHeaders(paramHeaders, args, session));
      const result = await delivery.deliver('tools/call', params, { signal, callId, host, onWait, toHeaders });
      const taskId = createdTaskId(result);
      return redactor.value(taskId === undefined ? result : await awaitTask(result, taskId, params, call));
    },

    refresh: (kind) => lists.read(kind),
    watchResources: (uris) => resources.watch(uris),
    signInState: async () => http?.signInState(),
    signOut: async () => http?.signOut(),
    finishSignIn: async (params) => (await http?.finishSignIn(params)) ?? false,
  };
}

/** True if a legacy server can run tool calls as tasks. */
function offersTasks(capabilities: JsonObject | undefined): boolean {
  const tasks = isObject(capabilities?.tasks) ? capabilities.tasks : {};
  const requests = isObject(tasks.requests) ? tasks.requests : {};
  return isObject(requests.tools) && requests.tools.call !== undefined;
}

/** The headers that a server of the modern era expects over HTTP for these arguments. */
function toCallHeaders(declared: readonly ParamHeader[], args: JsonObject, { era, transport }: Session) {
  return era === 'modern' && transport === 'http' ? toParamHeaders(declared, args) : undefined;
}

/** The error without this server's secrets, which servers may repeat in their errors. */
function redactError(error: ToolwharfError, redactor: Redactor): ToolwharfError {
  const message = redactor.text(error.message);
  const data = redactor.value(error.data);
  if (message === error.message && data === error.data) return error;
  const ErrorClass = error.constructor as typeof ToolwharfError;
  return new ErrorClass(error.code, message, { data });
}
