import { type CallEnd, callEnds } from '../../../../contract/calls.ts';
import { ToolwharfError } from '../../../../contract/errors.ts';
import { callRoutes as routes } from '../../../../contract/routes/calls.ts';
import type { CallRecord } from '../../../../toolwharf/invocation/call-record.ts';
import type { CallFilter, Journal } from '../../../../toolwharf/invocation/journal.ts';
import { hasRight, readsAllCalls } from '../../auth/identity.ts';
import { findCall, findReadableCall, noCall } from '../access.ts';
import { requestError } from '../request-problems.ts';
import { implement } from '../route.ts';

const readAtOnce = 500;
/** How many calls one request reads: the journal has no index of ends. */
const maxRead = 5_000;

const day = 24 * 3_600_000;

export const callRoutes = [
  implement(routes.listCalls, {
    async handle(request, ports) {
      const { limit, caller, end, ...filter } = request.query;
      const ends = end === undefined ? undefined : readEnds(end);
      const { identity } = request;
      const readsAll = filter.kind === 'administration' ? hasRight(identity, 'audit.read') : readsAllCalls(identity);
      const own = readsAll ? caller : identity.caller.id;
      // Calls of others are hidden.
      if (!readsAll && caller !== undefined && caller !== own) return { calls: [] };
      if (ends) {
        const { calls, next } = await listByEnd(ports.storage.journal, ends, { ...filter, caller: own, limit });
        return { calls: calls.map(withoutResult), next };
      }
      const found = await ports.storage.journal.list({ ...filter, caller: own, limit: limit + 1 });
      const calls = found.slice(0, limit);
      const next = found.length > limit ? calls.at(-1)?.id : undefined;
      return { calls: calls.map(withoutResult), next };
    },
  }),
  implement(routes.getCallStats, {
    async handle({ identity, query }, { calls }) {
      const { until = new Date().toISOString(), buckets, server, tool, search } = query;
      const { since = new Date(Date.parse(until) - day).toISOString() } = query;
      if (Date.parse(since) >= Date.parse(until))
        throw requestError([{ path: 'query.since', message: 'must be before until' }]);
      // Calls of others are hidden.
      const caller = readsAllCalls(identity) ? query.caller : identity.caller.id;
      const period = { since: Date.parse(since), until: Date.parse(until), buckets };
      return calls.stats.read({ ...period, caller, server, tool, search });
    },
  }),
  implement(routes.getCall, {
    access: findReadableCall,
    handle: async ({ resource }, { toolbox }) => {
      const running = toolbox.calls.find(resource.id);
      const { upstreamTask = resource.upstreamTask } = running?.record ?? {};
      const { progress, total, message } = running?.progress ?? {};
      return { ...resource, upstreamTask, progress: progress === undefined ? undefined : { progress, total, message } };
    },
  }),
  implement(routes.readCallResult, {
    access: findReadableCall,
    async handle({ resource: { id }, query }, { calls }) {
      const page = await calls.shared.readResult(id, query.offset, query.length);
      if (page) return page;
      throw new ToolwharfError(
        'NOT_FOUND',
        'The full result of this call is not available: only truncated results are kept, for a limited time',
      );
    },
  }),
  implement(routes.cancelCall, {
    async access(request, ports) {
      const { caller } = ports.toolbox.calls.find(request.params.call) ?? (await findCall(request, ports));
      if (!(await ports.security.ownership.owns(request.identity, caller))) throw noCall(request.params.call);
    },
    async handle({ params }, { calls }) {
      if (!(await calls.shared.cancel(params.call)))
        throw new ToolwharfError('CONFLICT', 'This call has already ended');
    },
  }),
];

function readEnds(text: string): ReadonlySet<CallEnd> {
  const given = text.split(',').map((one) => one.trim());
  const unknown = given.find((one) => !callEnds.some((end) => end === one));
  if (unknown !== undefined)
    throw requestError([{ path: 'query.end', message: `expected one or more of ${callEnds.join(', ')}` }]);
  return new Set(given as CallEnd[]);
}

function withoutResult({ result: _result, ...record }: CallRecord): Omit<CallRecord, 'result'> {
  return record;
}

/** The calls that ended in one of these ways, newest first, and the call after which the next page begins. */
async function listByEnd(
  journal: Pick<Journal, 'list'>,
  ends: ReadonlySet<CallEnd>,
  { limit, ...filter }: CallFilter & { readonly limit: number },
): Promise<{ readonly calls: readonly CallRecord[]; readonly next?: string }> {
  if (filter.status !== undefined && filter.status !== 'error') return { calls: [] };
  const calls: CallRecord[] = [];
  let { before } = filter;
  for (let read = 0; read < maxRead; read += readAtOnce) {
    const page = await journal.list({ ...filter, status: 'error', before, limit: readAtOnce });
    for (const [at, call] of page.entries()) {
      if (!ends.has(call.end ?? 'failed')) continue;
      calls.push(call);
      if (calls.length === limit)
        return { calls, next: at + 1 < page.length || page.length === readAtOnce ? call.id : undefined };
    }
    if (page.length < readAtOnce) return { calls };
    before = page.at(-1)?.id;
  }
  return { calls, next: before };
}
