import type { CallRecord } from '../../invocation/call-record.ts';
import { type CallColumns, callColumns } from '../chain/call-columns.ts';
import { limitResult } from '../limit-result.ts';

/** A call as it is written: its text made before the transaction, so that one that has none spoils no other's. */
export interface StepWrite {
  readonly columns: CallColumns;
  readonly callId: string;
  readonly at: string;
  readonly body: string;
  /** What follows from it must not happen before it is on the disk. An end only has to outlive this process. */
  readonly mustSync: boolean;
}

/** The record as it is kept; its result is left out where that is larger than `maxResultBytes`. */
export function toStepWrite(record: CallRecord, at: string, maxResultBytes = Number.POSITIVE_INFINITY): StepWrite {
  const whole = JSON.stringify(record);
  // A character is three bytes at most: a short text needs no measuring.
  const kept = whole.length * 3 <= maxResultBytes ? record : limitResult(record, maxResultBytes);
  return {
    columns: callColumns(record),
    callId: record.id,
    at,
    body: kept === record ? whole : JSON.stringify(kept),
    mustSync: record.status === 'pending' || record.status === 'running',
  };
}
