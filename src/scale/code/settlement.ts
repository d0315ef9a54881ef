import type { CallRecord } from '../../invocation/call-record.ts';
import { toReference, valueOfResult } from '../../invocation/references.ts';
import { recordedResult } from '../../invocation/shape-result.ts';
import type { Settlement } from './sandbox/protocol.ts';
import { valueOfSearch } from './search-for-scripts.ts';

/**
 * What a script receives for a call that has ended, from the record of the call only, so that it is the same when the script
 * is replayed. Undefined if the journal did not keep the result.
 */
export function toSettlement(record: CallRecord): Settlement | undefined {
  const time = Date.parse(record.completedAt ?? record.createdAt);
  if (record.status === 'error') {
    const { code = 'TOOL_FAILED', message = 'The call failed' } = record.error ?? {};
    return { ok: false, error: { code, message }, time };
  }
  const result = recordedResult(record);
  if (!result) return undefined;
  const { structuredContent, content } = result;
  if (record.kind === 'search') return { ok: true, value: valueOfSearch(structuredContent), time };
  const shown = { structuredContent, content };
  const { id, truncated } = record;
  const value = truncated ? toReference('result', id, shown, truncated.totalBytes) : valueOfResult(shown);
  return { ok: true, value, time };
}
