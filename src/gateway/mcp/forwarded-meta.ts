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
export function forwardedMeta(request: ClientRequest, upstreamEra: Era | undefined): Record<string, unknown> {
  const forwarded: Record<string, unknown> = {};
  for (const [member, value] of Object.entries(metaOf(request.params)))
    if (!ownMembers.has(member)) forwarded[member] = value;
  if (upstreamEra !== 'modern') return forwarded;
  // A legacy client that has not chosen a level hears what is usual.
  const logLevel = request.logLevel ?? (request.era === 'legacy' ? 'info' : undefined);
  // A modern server decides by each request's capabilities whether it may ask: they are the client's, not ours.
  forwarded[metaKey.clientCapabilities] = carried(request.capabilities);
  if (logLevel !== undefined) forwarded[metaKey.logLevel] = logLevel;
  return forwarded;
}

const tasks = 'io.modelcontextprotocol/tasks';

/** A client's capabilities without those that need more of us than to pass messages on: a task would never be fetched. */
function carried(all: JsonObject): JsonObject {
  if (all.tasks === undefined && all.extensions === undefined) return all;
  const { tasks: _tasks, extensions, ...capabilities } = all;
  if (!isObject(extensions)) return capabilities;
  const { [tasks]: _extension, ...kept } = extensions;
  return { ...capabilities, ...(Object.keys(kept).length > 0 && { extensions: kept }) };
}
