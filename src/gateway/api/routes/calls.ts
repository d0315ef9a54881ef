import { z } from 'zod';
import type { CallRecord } from '../../../invocation/call-record.ts';
import { ToolwharfError } from '../../../kernel/errors.ts';
import type { Identity } from '../../auth/identity.ts';
import { readCallStats } from '../../calls/call-stats.ts';
import { requestError } from '../request-problems.ts';
import { type ApiPorts, route } from '../route.ts';
import { callListSchema, callSchema, callStatsSchema, callStatus, resultPageSchema } from '../schemas/calls.ts';

const group = 'calls';
const params = z.object({ call: z.string() });
const day = 24 * 3_600_000;

export const callRoutes = [
  route({
    operationId: 'listCalls',
    method: 'get',
    path: '/api/calls',
    right: 'read',
    group,
    summary: 'Calls, newest first, without their results. Others than administrators see their own.',
    query: z.object({
      server: z.string().optional(),
      tool: z.string().optional().describe("The tool's name, or the server's own name for it."),
      status: callStatus.optional(),
      caller: z.string().optional().describe("The caller's id."),
      parent: z.string().optional().describe('The id of the call or answer that made them.'),
      since: z.iso.datetime({ offset: true }).optional().describe('Included.'),
      until: z.iso.datetime({ offset: true }).optional().describe('Not included.'),
      before: z.string().optional().describe('`next` of the page before.'),
      limit: z.coerce.number().int().min(1).max(500).default(100),
    }),
    answer: callListSchema,
    async handle(request, ports) {
      const { limit, caller, ...filter } = request.query;
      const own = request.identity.isAdmin ? caller : request.identity.caller.id;
      // To others, calls of others are not there: asking for them finds nothing.
      if (!request.identity.isAdmin && caller !== undefined && caller !== own) return { calls: [] };
      const found = await ports.storage.journal.list({
        ...filter,
        ...(own !== undefined && { caller: own }),
        limit: limit + 1,
      });
      const calls = found.slice(0, limit);
      const next = found.length > limit ? calls.at(-1)?.id : undefined;
      return { calls: calls.map(withoutResult), ...(next !== undefined && { next }) };
    },
  }),
  route({
    operationId: 'getCallStats',
    method: 'get',
    path: '/api/calls/stats',
    right: 'read',
    group,
    summary:
      'How many calls there were, how they ended and how long they took. Others than administrators see their own.',
    query: z.object({
      since: z.iso.datetime({ offset: true }).optional().describe('Included; a day before `until`.'),
      until: z.iso.datetime({ offset: true }).optional().describe('Not included; now.'),
      buckets: z.coerce.number().int().min(1).max(200).default(24).describe('Into how many parts the time is divided.'),
    }),
    answer: callStatsSchema,
    async handle({ identity, query }, { summaries }) {
      const { until = new Date().toISOString(), buckets } = query;
      const { since = new Date(Date.parse(until) - day).toISOString() } = query;
      if (Date.parse(since) >= Date.parse(until))
        throw requestError([{ path: 'query.since', message: 'must be before until' }]);
      const own = !identity.isAdmin && { caller: identity.caller.id };
      return readCallStats({ since: Date.parse(since), until: Date.parse(until), buckets, ...own }, summaries);
    },
  }),
  route({
    operationId: 'getCall',
    method: 'get',
    path: '/api/calls/{call}',
    right: 'read',
    group,
    summary: 'One call with its result.',
    params,
    answer: callSchema,
    errors: ['NOT_FOUND'],
    handle: (request, ports) => findCall(request.params.call, request.identity, ports),
  }),
  route({
    operationId: 'readCallResult',
    method: 'get',
    path: '/api/calls/{call}/result',
    right: 'call',
    group,
    summary: 'A part of a result that was too big to hand out whole, as JSON text.',
    params,
    query: z.object({
      offset: z.coerce.number().int().min(0).default(0),
      length: z.coerce.number().int().min(1).max(1_000_000).default(100_000),
    }),
    answer: resultPageSchema,
    errors: ['NOT_FOUND'],
    async handle(request, ports) {
      const { id } = await findCall(request.params.call, request.identity, ports);
      const page = ports.toolbox.readResult(id, request.query.offset, request.query.length);
      if (page) return page;
      throw new ToolwharfError('NOT_FOUND', 'No result is kept for this call: only big ones are, for a while');
    },
  }),
  route({
    operationId: 'cancelCall',
    method: 'post',
    path: '/api/calls/{call}/cancel',
    right: 'call',
    group,
    summary: 'Ends a call of this API or of an assistant that has not ended yet. Answers when it has.',
    params,
    errors: ['CONFLICT', 'NOT_FOUND'],
    async handle({ identity, params: { call } }, ports) {
      const { caller } = ports.calls.find(call) ?? (await findCall(call, identity, ports));
      if (!(await ports.ownership.owns(identity, caller))) throw noCall(call);
      if (await ports.calls.cancel(call)) return;
      const message = 'This call is over, or it is one of an MCP client, which alone can cancel it';
      throw new ToolwharfError('CONFLICT', message);
    },
  }),
];

async function findCall(id: string, identity: Identity, { storage, ownership }: ApiPorts): Promise<CallRecord> {
  const record = await storage.journal.get(id);
  if (record && (await ownership.owns(identity, record.caller))) return record;
  throw noCall(id);
}

function noCall(id: string): ToolwharfError {
  return new ToolwharfError('NOT_FOUND', `There is no call '${id}'`);
}

function withoutResult({ result: _result, ...record }: CallRecord): Omit<CallRecord, 'result'> {
  return record;
}
