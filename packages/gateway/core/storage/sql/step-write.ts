import { isObject, type JsonObject } from '../../../../contract/json.ts';
import type { CallRecord } from '../../../../toolwharf/invocation/call-record.ts';
import { toJsonText, toLine } from '../../../../toolwharf/kernel/exact-json.ts';
import { limitResult } from '../../../../toolwharf/storage/call-records.ts';

/** A record to write. Its text is made before the transaction, so that a record without one fails alone. */
export interface StepWrite {
  /** Undefined for a signed act. */
  readonly record?: CallRecord;
  readonly callId: string;
  readonly at: string;
  /** The record as JSON, in one line. */
  readonly body: string;
  /** The step must be on the disk before the call goes on. The end of a call only has to outlive this process. */
  readonly mustSync: boolean;
}

/** Prepares a record for writing; a result larger than `maxResultBytes` is left out. */
export function toStepWrite(record: CallRecord, at: string, maxResultBytes = Number.POSITIVE_INFINITY): StepWrite {
  return {
    record,
    callId: record.id,
    at,
    body: bodyOf(record, maxResultBytes),
    mustSync: record.status === 'pending' || record.status === 'running',
  };
}

function bodyOf(record: CallRecord, maxResultBytes: number): string {
  // A result that is surely too large is not serialized first.
  if (record.result && holdsLongText(record.result, maxResultBytes))
    return toLine(toJsonText(limitResult(record, maxResultBytes)));
  const whole = toLine(toJsonText(record));
  // A character is at most three bytes, so a short text needs no measuring.
  if (whole.length * 3 <= maxResultBytes) return whole;
  const kept = limitResult(record, maxResultBytes);
  return kept === record ? whole : toLine(toJsonText(kept));
}

function holdsLongText({ content }: JsonObject, length: number): boolean {
  if (!Array.isArray(content)) return false;
  for (const block of content) {
    if (!isObject(block)) continue;
    for (const key in block) {
      const value = block[key];
      if (typeof value === 'string' && value.length > length) return true;
    }
  }
  return false;
}
