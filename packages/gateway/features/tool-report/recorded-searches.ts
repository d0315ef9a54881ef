import type { ToolIndex } from '../../../toolwharf/features/search/tool-index.ts';
import type { CallRecord } from '../../../toolwharf/invocation/call-record.ts';
import type { Journal } from '../../../toolwharf/invocation/journal.ts';
import { toolKey } from '../../../toolwharf/kernel/tool-id.ts';

/** A search, and the tool that its caller called next. */
export interface RecordedSearch {
  readonly query: string;
  readonly server?: string;
  /** The key of the tool. */
  readonly wanted: string;
}

const maxRecords = 20_000;
const pageSize = 500;
/** A later call is about something else. */
const maxPauseMs = 10 * 60_000;
const shownResults = 5;

/** The searches since a time whose caller called a tool soon afterwards, before it searched again. */
export async function readSearches(journal: Pick<Journal, 'list'>, since: string): Promise<readonly RecordedSearch[]> {
  const searches: RecordedSearch[] = [];
  /** The earliest later call of each caller, since records are read newest first. */
  const nextCalls = new Map<string, CallRecord>();
  let before: string | undefined;
  for (let read = 0; read < maxRecords; read += pageSize) {
    const page = await journal.list({ kind: 'calls', since, before, limit: pageSize });
    for (const record of page) {
      const who = JSON.stringify([record.caller.id, record.caller.conversation, record.parent?.id]);
      if (record.kind === undefined) nextCalls.set(who, record);
      if (record.kind !== 'search' || record.tool !== 'search_tools') continue;
      const next = nextCalls.get(who);
      nextCalls.delete(who);
      const { query, server } = record.arguments;
      if (!next || typeof query !== 'string' || !isSoonAfter(record, next)) continue;
      const wanted = toolKey({ server: next.server, tool: next.originalName });
      searches.push({ query, wanted, ...(typeof server === 'string' && { server }) });
    }
    before = page.at(-1)?.id;
    if (page.length < pageSize) break;
  }
  return searches;
}

/** How many of the searches find the wanted tool among the results that a model reads first. */
export function countFound(
  searches: readonly RecordedSearch[],
  index: Pick<ToolIndex, 'search'>,
  keyOf: (id: string) => string | undefined,
): number {
  return searches.filter(({ query, server, wanted }) =>
    index.search(query, { limit: shownResults, server }).some(({ id }) => keyOf(id) === wanted),
  ).length;
}

function isSoonAfter(search: CallRecord, call: CallRecord): boolean {
  return Date.parse(call.createdAt) - Date.parse(search.createdAt) <= maxPauseMs;
}
