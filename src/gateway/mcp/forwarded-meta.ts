import type { Era } from '../../connections/status.ts';
import { isObject, type JsonObject } from '../../kernel/json.ts';
import type { ClientRequest } from './client-request.ts';
import { metaKey, metaOf } from './rpc.ts';

/** By which a client says that its call must not run twice. */
export const idempotencyKey = 'toolwharf/idempotencyKey';

const ownMembers = new Set<string>([
  metaKey.version,
  metaKey.clientInfo,
  metaKey.clientCapabilities,
  metaKey.logLevel,
  'progressToken',
  idempotencyKey,
]);

/** What of a request's `_meta` the server gets: all but what belongs to the client's leg, and what its era wants to know. */
export function forwardedMeta(request: ClientRequest, upstreamEra: Era | undefined): JsonObject {
  const forwarded: Record<string, unknown> = {};
  for (const [member, value] of Object.entries(metaOf(request.params)))
    if (!ownMembers.has(member)) forwarded[member] = value;
  if (upstreamEra !== 'modern') return forwarded;
  // A legacy client that has not chosen a level hears what is usual.
  const logLevel = request.logLevel ?? (request.era === 'legacy' ? 'info' : undefined);
  return {
    ...forwarded,
    // A modern server decides by each request's capabilities whether it may ask: they are the client's, not ours.
    [metaKey.clientCapabilities]: carried(request.capabilities),
    ...(logLevel !== undefined && { [metaKey.logLevel]: logLevel }),
  };
}

const tasks = 'io.modelcontextprotocol/tasks';

/** A client's capabilities without those that need more of us than to pass messages on: a task would never be fetched. */
function carried({ tasks: _tasks, extensions, ...capabilities }: JsonObject): JsonObject {
  if (!isObject(extensions)) return capabilities;
  const { [tasks]: _extension, ...kept } = extensions;
  return { ...capabilities, ...(Object.keys(kept).length > 0 && { extensions: kept }) };
}
