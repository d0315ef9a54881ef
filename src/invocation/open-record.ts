import type { CatalogEntry } from '../catalog/catalog.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { Caller, CallOptions } from '../kernel/tool.ts';
import type { CallRecord } from './call-record.ts';

/** The record of a call that is not over yet. */
export interface OpenRecord {
  readonly id: string;
  /** The record with these fields changed; one that ends it gets its end time. Its times never run backwards, whatever the clock does. */
  change(fields: Partial<CallRecord>): CallRecord;
}

export function openRecord(
  callId: string,
  entry: CatalogEntry,
  args: JsonObject,
  options: CallOptions & { readonly caller: Caller },
  isoNow: () => string,
): OpenRecord {
  let record: CallRecord = {
    id: callId,
    ...(entry.server !== undefined && { server: entry.server }),
    tool: entry.name,
    originalName: entry.originalName,
    caller: options.caller,
    arguments: args,
    definitionHash: entry.definitionHash,
    status: 'pending',
    createdAt: isoNow(),
    ...(options.idempotencyKey !== undefined && { idempotencyKey: options.idempotencyKey }),
  };
  return {
    id: callId,
    change(fields) {
      const ended = fields.status === 'success' || fields.status === 'error';
      const { createdAt, startedAt = createdAt } = record;
      record = {
        ...record,
        ...fields,
        ...(fields.startedAt !== undefined && { startedAt: laterOf(fields.startedAt, createdAt) }),
        ...(ended && { completedAt: laterOf(isoNow(), startedAt) }),
      };
      return record;
    },
  };
}

/** Of two ISO times, which sort as they follow each other. */
function laterOf(one: string, other: string): string {
  return one < other ? other : one;
}
