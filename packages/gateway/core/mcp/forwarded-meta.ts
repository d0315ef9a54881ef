import type { Era } from '../../../contract/connections.ts';
import { isObject, type JsonObject } from '../../../contract/json.ts';
import { tasksExtension } from '../../../toolwharf/connections/follow-task.ts';
import type { RequestHost } from '../../../toolwharf/connections/request-host.ts';
import { accountMember } from '../../../toolwharf/invocation/dispatch.ts';
import { isOwnMember } from '../../../toolwharf/kernel/own-meta.ts';
import type { ClientRequest } from './client-request.ts';
import type { MethodPorts } from './method-ports.ts';
import { metaKey, metaOf, RpcError, rpcCode } from './rpc.ts';
import { toServerState } from './server-questions.ts';

/** The `_meta` member that carries the idempotency key of a call. */
export const idempotencyKey = 'toolwharf/idempotencyKey';

const ownMembers = new Set<string>([
  metaKey.version,
  metaKey.clientInfo,
  metaKey.clientCapabilities,
  metaKey.logLevel,
  'progressToken',
]);

/**
 * The client's `_meta` for the server, without members of the client connection, plus the log level and what a modern server needs. The
 * connection sets a legacy session to the log level.
 */
export function forwardedMeta(request: ClientRequest, upstreamEra: Era | undefined): Record<string, unknown> {
  const forwarded: Record<string, unknown> = {};
  const meta = metaOf(request.params);
  for (const member of Object.keys(meta)) if (!isForGateway(member)) forwarded[member] = meta[member];
  const isModern = upstreamEra === 'modern';
  // A legacy client that set no level gets the default level.
  const logLevel = request.logLevel ?? (isModern && request.era === 'legacy' ? 'info' : undefined);
  if (logLevel !== undefined) forwarded[metaKey.logLevel] = logLevel;
  if (!isModern) return forwarded;
  // A modern server reads from each request which questions it may ask, so the request carries the capabilities of the client.
  forwarded[metaKey.clientCapabilities] = carried(request.capabilities);
  return forwarded;
}

/** True for members of the client connection, and those that only the gateway may set or reads itself. */
function isForGateway(member: string): boolean {
  // The call chooses the account, and removes the member.
  return ownMembers.has(member) || (isOwnMember(member) && member !== accountMember);
}

/** Removes task support from the capabilities: the connection to the server follows tasks, whatever the client can. */
function carried(all: JsonObject): JsonObject {
  if (all.tasks === undefined && all.extensions === undefined) return all;
  const { tasks: _tasks, extensions, ...capabilities } = all;
  if (!isObject(extensions)) return capabilities;
  const { [tasksExtension]: _extension, ...kept } = extensions;
  return { ...capabilities, ...(Object.keys(kept).length > 0 && { extensions: kept }) };
}

/** The era of a server; undefined for a local tool, and for a server that was never connected. */
export function eraOf(server: string | undefined, { toolbox }: Pick<MethodPorts, 'toolbox'>): Era | undefined {
  return server === undefined ? undefined : toolbox.servers.status(server)?.era;
}

/** The answers to a server's questions that a request contains. */
export function inputOf({ inputResponses, requestState }: JsonObject): NonNullable<RequestHost['input']> {
  return {
    responses: isObject(inputResponses) ? inputResponses : undefined,
    state: toServerState(requestState),
  };
}

const roundParams = ['_meta', 'inputResponses', 'requestState'];
const definedParams: Readonly<Record<string, readonly string[]>> = {
  'tools/call': ['name', 'arguments', 'task', ...roundParams],
  'resources/read': ['uri', ...roundParams],
  'prompts/get': ['name', 'arguments', ...roundParams],
  'completion/complete': ['ref', 'argument', 'context', ...roundParams],
};
/** A person who is asked for approval has to see them all. */
const maxExtraLength = 1_500;

/** The members of a request for a server that the protocol does not define. */
export function extraParamsOf({ method, params }: ClientRequest): JsonObject | undefined {
  let extra: Record<string, unknown> | undefined;
  for (const member of Object.keys(params))
    if (!definedParams[method]?.includes(member)) extra = { ...extra, [member]: params[member] };
  if (!extra || JSON.stringify(extra).length <= maxExtraLength) return extra;
  const message = `Members of params that the protocol does not define are longer than ${maxExtraLength} characters`;
  throw new RpcError(rpcCode.invalidParams, message);
}
