import type { JsonObject } from '../../contract/json.ts';
import type { CatalogEntry } from '../catalog/catalog.ts';
import type { Changed, PluginCall, PluginCallParent, Review } from '../policy/review.ts';
import type { RunningCall } from './call.ts';

/** A call as plugins see it. */
export function toPluginCall(
  call: RunningCall,
  { server, name, originalName, definition, serverTrusted }: CatalogEntry,
  args: JsonObject,
): PluginCall {
  const { id, caller, record } = call;
  return {
    id,
    kind: record.kind === 'resource' || record.kind === 'prompt' ? record.kind : 'tool',
    caller,
    parent: toParent(call),
    profile: record.profile,
    server,
    tool: name,
    originalName,
    annotations: definition.annotations,
    serverTrusted,
    arguments: args,
    labels: record.labels,
    references: call.references,
    sources: record.sources,
  };
}

function toParent({ parent, outer }: RunningCall): PluginCallParent | undefined {
  return parent && outer ? { ...parent, server: outer.record.server, tool: outer.record.originalName } : parent;
}

/** Records the rules of plugins that decided, each once: a call that waited is reviewed again. */
export function addRules(call: RunningCall, { rules }: Pick<Review, 'rules'>): void {
  if (!rules) return;
  const before = call.record.policy ?? [];
  const isNew = ({ id, effect, mode, flow }: (typeof rules)[number]) =>
    !before.some((known) => known.id === id && known.effect === effect && known.mode === mode && known.flow === flow);
  call.record = { ...call.record, policy: [...before, ...rules.filter(isNew)] };
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
