import { z } from 'zod';
import { type CallEnd, type CallRecord, callEnds } from '../../../invocation/call-record.ts';
import type { CallFilter, Journal } from '../../../invocation/journal.ts';
import { ToolwharfError } from '../../../kernel/errors.ts';
import { readsAllCalls } from '../../auth/identity.ts';
import { readCallStats } from '../../calls/call-stats.ts';
import { findCall, findReadableCall, noCall } from '../access.ts';
import { requestError } from '../request-problems.ts';
import { route } from '../route.ts';
import { callListSchema, callSchema, callStatsSchema, callStatus, resultPageSchema } from '../schemas/calls.ts';

const readAtOnce = 500;
/** How many calls one request reads: the journal has no index of ends. */
const maxRead = 5_000;

const group = 'calls';
const params = z.object({ call: z.string() });
const day = 24 * 3_600_000;
const toolName = z.string().optional().describe("The tool's exposed name, or its original name on the server.");
const callerAndSearch = {
  caller: z.string().optional().describe("The caller's id."),
  search: z
    .string()
    .max(200)
    .optional()
    .describe("A part of the tool's name, its original name, the server or the caller's id."),
};

export const callRoutes = [
  route({
    operationId: 'listCalls',
    method: 'get',
    path: '/api/calls',
    right: 'read',
    group,
    summary: 'Lists calls without their results, newest first. Only administrators and approvers see calls of others.',
    query: z.object({
      kind: z
        .enum(['calls', 'administration'])
        .default('calls')
        .describe('`calls`: calls of tools, reads, and searches for tools. `administration`: acts of administrators.'),
      server: z.string().optional(),
      tool: toolName,
      status: callStatus.optional(),
      end: z
        .string()
        .max(100)
        .optional()
        .describe(
          `How calls with the status \`error\` ended. One or more of ${callEnds.join(', ')}, with commas between.`,
        ),
      ...callerAndSearch,
      parent: z.string().optional().describe('The id of the call or answer that made them.'),
      since: z.iso.datetime({ offset: true }).optional().describe('Start of the period, inclusive.'),
      until: z.iso.datetime({ offset: true }).optional().describe('End of the period, exclusive.'),
      before: z.string().optional().describe('`next` of the previous page.'),
      limit: z.coerce.number().int().min(1).max(500).default(100),
    }),
    answer: callListSchema,
    async handle(request, ports) {
      const { limit, caller, end, ...filter } = request.query;
      const ends = end === undefined ? undefined : readEnds(end);
      const { identity } = request;
      const readsAll = filter.kind === 'administration' ? identity.isAdmin : readsAllCalls(identity);
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
  route({
    operationId: 'getCallStats',
    method: 'get',
    path: '/api/calls/stats',
    right: 'read',
    group,
    summary:
      'Returns the number, outcomes and durations of calls. Only administrators and approvers see calls of others.',
    query: z.object({
      since: z.iso
        .datetime({ offset: true })
        .optional()
        .describe('Start of the period, inclusive; one day before `until` if absent.'),
      until: z.iso.datetime({ offset: true }).optional().describe('End of the period, exclusive; now if absent.'),
      server: z.string().optional(),
      tool: toolName,
      ...callerAndSearch,
      buckets: z.coerce.number().int().min(1).max(200).default(24).describe('Number of equal intervals.'),
    }),
    answer: callStatsSchema,
    async handle({ identity, query }, { calls }) {
      const { until = new Date().toISOString(), buckets, server, tool, search } = query;
      const { since = new Date(Date.parse(until) - day).toISOString() } = query;
      if (Date.parse(since) >= Date.parse(until))
        throw requestError([{ path: 'query.since', message: 'must be before until' }]);
      // Calls of others are hidden.
      const caller = readsAllCalls(identity) ? query.caller : identity.caller.id;
      const period = { since: Date.parse(since), until: Date.parse(until), buckets };
      return readCallStats({ ...period, caller, server, tool, search }, calls.summaries);
    },
  }),
  route({
    operationId: 'getCall',
    method: 'get',
    path: '/api/calls/{call}',
    right: 'read',
    group,
    summary: 'Returns one call with its result.',
    params,
    answer: callSchema,
    errors: ['NOT_FOUND'],
    access: findReadableCall,
    handle: async ({ resource }, { toolbox }) => {
      const running = toolbox.calls.find(resource.id);
      const { upstreamTask = resource.upstreamTask } = running?.record ?? {};
      const { progress, total, message } = running?.progress ?? {};
      return { ...resource, upstreamTask, progress: progress === undefined ? undefined : { progress, total, message } };
    },
  }),
  route({
    operationId: 'readCallResult',
    method: 'get',
    path: '/api/calls/{call}/result',
    right: 'call',
    group,
    summary: 'Returns a part of a truncated result, as JSON text.',
    params,
    query: z.object({
      offset: z.coerce.number().int().min(0).default(0),
      length: z.coerce.number().int().min(1).max(1_000_000).default(100_000),
    }),
    answer: resultPageSchema,
    errors: ['NOT_FOUND'],
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
  route({
    operationId: 'cancelCall',
    method: 'post',
    path: '/api/calls/{call}/cancel',
    right: 'call',
    group,
    summary: 'Cancels a call. Responds when the call has ended.',
    params,
    errors: ['CONFLICT', 'NOT_FOUND'],
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
