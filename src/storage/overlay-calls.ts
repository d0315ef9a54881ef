import type { CallRecord } from '../invocation/call-record.ts';
import type { CallFilter } from '../invocation/journal.ts';
import { callWindow, isInWindow, timeOf } from './call-window.ts';

/** Merges newer records that are not in the database yet into a list of calls. */
export function overlayCalls(
  found: readonly CallRecord[],
  newer: ReadonlyMap<string, CallRecord>,
  filter: CallFilter,
): readonly CallRecord[] {
  if (newer.size === 0) return found;
  const window = callWindow(filter);
  const calls = new Map(found.map((record) => [record.id, record]));
  // Only the database knows where a later page begins, so new calls are added to the first page only.
  for (const [id, record] of newer) if (filter.before === undefined || calls.has(id)) calls.set(id, record);
  return [...calls.values()]
    .filter((record) => isInWindow(record, filter, window))
    .sort((one, other) => timeOf(other) - timeOf(one))
    .slice(0, window.limit);
}
