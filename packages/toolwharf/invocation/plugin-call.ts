import type { JsonObject } from '../../contract/json.ts';
import type { CatalogEntry } from '../catalog/catalog.ts';
import type { Changed, PluginCall } from '../policy/review.ts';
import type { RunningCall } from './call.ts';

/** A call as plugins see it. */
export function toPluginCall(
  { id, caller, profile, record }: RunningCall,
  { server, name, originalName, definition, serverTrusted }: CatalogEntry,
  args: JsonObject,
): PluginCall {
  return {
    id,
    kind: record.kind === 'resource' || record.kind === 'prompt' ? record.kind : 'tool',
    caller,
    profile,
    server,
    tool: name,
    originalName,
    annotations: definition.annotations,
    serverTrusted,
    arguments: args,
    labels: record.labels,
  };
}

/** Records which plugins changed a part of a call, and the labels that they gave it. */
export function addChanges(
  call: RunningCall,
  part: 'arguments' | 'result',
  { by, labels }: Pick<Changed, 'by' | 'labels'>,
): void {
  const { record } = call;
  if (by) call.record = { ...record, changedBy: { ...record.changedBy, [part]: by } };
  if (labels) call.record = { ...call.record, labels: [...new Set([...(record.labels ?? []), ...labels])] };
}
