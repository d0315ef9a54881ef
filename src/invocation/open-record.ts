import type { CatalogEntry } from '../catalog/catalog.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { Caller } from '../kernel/tool.ts';
import type { CallEnding } from './call-end.ts';
import type { CallRecord } from './call-record.ts';

/** The record of a call that is not over yet. */
export interface OpenRecord {
  readonly id: string;
  readonly pending: CallRecord;
  /** As it is sent, with these arguments. */
  start(args: JsonObject): CallRecord;
  /** As it ended. Its times never run backwards, whatever the clock does. */
  end(how: CallEnding): CallRecord;
}

export function openRecord(
  callId: string,
  entry: CatalogEntry,
  args: JsonObject,
  { caller, idempotencyKey }: { readonly caller: Caller; readonly idempotencyKey?: string },
  isoNow: () => string,
): OpenRecord {
  const pending: CallRecord = {
    id: callId,
    ...(entry.server !== undefined && { server: entry.server }),
    tool: entry.name,
    originalName: entry.originalName,
    caller,
    arguments: args,
    definitionHash: entry.definitionHash,
    status: 'pending',
    createdAt: isoNow(),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  };
  let latest = pending;
  return {
    id: callId,
    pending,
    start(sent) {
      latest = { ...latest, status: 'running', arguments: sent, startedAt: laterOf(isoNow(), pending.createdAt) };
      return latest;
    },
    end: (how) => ({ ...latest, ...how, completedAt: laterOf(isoNow(), latest.startedAt ?? pending.createdAt) }),
  };
}

/** Of two ISO times, which sort as they follow each other. */
function laterOf(one: string, other: string): string {
  return one < other ? other : one;
}
