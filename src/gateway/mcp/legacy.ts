import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ProfileConfig } from '../../config/config.ts';
import type { InternalStartOptions } from '../../invocation/invoker.ts';
import { isObject, type JsonObject } from '../../kernel/json.ts';
import type { Caller } from '../../kernel/tool.ts';
import { codeToolDefinitions } from '../../scale/code/code-tools.ts';
import { searchToolDefinitions } from '../../scale/search/search-tools.ts';
import type { ClientRequest, RequestUsage, TaskGeneration } from './client-request.ts';
import type { EventStream } from './event-stream.ts';
import { isLogLevel, type LogLevels } from './log-levels.ts';
import { answerRequest, instructionsOf, type MethodPorts, serverCapabilities, serverInfo } from './methods.ts';
import { missingCapability } from './missing-capability.ts';
import type { McpReplicas, SessionState } from './replicas.ts';
import { neverAborts, type Responder, sendJson } from './responder.ts';
import {
  legacyVersions,
  RpcError,
  type RpcId,
  type RpcMessage,
  type RpcRequest,
  retryHeaders,
  rpcCode,
  toError,
  toResult,
  toRpcError,
} from './rpc.ts';
import type { SerializedCache } from './serialized-cache.ts';
import { digestCapabilities, type SessionFacts, type SessionTokens } from './session-token.ts';
import type { Session, Sessions } from './sessions.ts';
import { answerTaskV1, isTaskMethodV1 } from './tasks/task-methods-v1.ts';
import { assertWatchable, maxWatchedUris } from './watch-limits.ts';

export interface LegacyPorts extends MethodPorts {
  readonly tokens: SessionTokens;
  readonly sessions: Sessions;
  readonly logLevels: LogLevels;
  readonly replicas: McpReplicas;
}

export interface LegacyClient {
  readonly caller: Caller;
  readonly profile: ProfileConfig;
  readonly refreshPolicy?: InternalStartOptions['refreshPolicy'];
  readonly usage?: RequestUsage;
}

const sessionHeader = 'mcp-session-id';

/** Handles `initialize`. The returned session id contains the encrypted session. */
export async function initialize(
  message: RpcRequest,
  client: LegacyClient,
  response: ServerResponse,
  ports: LegacyPorts,
): Promise<void> {
  const { protocolVersion, capabilities } = message.params;
  const { token, facts } = ports.tokens.seal({
    caller: client.caller.id,
    profile: client.profile.name,
    protocolVersion: legacyVersions.find((version) => version === protocolVersion) ?? legacyVersions[0],
    capabilities: digestCapabilities(capabilities),
  });
  ports.sessions.open(facts, client.usage);
  const view = await ports.viewFor(client);
  const result = {
    protocolVersion: facts.protocolVersion,
    capabilities: serverCapabilities(view, tasksOf(facts)),
    serverInfo,
    instructions: instructionsOf(view),
  };
  sendJson(response, 200, toResult(message.id, result), { [sessionHeader]: token });
}

/** Returns the session that a request names. Throws an `RpcError` with 400 for no id, and 404 for an ended or foreign session. */
export async function sessionOf(request: IncomingMessage, client: LegacyClient, ports: LegacyPorts): Promise<Session> {
  const token = request.headers[sessionHeader];
  if (typeof token !== 'string') {
    throw new RpcError(rpcCode.invalidRequest, 'Bad Request: the Mcp-Session-Id header is needed', { httpStatus: 400 });
  }
  const facts = ports.tokens.open(token);
  const isOurs = facts && facts.caller === client.caller.id && facts.profile === client.profile.name;
  if (!isOurs || ports.sessions.isEnded(facts))
    throw new RpcError(rpcCode.invalidRequest, 'Session not found', { httpStatus: 404 });
  const version = request.headers['mcp-protocol-version'];
  if (version !== undefined && !legacyVersions.some((known) => known === version)) {
    throw new RpcError(rpcCode.invalidRequest, `Bad Request: unsupported protocol version ${String(version)}`, {
      httpStatus: 400,
    });
  }
  const isNew = !ports.sessions.find(facts.id);
  const session = ports.sessions.open(facts, client.usage);
  const state = isNew ? await ports.replicas.loadState(facts) : undefined;
  if (state) await applySessionState(session, state, ports, client.usage);
  return session;
}

/** Gives a session the log level and the subscriptions that the client set on another replica. */
export async function applySessionState(
  session: Session,
  { logLevel, watched }: SessionState,
  ports: Pick<LegacyPorts, 'toolbox' | 'logLevels'>,
  usage?: RequestUsage,
): Promise<void> {
  session.logLevel = logLevel;
  const wanted = new Map(watched.map(({ uri, server }) => [uri, server]));
  const dropped = [...session.watched.keys()].filter((uri) => !wanted.has(uri));
  await Promise.allSettled([
    ports.logLevels.settle(),
    ...dropped.map((uri) => unwatch(uri, session)),
    ...[...wanted].map(([uri, server]) => watch(uri, server, session, ports, { usage })),
  ]);
}

/** Handles every message that a client posts within its session. */
export async function serveLegacy(
  message: RpcMessage,
  session: Session,
  client: LegacyClient,
  responder: Responder,
  response: ServerResponse,
  ports: LegacyPorts,
): Promise<void> {
  if (message.kind === 'request') return serveRequest(message.request, session, client, responder, ports);
  await receiveLegacy(message, session, ports);
  response.writeHead(202).end();
}

/** Receives a message that needs no response: here, or on the replica that waits for it. */
export async function receiveLegacy(
  message: Exclude<RpcMessage, { kind: 'request' }>,
  session: Session,
  { replicas }: Pick<LegacyPorts, 'replicas'>,
): Promise<void> {
  if (message.kind === 'response') {
    const { id, result, error } = message;
    if (!session.answer(id, message)) await replicas.answer(session, id, { result, error });
  } else if (message.method === 'notifications/cancelled') {
    const requestId = message.params.requestId as RpcId;
    const running = session.running.get(requestId);
    if (running) running.abort(new Error('The client cancelled'));
    else await replicas.cancel(session, requestId);
  }
}

/** Serves the client's `GET` stream for messages that belong to no request, or resumes the stream that it names. */
export function serveStream(
  request: IncomingMessage,
  response: ServerResponse,
  session: Session,
  usage: RequestUsage | undefined,
): void {
  if (!/text\/event-stream|\*\/\*/.test(request.headers.accept ?? '')) {
    throw new RpcError(rpcCode.invalidRequest, 'Not Acceptable: the client must accept text/event-stream', {
      httpStatus: 406,
    });
  }
  const slot = usage?.reserve('streams');
  let stream: EventStream | undefined;
  const options = {
    onClose() {
      if (stream) session.streams.delete(stream);
      slot?.[Symbol.dispose]();
    },
  };
  const lastEventId = request.headers['last-event-id'];
  if (typeof lastEventId !== 'string') stream = session.resumable.open('standing', response, options);
  else {
    const resumed = session.resumable.resume(lastEventId, response, options);
    if (!resumed) {
      slot?.[Symbol.dispose]();
      throw new RpcError(rpcCode.invalidRequest, 'The stream of this Last-Event-ID is gone', { httpStatus: 400 });
    }
    // Messages that belong to no request must not be sent on the stream of a request.
    if (resumed.kind === 'standing') stream = resumed.stream;
  }
  if (stream) session.streams.add(stream);
}

/** Serves one request within a session. */
export async function serveRequest(
  message: RpcRequest,
  session: Session,
  client: LegacyClient,
  responder: Responder,
  ports: LegacyPorts,
): Promise<void> {
  const cancel = new AbortController();
  session.running.set(message.id, cancel);
  if (responder.signal !== neverAborts) {
    const follow = () => cancel.abort(responder.signal.reason);
    if (responder.signal.aborted) follow();
    else responder.signal.addEventListener('abort', follow, { once: true });
  }
  const request: ClientRequest = {
    method: message.method,
    params: message.params,
    era: 'legacy',
    caller: client.caller,
    profile: client.profile,
    refreshPolicy: client.refreshPolicy,
    usage: client.usage,
    capabilities: session.facts.capabilities,
    session: session.facts.id,
    tasks: tasksOf(session.facts),
    logLevel: session.logLevel,
    signal: cancel.signal,
    notify: (method, params) => responder.send({ jsonrpc: '2.0', method, params }),
    async ask(method, params, signal) {
      const own = responder.stream();
      const stream = own?.closed === false ? own : session.stream;
      if (!stream || missingCapability(session.facts.capabilities, method, params)) {
        throw new RpcError(rpcCode.methodNotFound, `This client cannot answer ${method}`);
      }
      return session.ask(stream, method, params, signal);
    },
  };
  using _early = openEarly(message, session, responder);
  try {
    const result = toLegacyResult(await answer(message, request, session, ports), ports.serialized);
    await ports.serialized.prepare(result);
    responder.finish(toResult(message.id, result));
  } catch (cause) {
    // A cancelled request gets no response, as the protocol requires. Over HTTP its stream must still end.
    const error = toRpcError(cause);
    noteElicitations(error, session);
    const headers = retryHeaders(error);
    responder.finish(toError(message.id, error), headers['retry-after'] ? error.httpStatus : 200, headers);
  } finally {
    if (session.running.get(message.id) === cancel) session.running.delete(message.id);
  }
}

const openAfterMs = 2_000;

/** Opens the stream of a long call, because a client can resume only a stream of which it received an event. */
function openEarly({ method }: RpcRequest, { resumable }: Session, responder: Responder): Disposable {
  const opens = method === 'tools/call' && resumable.primes;
  const timer = opens ? setTimeout(() => responder.stream(), openAfterMs).unref() : undefined;
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}

function answer(
  message: RpcRequest,
  request: ClientRequest,
  session: Session,
  ports: LegacyPorts,
): Promise<JsonObject> {
  switch (message.method) {
    case 'logging/setLevel':
      return setLevel(message, session, ports);
    case 'resources/subscribe':
      return subscribe(request, session, ports);
    case 'resources/unsubscribe':
      return unsubscribe(String(message.params.uri), session, ports);
    case 'tools/list':
      return answerRequest(request, ports).then((tools) => withTaskSupport(tools, request, ports.serialized));
    default:
      if (request.tasks && isTaskMethodV1(message.method)) return answerTaskV1(request, ports);
      return answerRequest(request, ports);
  }
}

/** Only revision 2025-11-25 of the legacy era has tasks. */
export function tasksOf({ protocolVersion }: Pick<SessionFacts, 'protocolVersion'>): TaskGeneration | undefined {
  return protocolVersion === '2025-11-25' ? 'v1' : undefined;
}

/** The gateway's own tools that only search the others, and cannot run as tasks. */
const searchDefinitions = new Set<JsonObject>(
  [...searchToolDefinitions, ...codeToolDefinitions].filter(({ name }) => name !== 'call_tool' && name !== 'run_code'),
);

/** Clients of revision 2025-11-25 may run only those tools as tasks that say so. */
function withTaskSupport(result: JsonObject, { tasks }: ClientRequest, serialized: SerializedCache): JsonObject {
  if (!tasks) return result;
  return serialized.derive(result, 'tasks', () => ({
    ...result,
    tools: (result.tools as readonly JsonObject[]).map((tool) =>
      searchDefinitions.has(tool)
        ? tool
        : { ...tool, execution: { ...(isObject(tool.execution) && tool.execution), taskSupport: 'optional' } },
    ),
  }));
}

async function setLevel({ params }: RpcRequest, session: Session, ports: LegacyPorts): Promise<JsonObject> {
  if (!isLogLevel(params.level))
    throw new RpcError(rpcCode.invalidParams, `Unknown log level: ${String(params.level)}`);
  session.logLevel = params.level;
  await ports.logLevels.settle();
  await ports.replicas.shareState(session);
  return {};
}

async function subscribe(request: ClientRequest, session: Session, ports: LegacyPorts): Promise<JsonObject> {
  const uri = String(request.params.uri);
  const found = (await ports.viewFor(request)).findResource(uri);
  if (!found) throw new RpcError(rpcCode.resourceNotFound, `Resource not found: ${uri}`, { data: { uri } });
  // Updates would arrive under the server's own URI.
  if (found.uri !== uri)
    throw new RpcError(rpcCode.invalidParams, `The resource of an app has no subscriptions: ${uri}`);
  if (session.watched.has(uri)) return {};
  assertWatchable(uri);
  if (session.watched.size >= maxWatchedUris)
    throw new RpcError(rpcCode.invalidParams, `A session can subscribe to ${maxWatchedUris} resources at most`);
  await watch(uri, found.server, session, ports, request);
  await ports.replicas.shareState(session);
  return {};
}

async function unsubscribe(uri: string, session: Session, { replicas }: LegacyPorts): Promise<JsonObject> {
  await unwatch(uri, session);
  await replicas.shareState(session);
  return {};
}

async function watch(
  uri: string,
  server: string,
  session: Session,
  { toolbox }: Pick<LegacyPorts, 'toolbox'>,
  { caller, usage }: { readonly caller?: Caller; readonly usage?: RequestUsage } = {},
): Promise<void> {
  if (session.watched.has(uri)) return;
  const slot = usage?.reserve('subscriptions');
  // A subscription that another replica recorded has no caller here.
  const watching = toolbox.resources.watch(server, uri, { caller });
  const entry = {
    server,
    async end() {
      slot?.[Symbol.dispose]();
      await (await watching)();
    },
  };
  session.watched.set(uri, entry);
  try {
    await watching;
  } catch (cause) {
    slot?.[Symbol.dispose]();
    if (session.watched.get(uri) === entry) session.watched.delete(uri);
    throw cause;
  }
}

async function unwatch(uri: string, session: Session): Promise<void> {
  const entry = session.watched.get(uri);
  session.watched.delete(uri);
  await entry?.end();
}

/** Records URL elicitations from an error, so that the client is notified when the user completes them. */
function noteElicitations({ code, data }: RpcError, session: Session): void {
  if (code !== rpcCode.urlElicitation || !isObject(data) || !Array.isArray(data.elicitations)) return;
  for (const elicitation of data.elicitations)
    if (isObject(elicitation)) session.addElicitation(String(elicitation.elicitationId));
}

/** Removes the members that only the modern era defines. */
function toLegacyResult(result: JsonObject, serialized: SerializedCache): JsonObject {
  if (result.resultType === undefined && result.ttlMs === undefined && result.cacheScope === undefined) return result;
  return serialized.derive(result, 'legacy', () => {
    const { resultType: _type, ttlMs: _ttl, cacheScope: _scope, ...rest } = result;
    return rest;
  });
}
