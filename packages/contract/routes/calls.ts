import { z } from 'zod';
import { callListSchema, callSchema, callStatsSchema, callStatus, resultPageSchema } from '../api/calls.ts';
import { callEnds } from '../calls.ts';
import { defineRoutes } from './define-routes.ts';

const group = 'calls';
const params = z.object({ call: z.string() });
const toolName = z.string().optional().describe("The tool's exposed name, or its original name on the server.");

const callerAndSearch = {
  caller: z.string().optional().describe("The caller's id."),
  search: z
    .string()
    .max(200)
    .optional()
    .describe("A part of the tool's name, its original name, the server or the caller's id."),
};

export const callRoutes = defineRoutes({
  listCalls: {
    method: 'get',
    path: '/api/calls',
    right: 'calls.read',
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
      limit: z.coerce.number<number>().int().min(1).max(500).default(100),
    }),
    answer: callListSchema,
  },
  getCallStats: {
    method: 'get',
    path: '/api/calls/stats',
    right: 'calls.read',
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
      buckets: z.coerce.number<number>().int().min(1).max(200).default(24).describe('Number of equal intervals.'),
    }),
    answer: callStatsSchema,
  },
  getCall: {
    method: 'get',
    path: '/api/calls/{call}',
    right: 'calls.read',
    group,
    summary: 'Returns one call with its result.',
    params,
    answer: callSchema,
    errors: ['NOT_FOUND'],
  },
  readCallResult: {
    method: 'get',
    path: '/api/calls/{call}/result',
    right: 'tools.call',
    group,
    summary: 'Returns a part of a truncated result, as JSON text.',
    params,
    query: z.object({
      offset: z.coerce.number<number>().int().min(0).default(0),
      length: z.coerce.number<number>().int().min(1).max(1_000_000).default(100_000),
    }),
    answer: resultPageSchema,
    errors: ['NOT_FOUND'],
  },
  cancelCall: {
    method: 'post',
    path: '/api/calls/{call}/cancel',
    right: 'tools.call',
    group,
    summary: 'Cancels a call. Responds when the call has ended.',
    params,
    errors: ['CONFLICT', 'NOT_FOUND'],
  },
});
