import { tasksExtension } from '../../connections/follow-task.ts';
import type { RequestHost } from '../../connections/request-host.ts';
import type { Era } from '../../connections/status.ts';
import { isObject, type JsonObject } from '../../kernel/json.ts';
import type { ClientRequest } from './client-request.ts';
import { isLogLevel } from './log-levels.ts';
import type { MethodPorts } from './method-ports.ts';
import { metaKey, metaOf } from './rpc.ts';

/** The `_meta` member that carries the idempotency key of a call. */
export const idempotencyKey = 'toolwharf/idempotencyKey';

const ownMembers = new Set<string>([
  metaKey.version,
  metaKey.clientInfo,
  metaKey.clientCapabilities,
  metaKey.logLevel,
  'progressToken',
  idempotencyKey,
]);

/** The client's `_meta` for the server, without members of the client connection, plus those that a modern server needs. */
export function forwardedMeta(request: ClientRequest, upstreamEra: Era | undefined): Record<string, unknown> {
  const forwarded: Record<string, unknown> = {};
  const meta = metaOf(request.params);
  for (const member of Object.keys(meta)) if (!ownMembers.has(member)) forwarded[member] = meta[member];
  if (upstreamEra !== 'modern') return forwarded;
  // A legacy client that set no level gets the default level.
  const logLevel = request.logLevel ?? (request.era === 'legacy' ? 'info' : undefined);
  // A modern server reads from each request which questions it may ask, so the request carries the capabilities of the client.
  forwarded[metaKey.clientCapabilities] = carried(request.capabilities);
  if (logLevel !== undefined) forwarded[metaKey.logLevel] = logLevel;
  return forwarded;
}

/** Removes task support from the capabilities: the connection to the server follows tasks, whatever the client can. */
function carried(all: JsonObject): JsonObject {
  if (all.tasks === undefined && all.extensions === undefined) return all;
  const { tasks: _tasks, extensions, ...capabilities } = all;
  if (!isObject(extensions)) return capabilities;
  const { [tasksExtension]: _extension, ...kept } = extensions;
  return { ...capabilities, ...(Object.keys(kept).length > 0 && { extensions: kept }) };
}

/** Returns the era of the server. A legacy server first gets the log level, because its requests cannot carry one. */
export function prepareServer(
  server: string | undefined,
  request: ClientRequest,
  { toolbox, logLevels }: Pick<MethodPorts, 'toolbox' | 'logLevels'>,
): Era | undefined | Promise<Era | undefined> {
  const era = server === undefined ? undefined : toolbox.servers.status(server)?.era;
  const { logLevel } = request;
  if (server === undefined || era !== 'legacy' || request.era !== 'modern' || !isLogLevel(logLevel)) return era;
  return logLevels.raise(server, logLevel).then(() => era);
}

/** The answers to a server's questions that a request contains. */
export function inputOf({ inputResponses, requestState }: JsonObject): NonNullable<RequestHost['input']> {
  return {
    responses: isObject(inputResponses) ? inputResponses : undefined,
    state: typeof requestState === 'string' ? requestState : undefined,
  };
}
