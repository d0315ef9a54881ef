import type { CallRecord } from '../invocation/call-record.ts';
import { measureJson } from '../policy/measure-json.ts';

/** The record as it is kept: without its result where that is larger than `maxBytes`, and saying so. */
export function limitResult(record: CallRecord, maxBytes: number): CallRecord {
  const { result, ...rest } = record;
  if (result === undefined || !measureJson(result, { maxBytes, maxDepth: 512 }).exceeded) return record;
  return { ...rest, resultOmitted: true };
}
