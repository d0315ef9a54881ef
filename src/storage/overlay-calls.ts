import type { CallRecord } from '../invocation/call-record.ts';
import type { CallFilter } from '../invocation/journal.ts';
import { callWindow, isInWindow, timeOf } from './call-window.ts';

/** A list of calls with what is known better than where it was read: newer words on its calls, and newer calls. */
export function overlayCalls(
  found: readonly CallRecord[],
  newer: ReadonlyMap<string, CallRecord>,
  filter: CallFilter,
): readonly CallRecord[] {
  if (newer.size === 0) return found;
  const window = callWindow(filter);
  const calls = new Map(found.map((record) => [record.id, record]));
  // A page that is not the first begins where only the database can tell.
  for (const [id, record] of newer) if (filter.before === undefined || calls.has(id)) calls.set(id, record);
  return [...calls.values()]
    .filter((record) => isInWindow(record, filter, window))
    .sort((one, other) => timeOf(other) - timeOf(one))
    .slice(0, window.limit);
}
