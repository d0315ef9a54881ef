import type { CallRecord } from '../../invocation/call-record.ts';
import { isObject, type JsonObject } from '../../kernel/json.ts';
import { limitResult } from '../limit-result.ts';

/** A call as it is written: its text made before the transaction, so that one that has none spoils no other's. */
export interface StepWrite {
  readonly record: CallRecord;
  readonly callId: string;
  readonly at: string;
  /** The record as JSON, in one line. */
  readonly body: string;
  /** What follows from it must not happen before it is on the disk. An end only has to outlive this process. */
  readonly mustSync: boolean;
}

/** The record as it is kept; its result is left out where that is larger than `maxResultBytes`. */
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
  // What is surely too large is not written only to be thrown away.
  if (record.result && holdsLongText(record.result, maxResultBytes))
    return JSON.stringify(limitResult(record, maxResultBytes));
  const whole = JSON.stringify(record);
  // A character is three bytes at most: a short text needs no measuring.
  if (whole.length * 3 <= maxResultBytes) return whole;
  const kept = limitResult(record, maxResultBytes);
  return kept === record ? whole : JSON.stringify(kept);
}

function holdsLongText({ content }: JsonObject, length: number): boolean {
  if (!Array.isArray(content)) return false;
  return content.some(
    (block) =>
      isObject(block) && Object.values(block).some((value) => typeof value === 'string' && value.length > length),
  );
}
