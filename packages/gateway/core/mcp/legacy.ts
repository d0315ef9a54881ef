import type { IncomingMessage, ServerResponse } from 'node:http';
import { isObject, type JsonObject } from '../../../contract/json.ts';
import { lazy } from '../../../contract/lazy.ts';
import type { ProfileConfig } from '../../../contract/settings/config.ts';
import { codeToolDefinitions } from '../../../toolwharf/features/scripts/code-tools.ts';
import { isSearchDefinition } from '../../../toolwharf/features/search/search-tools.ts';
import type { InternalStartOptions } from '../../../toolwharf/invocation/invoker.ts';
import { LightAbort } from '../../../toolwharf/kernel/abort-source.ts';
import { toClientProgram } from '../../../toolwharf/kernel/client-program.ts';
import { replaceMembers } from '../../../toolwharf/kernel/exact-json.ts';
import type { Caller } from '../../../toolwharf/kernel/tool.ts';
import type { ClientRequest, RequestUsage, TaskGeneration } from './client-request.ts';
import { isLogLevel, type LogLevels } from './log-levels.ts';
import type { MessageStream } from './message-stream.ts';
import type { MethodPorts } from './method-ports.ts';
import { answerRequest, instructionsOf, serverCapabilities, serverInfo } from './methods.ts';
import { missingCapability } from './missing-capability.ts';
import type { McpReplicas } from './replicas.ts';
import { neverAborts, type Responder, sendJson } from './responder.ts';
import {
  legacyVersions,
  RpcError,
  type RpcId,
  type RpcMessage,
  type RpcRequest,
  retryHeaders,
  rpcCode,
  textOf,
  toError,
  toResult,
  toRpcError,
} from './rpc.ts';
import type { SerializedCache } from './serialized-cache.ts';
import { digestCapabilities, type SessionFacts, type SessionTokens } from './session-token.ts';
import { subscribe, unsubscribe } from './session-watches.ts';
import type { Session, Sessions } from './sessions.ts';

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
  const { protocolVersion, capabilities, clientInfo } = message.params;
  const { token, facts } = ports.tokens.seal({
    caller: client.caller.id,
    profile: client.profile.name,
    protocolVersion: legacyVersions.find((version) => version === protocolVersion) ?? legacyVersions[0],
    capabilities: digestCapabilities(capabilities),
    client: toClientProgram(clientInfo),
  });
  ports.sessions.open(facts, client.usage);
  const view = await ports.viewFor(client);
  const result = {
    protocolVersion: facts.protocolVersion,
    capabilities: serverCapabilities(view, ports.tasks.isOn ? tasksOf(facts) : undefined),
    serverInfo,
    instructions: instructionsOf(view),
  };
  sendJson(response, 200, toResult(message.id, result), { [sessionHeader]: token });
}

/** Returns the session that a request names. Throws an `RpcError` with 400 for no id, and 404 for an ended or foreign session. At once if the session is in memory. */
export function sessionOf(
  request: IncomingMessage,
  client: LegacyClient,
  ports: LegacyPorts,
): Session | Promise<Session> {
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
  const loading = isNew ? ports.replicas.loadState(session, client.usage) : session.loading;
  return loading ? loading.then(() => session) : session;
}

/** Receives a message that needs no response: here, or on the replica that waits for it. */
export async function receiveLegacy(
  message: Exclude<RpcMessage, { kind: 'request' }>,
  session: Session,
  { replicas, toolbox }: Pick<LegacyPorts, 'replicas' | 'toolbox'>,
): Promise<void> {
  if (message.kind === 'response') {
    const { id, result, error } = message;
    if (!session.answer(id, message)) await replicas.answer(session, id, { result, error });
  } else if (message.method === 'notifications/cancelled') {
    const requestId = message.params.requestId as RpcId;
    const running = session.running.get(requestId);
    if (running) running.abort(new Error('The client cancelled'));
    else await replicas.cancel(session, requestId);
  } else if (message.method === 'notifications/roots/list_changed') {
    toolbox.servers.notifyRootsChanged(session.facts.id);
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
  let stream: MessageStream | undefined;
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
  const request = new LegacyRequest(message, session, client, responder);
  session.running.set(message.id, request.signal);
  if (responder.signal !== neverAborts) {
    const follow = () => request.signal.abort(responder.signal.reason);
    if (responder.signal.aborted) follow();
    else responder.signal.addEventListener('abort', follow, { once: true });
  }
  // Opens the stream of a long call, because a client can resume only a stream of which it received an event.
  const opensEarly = message.method === 'tools/call' && session.resumable.primes;
  const timer = opensEarly ? setTimeout(openStream, openAfterMs, responder).unref() : undefined;
  try {
    const result = toLegacyResult(await answer(message, request, session, ports), ports.serialized);
    const preparing = ports.serialized.prepare(result);
    if (preparing) await preparing;
    responder.finish(toResult(message.id, result));
  } catch (cause) {
    // A cancelled request gets no response, as the protocol requires. Over HTTP its stream must still end.
    const error = toRpcError(cause);
    noteElicitations(error, session);
    const headers = retryHeaders(error);
    responder.finish(toError(message.id, error), headers['retry-after'] ? error.httpStatus : 200, headers);
  } finally {
    clearTimeout(timer);
    if (session.running.get(message.id) === request.signal) session.running.delete(message.id);
  }
}

const openAfterMs = 2_000;

function openStream(responder: Responder): void {
  responder.stream();
}

/** A class, because every request has one: methods on a prototype cost nothing per request. Its fields are visible to objects made from it. */
class LegacyRequest implements ClientRequest {
  readonly id: RpcRequest['id'];
  readonly method: string;
  readonly params: JsonObject;
  readonly headers = undefined;
  readonly signal = new LightAbort();
  private readonly client: LegacyClient;
  private readonly inSession: Session;
  private readonly responder: Responder;

  constructor({ id, method, params }: RpcRequest, session: Session, client: LegacyClient, responder: Responder) {
    this.id = id;
    this.method = method;
    this.params = params;
    this.client = client;
    this.inSession = session;
    this.responder = responder;
  }

  get era(): 'legacy' {
    return 'legacy';
  }

  get caller(): Caller {
    const { client } = this.inSession.facts;
    return client ? { ...this.client.caller, client } : this.client.caller;
  }

  get profile(): ProfileConfig {
    return this.client.profile;
  }

  get refreshPolicy(): LegacyClient['refreshPolicy'] {
    return this.client.refreshPolicy;
  }

  get usage(): RequestUsage | undefined {
    return this.client.usage;
  }

  get capabilities(): JsonObject {
    return this.inSession.facts.capabilities;
  }

  get protocolVersion(): string {
    return this.inSession.facts.protocolVersion;
  }

  get isLocal(): boolean {
    return this.client.usage === undefined;
  }

  get session(): string {
    return this.inSession.facts.id;
  }

  get listRoots(): ClientRequest['listRoots'] {
    return this.inSession.listRoots;
  }

  get tasks(): TaskGeneration | undefined {
    return tasksOf(this.inSession.facts);
  }

  get logLevel(): string | undefined {
    return this.inSession.logLevel;
  }

  notify(method: string, params: JsonObject): void {
    this.responder.send({ jsonrpc: '2.0', method, params });
  }

  async ask(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const own = this.responder.stream();
    const stream = own?.closed === false ? own : this.inSession.stream;
    if (!stream || missingCapability(this.capabilities, method, params))
      throw new RpcError(rpcCode.methodNotFound, `This client cannot answer ${method}`);
    return this.inSession.ask(stream, method, params, signal);
  }
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
      return unsubscribe(textOf(message.params.uri), session, ports);
    case 'tools/list':
      return answerRequest(request, ports).then((tools) => withTaskSupport(tools, request, ports));
    default:
      if (request.tasks && ports.tasks.hasMethod('v1', message.method)) return ports.tasks.answer('v1', request);
      return answerRequest(request, ports);
  }
}

/** Only revision 2025-11-25 of the legacy era has tasks. */
export function tasksOf({ protocolVersion }: Pick<SessionFacts, 'protocolVersion'>): TaskGeneration | undefined {
  return protocolVersion === '2025-11-25' ? 'v1' : undefined;
}

/** `describe_tools` of the tools for scripts, which cannot run as a task. */
const describeTools = lazy(
  () => new Set<JsonObject>(codeToolDefinitions().filter(({ name }) => name === 'describe_tools')),
);

/** Clients of revision 2025-11-25 may run only those tools as tasks that say so. */
function withTaskSupport(
  result: JsonObject,
  request: ClientRequest,
  { tasks, serialized }: Pick<MethodPorts, 'tasks' | 'serialized'>,
): JsonObject {
  if (!request.tasks || !tasks.isOn) return result;
  return serialized.derive(result, 'tasks', () => ({
    ...result,
    tools: (result.tools as readonly JsonObject[]).map((tool) =>
      isSearchDefinition(tool) || describeTools().has(tool)
        ? tool
        : { ...tool, execution: { ...(isObject(tool.execution) && tool.execution), taskSupport: 'optional' } },
    ),
  }));
}

async function setLevel({ params }: RpcRequest, session: Session, ports: LegacyPorts): Promise<JsonObject> {
  if (!isLogLevel(params.level))
    throw new RpcError(rpcCode.invalidParams, `Unknown log level: ${textOf(params.level)}`);
  session.logLevel = params.level;
  await ports.logLevels.settle();
  await ports.replicas.shareState(session);
  return {};
}

/** Records URL elicitations from an error, so that the client is notified when the user completes them. */
function noteElicitations({ code, data }: RpcError, session: Session): void {
  if (code !== rpcCode.urlElicitation || !isObject(data) || !Array.isArray(data.elicitations)) return;
  for (const elicitation of data.elicitations) if (isObject(elicitation)) session.addElicitation(elicitation);
}

/** Removes the members that only the modern era defines. */
function toLegacyResult(result: JsonObject, serialized: SerializedCache): JsonObject {
  if (result.resultType === undefined && result.ttlMs === undefined && result.cacheScope === undefined) return result;
  return serialized.derive(result, 'legacy', () =>
    replaceMembers(result, { resultType: undefined, ttlMs: undefined, cacheScope: undefined }),
  );
}
