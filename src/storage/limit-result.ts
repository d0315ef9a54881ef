import type { CallRecord } from '../invocation/call-record.ts';
import { measureJson } from '../policy/measure-json.ts';

/** Leaves out a result larger than `maxBytes` and marks the record with `resultOmitted`. */
export function limitResult(record: CallRecord, maxBytes: number): CallRecord {
  const { result, ...rest } = record;
  if (result === undefined || !measureJson(result, { maxBytes, maxDepth: 512 }).exceeded) return record;
  return { ...rest, resultOmitted: true };
}
