import type { CallEnd, CallRecord } from '../../invocation/call-record.ts';
import type { CallFilter, Journal } from '../../invocation/journal.ts';

const pageSize = 500;
/** How many calls one request reads: the journal has no index of ends. */
const maxRead = 5_000;

/** The calls that ended in one of these ways, newest first, and the call after which the next page begins. */
export async function listByEnd(
  journal: Pick<Journal, 'list'>,
  ends: ReadonlySet<CallEnd>,
  { limit, ...filter }: CallFilter & { readonly limit: number },
): Promise<{ readonly calls: readonly CallRecord[]; readonly next?: string }> {
  if (filter.status !== undefined && filter.status !== 'error') return { calls: [] };
  const calls: CallRecord[] = [];
  let { before } = filter;
  for (let read = 0; read < maxRead; read += pageSize) {
    const page = await journal.list({ ...filter, status: 'error', before, limit: pageSize });
    for (const [at, call] of page.entries()) {
      if (!ends.has(call.end ?? 'failed')) continue;
      calls.push(call);
      if (calls.length === limit)
        return { calls, next: at + 1 < page.length || page.length === pageSize ? call.id : undefined };
    }
    if (page.length < pageSize) return { calls };
    before = page.at(-1)?.id;
  }
  return { calls, next: before };
}
