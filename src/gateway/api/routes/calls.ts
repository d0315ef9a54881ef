import { z } from 'zod';
import type { CallRecord } from '../../../invocation/call-record.ts';
import { ToolwharfError } from '../../../kernel/errors.ts';
import type { Identity } from '../../auth/identity.ts';
import { type ApiPorts, route } from '../route.ts';
import { callListSchema, callSchema, callStatus, resultPageSchema } from '../schemas/calls.ts';

const group = 'calls';
const params = z.object({ call: z.string() });

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
];

async function findCall(id: string, { isAdmin, caller }: Identity, { storage }: ApiPorts): Promise<CallRecord> {
  const record = await storage.journal.get(id);
  if (record && (isAdmin || record.caller.id === caller.id)) return record;
  throw new ToolwharfError('NOT_FOUND', `There is no call '${id}'`);
}

function withoutResult({ result: _result, ...record }: CallRecord): Omit<CallRecord, 'result'> {
  return record;
}
