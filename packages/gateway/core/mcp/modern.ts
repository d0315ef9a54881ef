import type { IncomingMessage } from 'node:http';
import { isObject, type JsonObject } from '../../../contract/json.ts';
import type { ProfileConfig } from '../../../contract/settings/config.ts';
import { tasksExtension } from '../../../toolwharf/connections/follow-task.ts';
import type { InternalStartOptions } from '../../../toolwharf/invocation/invoker.ts';
import { toClientProgram } from '../../../toolwharf/kernel/client-program.ts';
import { exactMember, replaceMembers } from '../../../toolwharf/kernel/exact-json.ts';
import type { Caller } from '../../../toolwharf/kernel/tool.ts';
import type { ClientRequest, RequestUsage } from './client-request.ts';
import type { InputRounds, RoundClient } from './input-rounds.ts';
import type { MethodPorts } from './method-ports.ts';
import { answerRequest, discover, isKnownMethod, serverInfo } from './methods.ts';
import { missingCapability } from './missing-capability.ts';
import { checkHeaders } from './modern-headers.ts';
import type { McpReplicas } from './replicas.ts';
import type { Responder } from './responder.ts';
import {
  listenMethod,
  metaKey,
  metaOf,
  modernVersion,
  RpcError,
  type RpcRequest,
  retryHeaders,
  rpcCode,
  textOf,
  toError,
  toResult,
  toRpcError,
} from './rpc.ts';
import type { Subscriptions } from './subscriptions.ts';

export interface ModernPorts extends MethodPorts {
  readonly inputRounds: InputRounds;
  readonly replicas: McpReplicas;
  readonly subscriptions: Subscriptions;
}

export interface ModernClient {
  readonly caller: Caller;
  readonly profile: ProfileConfig;
  readonly refreshPolicy?: InternalStartOptions['refreshPolicy'];
  readonly usage?: RequestUsage;
  /** The HTTP request, whose headers must match its body; undefined over stdio. */
  readonly http?: IncomingMessage;
}

const cacheable = new Set([
  'server/discover',
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
  'skills/list',
  'skills/get',
]);
const canAsk = new Set(['tools/call', 'prompts/get', 'resources/read']);
// `ping` exists only in the legacy era.
const notModern = new Set(['ping']);

/** True if the message declares the modern era. */
export function isModern(params: JsonObject): boolean {
  return typeof metaOf(params)[metaKey.version] === 'string';
}

/** Serves one modern request. The request itself carries the version, the capabilities and the log level. */
export async function serveModern(
  message: RpcRequest,
  client: ModernClient,
  responder: Responder,
  ports: ModernPorts,
): Promise<void> {
  try {
    checkEnvelope(message);
    if (client.http) checkHeaders(message, client.http.headers);
    checkVersion(message);
    const request = toClientRequest(message, client, responder);
    if (message.method === listenMethod) {
      await ports.subscriptions.listen(message, request, responder);
      return;
    }
    const result = await answer(message, request, ports);
    await ports.serialized.prepare(result);
    responder.finish(toResult(message.id, result));
  } catch (cause) {
    if (responder.signal.aborted) return;
    const error = toRpcError(cause);
    // The modern era requires status 400 for a missing capability, whether the gateway or the server reported it.
    const status = error.code === rpcCode.missingCapability ? 400 : error.httpStatus;
    responder.finish(toError(message.id, error), status, retryHeaders(error));
  }
}

async function answer(message: RpcRequest, request: ClientRequest, ports: ModernPorts): Promise<JsonObject> {
  const { method, params } = message;
  if (method === 'server/discover') return toModernResult(method, await discover(request, ports), ports);
  if (ports.tasks.hasMethod('v2', method))
    return toModernResult(method, await ports.tasks.answer('v2', request), ports);
  if (!isKnownMethod(method, ports) || notModern.has(method)) {
    throw new RpcError(rpcCode.methodNotFound, `Method not found: ${method}`, { httpStatus: 404 });
  }
  if (!canAsk.has(method)) return toModernResult(method, await answerRequest(request, ports), ports);
  const { requestState, inputResponses } = params;
  const round = {
    owner: [request.caller.id, request.profile.name, method, textOf(params.name ?? params.uri)].join('\0'),
    answers: isObject(inputResponses) ? inputResponses : {},
    notify: request.notify,
    signal: request.signal,
    reservation: request.usage?.body,
    results: request.usage?.results,
  };
  const { inputRounds, replicas } = ports;
  if (inputRounds.isOwn(requestState)) {
    const resumed = replicas.resume(round, requestState) ?? inputRounds.resume(round, requestState);
    return toModernResult(method, await resumed, ports);
  }
  const run = ({ ask, notify, signal }: RoundClient) =>
    answerRequest({ ...request, notify, signal, ask: checkedAsk(request, ask) }, ports);
  return toModernResult(method, await inputRounds.start(round, run), ports);
}

function toClientRequest(message: RpcRequest, client: ModernClient, responder: Responder): ClientRequest {
  const meta = metaOf(message.params);
  const { [metaKey.clientCapabilities]: declared, [metaKey.logLevel]: logLevel } = meta;
  const program = toClientProgram(meta[metaKey.clientInfo]);
  const capabilities = isObject(declared) ? declared : {};
  const extensions = isObject(capabilities.extensions) ? capabilities.extensions : {};
  return {
    id: message.id,
    protocolVersion: modernVersion,
    isLocal: client.http === undefined,
    method: message.method,
    params: message.params,
    era: 'modern',
    caller: program ? { ...client.caller, client: program } : client.caller,
    profile: client.profile,
    refreshPolicy: client.refreshPolicy,
    usage: client.usage,
    capabilities,
    tasks: isObject(extensions[tasksExtension]) ? 'v2' : undefined,
    logLevel: typeof logLevel === 'string' ? logLevel : undefined,
    signal: responder.signal,
    notify: (method, params) => responder.send({ jsonrpc: '2.0', method, params }),
    ask: () => Promise.reject(new Error('This request cannot ask')),
    headers: client.http?.headers,
  };
}

function checkedAsk(request: ClientRequest, ask: ClientRequest['ask']): ClientRequest['ask'] {
  return async (method, params, signal, key) => {
    const missing = missingCapability(request.capabilities, method, params);
    if (!missing) return ask(method, params, signal, key);
    const names = Object.keys(missing).join(', ');
    throw new RpcError(rpcCode.missingCapability, `Missing required client capability: ${names}`, {
      data: { requiredCapabilities: missing },
    });
  };
}

/** Adds the members that the modern era requires. Values that the server set take precedence, except for its name. */
function toModernResult(method: string, result: JsonObject, { serialized }: MethodPorts): JsonObject {
  const isComplete = result.resultType === undefined || result.resultType === 'complete';
  return serialized.derive(result, method, () => {
    const meta = exactMember(result, '_meta');
    return replaceMembers(result, {
      ...(result.resultType === undefined && { resultType: 'complete' }),
      ...(cacheable.has(method) && isComplete && result.ttlMs === undefined && { ttlMs: 0 }),
      ...(cacheable.has(method) && isComplete && result.cacheScope === undefined && { cacheScope: 'private' }),
      _meta: { ...(isObject(meta) && meta), [metaKey.serverInfo]: serverInfo },
    });
  });
}

function checkEnvelope({ params }: RpcRequest): void {
  const meta = metaOf(params);
  if (typeof meta[metaKey.version] !== 'string') throw invalidEnvelope(metaKey.version);
  if (!isObject(meta[metaKey.clientCapabilities])) throw invalidEnvelope(metaKey.clientCapabilities);
}

/** Runs after the header check, so that a mismatch between header and body is reported as a mismatch. */
function checkVersion({ params }: RpcRequest): void {
  const requested = metaOf(params)[metaKey.version];
  if (requested === modernVersion) return;
  const data = { supported: [modernVersion], requested };
  const message = `Unsupported protocol version: ${textOf(requested)}`;
  throw new RpcError(rpcCode.unsupportedVersion, message, { data, httpStatus: 400 });
}

function invalidEnvelope(key: string): RpcError {
  return new RpcError(rpcCode.invalidParams, `Invalid params: _meta needs '${key}'`, { httpStatus: 400 });
}
