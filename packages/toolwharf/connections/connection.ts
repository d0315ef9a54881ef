import type { ConnectionState } from '../../contract/connections.ts';
import { ToolwharfError } from '../../contract/errors.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';
import type { ServerSpec } from '../../contract/settings/config.ts';
import type { SecretValues } from '../config/references.ts';
import { type AbortSource, toAbortSignal } from '../kernel/abort-source.ts';
import type { Clock } from '../kernel/clock.ts';
import { exactMember, replaceMembers, restate } from '../kernel/exact-json.ts';
import { hideArguments, secretMask } from '../kernel/hide-arguments.ts';
import { overrideMembers } from '../kernel/override-members.ts';
import { createRedactor, type Redactor } from '../kernel/redact.ts';
import { secretsOf } from '../kernel/secret-values.ts';
import type { AccountUse, ServerAccounts } from './accounts/account-store.ts';
import type { SignInState } from './authentication/sign-in-state.ts';
import type { DroppedReplies } from './channel.ts';
import { createDelivery, sharedLegacyLane } from './delivery.ts';
import { retryReadOnDisconnect, wasNotReached } from './delivery-errors.ts';
import type { ListKind } from './discovery.ts';
import type { Exchange, RequestObserver, SessionKind } from './exchange.ts';
import { createdTaskId, type FollowTaskPorts, followTask } from './follow-task.ts';
import type { HttpEndpoints } from './http/http-endpoints.ts';
import { createModernSubscription, type ModernSubscription } from './modern-subscription.ts';
import { openSession } from './open-session.ts';
import { type ParamHeader, toParamHeaders } from './param-headers.ts';
import type { SendingOptions } from './pending-request.ts';
import { answerQuestion, type RequestHost, toSessionHost, withRoots } from './request-host.ts';
import { answerRoots, requestWithInput, withInput } from './request-with-input.ts';
import { createResourceSubscriptions } from './resource-subscriptions.ts';
import { assertSafeError, assertSafeInput } from './safe-questions.ts';
import { createServerListCache, type ServerLists } from './server-lists.ts';
import type { Session, SessionOptions } from './session.ts';
import { setSessionLogLevel } from './session-log-level.ts';
import { createSessionSupervisor } from './session-supervisor.ts';
import { createSideSessions, type OpenSideSession } from './side-sessions.ts';
import { createIdleSleep } from './sleep-when-idle.ts';
import type { ConnectionStatus } from './status.ts';
import { createStderrTail } from './stderr-tail.ts';
import type { StartSlots } from './stdio/start-slots.ts';
import type { RecordedRequest } from './traffic/traffic-log.ts';
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
    | 'plugins'
  > {
  readonly openHttp: HttpEndpoints;
  /** Limits how many programs of lazy servers start at the same time; no limit. */
  readonly starts?: StartSlots;
  readonly clock: Clock;
  /** How long a server may be silent and miss a check before the connection counts as degraded; 30 000. */
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
export interface ToolCall extends Pick<Exchange, 'account' | 'onWait' | 'onReached' | 'onForward'>, RequestObserver {
  readonly id: string;
  readonly host: RequestHost;
  readonly signal: AbortSource;
  /** Sent as the request's `_meta`. */
  readonly meta?: JsonObject;
  /** Other members of the request, which the protocol does not define. */
  readonly extraParams?: JsonObject;
  /** The tool as the server lists it now, for a call that waited for a connection. Throws if the call must not be sent. */
  readonly currentTool?: () => CallableTool;
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
  /** Lists these tools, which were accepted before, and connects when a request needs it. Undefined for servers that are not lazy. */
  rest?(tools: readonly JsonObject[]): Promise<void>;
  disconnect(): Promise<void>;
  /** Sends one request and returns its raw result. Sent a second time only when the first surely never reached the server. */
  request(method: string, params: JsonObject, exchange?: Exchange): Promise<JsonObject>;
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
  /** Tells the server that the roots of a client have changed, if this session of the client has its own session with the server. */
  notifyRootsChanged?(clientSession: string): void;
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
  const { clock, log, protocolCache, env, maxMessageBytes, logLevel, traffic, expiresInMs, plugins } = options;
  const defaultHost = withRoots(options.defaultHost, spec.roots);
  const redactor = createRedactor();
  const stderr = createStderrTail({ redact: redactor.text });
  let secrets: SecretValues = new Map();
  const http =
    'url' in spec.target ? options.openHttp(spec, redactor, { get: (reference) => secrets.get(reference) }) : undefined;
  let dropped: DroppedReplies = { replies: 0, progress: 0 };
  let healthProblem: string | undefined;
  const subscriptions = new WeakMap<Session, ModernSubscription>();
  const idle =
    spec.lifecycle === 'lazy'
      ? createIdleSleep({
          clock,
          idleAfterMs: spec.idleAfterMs,
          graceMs: spec.cancelGraceMs,
          isBusy: () => !sides.isEmpty || supervisor.session()?.channel.isIdle === false,
          sleep: () => supervisor.sleep(),
        })
      : undefined;

  const supervisor = createSessionSupervisor({
    spec,
    clock,
    onStatus: options.onStatus,
    problem: () => healthProblem ?? lists.problem(),
    redactError: (error) => redactError(error, redactor),
    open: (signal, onLost) => open(spec, signal, onLost),
    async onOpened(session) {
      delivery.reset();
      dropped = session.channel.dropped;
      healthProblem = undefined;
      await lists.readAll(session.capabilities);
    },
    onConnected(session) {
      monitor(session);
      idle?.watch(session.lifetime.signal);
      void resources.renew(session);
    },
    onLeft: (isAsleep) => (isAsleep ? lists.rest() : lists.markStale()),
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
    onProblemChange: supervisor.updateProblem,
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
    subscriptionOf: (session) => subscriptions.get(session),
    server: spec.name,
    log,
    timeoutMs: spec.timeoutMs,
  });

  /** A message without the arguments and results that schemas mark as secret. Those of a tool that is not listed may all be. */
  function hideSecrets(message: JsonObject, request: RecordedRequest | undefined): JsonObject {
    const { method, params, result } = message;
    const tools = lists.get('tools')?.items ?? [];
    const find = (wanted: unknown) => tools.find(({ name }) => name === wanted);
    if (isObject(result)) {
      // A result of a task does not say which tool it is of, and the request may not have been recorded.
      const mayBeOfTool = request === undefined || request.tool !== undefined || request.method.startsWith('tasks/');
      const tool = find(request?.tool);
      const suspects = tool ? [tool] : tools;
      const hasSecrets = mayBeOfTool && suspects.some(({ outputSchema }) => secretsOf(outputSchema) !== undefined);
      return hasSecrets ? { ...message, result: secretMask } : message;
    }
    if (method !== 'tools/call' || !isObject(params) || !isObject(params.arguments)) return message;
    const { inputSchema = { writeOnly: true } } = find(params.name) ?? {};
    const { shown } = hideArguments([isObject(inputSchema) ? inputSchema : { writeOnly: true }], params.arguments);
    return { ...message, params: { ...params, arguments: shown } };
  }

  async function open(
    as: ServerSpec,
    signal: AbortSignal,
    onLost: SessionOptions['onLost'],
    host = defaultHost,
  ): Promise<Session> {
    const resolving = plugins?.resolveSecrets(spec, signal);
    if (resolving) {
      secrets = await resolving;
      for (const secret of secrets.values()) redactor.add(secret);
    }
    using _slot = idle && as.target.transport === 'stdio' ? await options.starts?.take(signal) : undefined;
    return await openSession(as, {
      defaultHost: host,
      protocolCache,
      log,
      env,
      maxMessageBytes,
      logLevel,
      traffic: traffic && { openTap: (tapped) => traffic.openTap(tapped, hideSecrets) },
      expiresInMs,
      openHttp: http?.open,
      plugins,
      secrets,
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
  function openSide(protocol: ServerSpec['protocol'], client?: RequestHost['client']): OpenSideSession {
    const host = toSessionHost(defaultHost, client);
    return async (signal, onLost) => {
      const lifetime = new AbortController();
      const onSideLost = () => {
        lifetime.abort();
        onLost();
        lists.handleSideChange();
      };
      const opened = await open({ ...spec, protocol }, signal, onSideLost, host);
      lists.handleSideChange();
      const close = async () => {
        lifetime.abort();
        await opened.close();
        lists.handleSideChange();
      };
      const session = { ...opened, lifetime, close };
      subscribe(session);
      await resources.attach(session);
      return session;
    };
  }

  function subscribe(session: Session, onMissed?: () => void): void {
    if (session.era === 'legacy') return;
    const { signal } = session.lifetime;
    const { name: server, timeoutMs } = spec;
    subscriptions.set(session, createModernSubscription(session, { signal, clock, log, server, timeoutMs, onMissed }));
  }

  function monitor(session: Session): void {
    const { signal } = session.lifetime;
    subscribe(session, () => void lists.readAll(session.capabilities));
    watchHealth(session, {
      signal,
      clock,
      // Many APIs limit the number of requests per hour.
      intervalMs: session.transport === 'api' ? options.healthMs * 10 : options.healthMs,
      timeoutMs: Math.min(spec.timeoutMs, 10_000),
      onProblem(problem) {
        healthProblem = problem;
        supervisor.updateProblem();
      },
      onUnresponsive: (cause) => supervisor.lose(session, cause),
    });
  }

  /** Sends a request on this session, and answers the questions that a server of the modern era returns. */
  function send(
    session: Session,
    method: string,
    params: JsonObject,
    exchange: Exchange,
    sending: SendingOptions = {},
  ): Promise<JsonObject> {
    const given = exchange.host;
    const host = given && withRoots(given, spec.roots);
    const rooted = host === given ? exchange : { ...exchange, host };
    const sendAgain = (withParams: JsonObject) => sendOnce(session, method, withParams, rooted, sending);
    if (host?.input) {
      const { roots } = spec;
      return sendAgain(withInput(params, host.input))
        .then((result) => (roots ? answerRoots(params, result, roots, sendAgain) : result))
        .then(assertSafe);
    }
    if (session.era === 'legacy') {
      const leveling = setSessionLogLevel(session, method, params, spec.timeoutMs);
      const answered = leveling ? leveling.then(() => sendAgain(params)) : sendAgain(params);
      if (supervisor.session()?.era !== 'modern') return answered;
      return answered.then((result) => unwrapOutput(result, (exchange.follows ?? params).name));
    }
    const sent = sendAgain(params);
    return sent.then((result) => {
      if (result.resultType !== 'input_required') return result;
      exchange.onReached?.();
      assertSafe(result);
      const signal = toAbortSignal(exchange.signal ?? session.lifetime.signal);
      const context = { server: spec.name, signal, callId: exchange.callId };
      return requestWithInput(params, result, {
        send: sendAgain,
        answer: (question, questionParams, key) =>
          answerQuestion(host, defaultHost, question, questionParams, { ...context, key }),
      });
    });
  }

  /** The output as the modern session lists it: in the legacy era, the official SDK wraps output that need not be an object. */
  function unwrapOutput(result: JsonObject, toolName: unknown): JsonObject {
    const { structuredContent } = result;
    if (!isObject(structuredContent) || Object.keys(structuredContent).join() !== 'result') return result;
    const schema = lists.get('tools')?.items.find(({ name }) => name === toolName)?.outputSchema;
    const isWrapped = isObject(schema) && schema.type !== 'object';
    const exact = exactMember(result, 'structuredContent') as JsonObject;
    return isWrapped ? restate(replaceMembers(result, { structuredContent: exact.result })) : result;
  }

  function sendOnce(
    session: Session,
    method: string,
    params: JsonObject,
    exchange: Exchange,
    sending: SendingOptions,
  ): Promise<JsonObject> {
    const subject = method === 'tools/call' ? String(params.name) : method;
    const reply = exchange.host?.openReply?.(`${spec.name}/${subject}`);
    const isCancelled = exchange.signal?.aborted === true;
    return session.channel.request(method, params, exchange, sending, reply).catch((cause) => {
      reply?.discard();
      if (!isCancelled && !wasNotReached(cause)) exchange.onReached?.();
      if (!(cause instanceof ToolwharfError)) throw cause;
      const error = redactError(toSafeError(cause), redactor);
      // The grant was revoked: the status shows where to sign in.
      const main = supervisor.session();
      if (main && error.code === 'OAUTH_REQUIRED' && error.data.isForScope !== true) supervisor.retire(main, error);
      throw error;
    });
  }

  /** Refuses a question that asks a person to open something else than a web address. */
  function assertSafe(result: JsonObject): JsonObject {
    try {
      assertSafeInput(spec.name, result);
      return result;
    } catch (cause) {
      throw logUnsafe(cause as ToolwharfError);
    }
  }

  function toSafeError(error: ToolwharfError): ToolwharfError {
    try {
      assertSafeError(spec.name, error.data);
      return error;
    } catch (cause) {
      return logUnsafe(cause as ToolwharfError);
    }
  }

  function logUnsafe(cause: ToolwharfError): ToolwharfError {
    log.warning('connection.question-refused', cause.message, { server: spec.name });
    return cause;
  }

  /** Whether a legacy server is to run this call as a task. */
  function asksForTask({ taskSupport }: CallableTool, prefersTask: boolean | undefined): boolean {
    if (taskSupport === 'required') return true;
    return taskSupport === 'optional' && prefersTask === true && offersTasks(supervisor.status().capabilities);
  }

  /** Wakes a lazy server. Its start is shown to the caller, and takes nothing of the time that the request has. */
  async function wake({ signal, host, onWait }: Pick<Exchange, 'signal' | 'host' | 'onWait'> = {}): Promise<void> {
    if (!idle || supervisor.session()) return;
    host?.onNotice?.({ kind: 'waiting', message: `Starting server '${spec.name}' …` });
    const resume = onWait?.();
    try {
      await supervisor.ready(signal);
    } finally {
      resume?.();
    }
  }

  /** The result of a task that the server created for a call. */
  async function awaitTask(
    created: JsonObject,
    taskId: string,
    follows: JsonObject,
    call: ToolCall,
    observer: RequestObserver,
  ): Promise<JsonObject> {
    const { id: callId } = call;
    const signal = toAbortSignal(call.signal);
    // The client answers the questions of a task in another way than those of the request that created it.
    const host = overrideMembers(call.host, { input: undefined });
    const context = { server: spec.name, callId, signal };
    return followTask(created, {
      request: (method, params, requestSignal) =>
        retryReadOnDisconnect(() =>
          delivery.deliver(method, params, { signal: requestSignal, callId, host, taskId, follows }),
        ),
      answer: (method, params, key) => answerQuestion(host, defaultHost, method, params, { ...context, key }),
      onTask: (task) => call.onTask?.(task),
      onUnanswered: (request) => observer.onUnanswered?.(request),
      signal,
      timeoutMs: spec.timeoutMs,
    });
  }

  async function callTool(calledTool: CallableTool, args: JsonObject, call: ToolCall): Promise<JsonObject> {
    const { id: callId, host, signal, meta } = call;
    const onWait = call.onWait && (() => call.onWait?.() ?? (() => {}));
    const observer = idle?.observe(call) ?? call;
    let tool = calledTool;
    if (!supervisor.session()) {
      await wake({ signal, host, onWait });
      if (!idle) await supervisor.ready(signal);
      tool = call.currentTool?.() ?? calledTool;
    }
    const { name, paramHeaders } = tool;
    const task = asksForTask(tool, call.prefersTask) ? {} : undefined;
    const params = { ...call.extraParams, name, arguments: args, _meta: meta, task };
    const toHeaders = paramHeaders && ((session: SessionKind) => toCallHeaders(paramHeaders, args, session));
    let endProgress: (() => void) | undefined;
    const onFollow = (end: () => void) => {
      endProgress = end;
    };
    let isReached = false;
    const onReached = () => {
      isReached = true;
      call.onReached?.();
    };
    try {
      const options = { signal, callId, host, observer, onWait, onReached, onFollow, toHeaders };
      const result = await delivery.deliver('tools/call', params, options);
      const taskId = createdTaskId(result);
      if (taskId === undefined) return redactor.value(result);
      onReached();
      return redactor.value(await awaitTask(result, taskId, params, call, observer));
    } catch (cause) {
      // A later request of the call was not delivered, but an earlier one was.
      throw isReached && wasNotReached(cause) ? withoutReach(cause) : cause;
    } finally {
      endProgress?.();
    }
  }

  async function watchResources(uris: readonly string[]): Promise<() => Promise<void>> {
    const release = idle?.hold();
    try {
      await wake();
      const unwatch = await resources.watch(uris);
      return () => unwatch().finally(release);
    } catch (cause) {
      release?.();
      throw cause;
    }
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

    request(method, params, exchange = {}) {
      if (!idle) return delivery.deliver(method, params, exchange);
      const { observer } = exchange;
      const observed = observer ? { ...exchange, observer: idle.observe(observer) } : exchange;
      return idle.during(async () => {
        await wake(exchange);
        return delivery.deliver(method, params, observed);
      });
    },

    callTool: idle ? (tool, args, call) => idle.during(() => callTool(tool, args, call)) : callTool,
    rest:
      idle &&
      (async (tools) => {
        await lists.restore('tools', tools);
        supervisor.sleep();
      }),

    async refresh(kind) {
      // A server that wakes reads its lists.
      if (idle && !supervisor.session()) await wake();
      else await lists.read(kind);
    },
    watchResources,
    notifyRootsChanged(clientSession) {
      if (spec.isolation !== 'session' || spec.roots) return;
      const message = { jsonrpc: '2.0', method: 'notifications/roots/list_changed' } as const;
      for (const key of [clientSession, `${sharedLegacyLane}${clientSession}`]) {
        const session = sides.opened(key);
        if (session?.era === 'legacy') session.channel.send(message).catch(() => {});
      }
    },
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
function toCallHeaders(declared: readonly ParamHeader[], args: JsonObject, { era, transport }: SessionKind) {
  return era === 'modern' && transport === 'http' ? toParamHeaders(declared, args) : undefined;
}

/** The error, without saying that the server was not reached. */
function withoutReach(error: ToolwharfError): ToolwharfError {
  const ErrorClass = error.constructor as typeof ToolwharfError;
  return new ErrorClass(error.code, error.message, { cause: error, data: { ...error.data, reached: undefined } });
}

/** The error without this server's secrets, which servers may repeat in their errors. */
function redactError(error: ToolwharfError, redactor: Redactor): ToolwharfError {
  const message = redactor.text(error.message);
  const data = redactor.value(error.data);
  if (message === error.message && data === error.data) return error;
  const ErrorClass = error.constructor as typeof ToolwharfError;
  return new ErrorClass(error.code, message, { data });
}
