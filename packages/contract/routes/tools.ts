import { z } from 'zod';
import { callInputSchema, callResultSchema } from '../api/calls.ts';
import { acceptInputSchema, rejectInputSchema, toolFormatsSchema, toolListSchema, toolSchema } from '../api/tools.ts';
import type { ErrorCode } from '../errors.ts';
import { defineRoutes } from './define-routes.ts';

const group = 'tools';
const params = z.object({ tool: z.string() });

/** The errors of a call. */
export const callErrors = [
  'APPROVAL_EXPIRED',
  'ARGUMENTS_INVALID',
  'CALL_CANCELLED',
  'CALL_DENIED',
  'CALL_TIMED_OUT',
  'CONFLICT',
  'OUTCOME_UNKNOWN',
  'QUEUE_FULL',
  'RATE_LIMITED',
  'RESULT_DISCARDED',
  'SERVER_DISCONNECTED',
  'SERVER_ERROR',
  'SERVER_UNAVAILABLE',
  'TOOL_CHANGED',
  'TOOL_NAME_INVALID',
] as const satisfies readonly ErrorCode[];

export const toolRoutes = defineRoutes({
  listTools: {
    method: 'get',
    path: '/api/tools',
    right: 'tools.read',
    group,
    summary: 'Lists every tool with its schema, its limits and the changes since its definition was accepted.',
    query: z.object({
      server: z.string().optional().describe('Only tools of this server.'),
      changed: z.enum(['true']).optional().describe('Only tools whose definition differs from the accepted one.'),
      disabled: z
        .enum(['true'])
        .optional()
        .describe('Only tools that are switched off, which are not listed otherwise. Only for administrators.'),
    }),
    answer: toolListSchema,
  },
  listServerTools: {
    method: 'get',
    path: '/api/servers/{server}/tools',
    right: 'tools.read',
    group,
    summary: 'Lists the tools of one server.',
    params: z.object({ server: z.string() }),
    answer: toolListSchema,
    errors: ['NOT_FOUND'],
  },
  getTool: {
    method: 'get',
    path: '/api/tools/{tool}',
    right: 'tools.read',
    group,
    summary: 'Returns one tool.',
    params,
    answer: toolSchema,
    errors: ['TOOL_NAME_INVALID'],
  },
  callTool: {
    method: 'post',
    path: '/api/tools/{tool}/call',
    right: 'tools.call',
    group,
    summary: 'Calls a tool and returns its result. If the call needs approval, the response waits for it.',
    params,
    body: callInputSchema,
    answer: callResultSchema,
    errors: [...callErrors, 'IDEMPOTENCY_CONFLICT'],
  },
  acceptToolChange: {
    method: 'post',
    path: '/api/tools/{tool}/accept',
    right: 'tools.write',
    group,
    summary: 'Accepts the changed definition of a tool. Fails if it changed again since it was reviewed.',
    params,
    body: acceptInputSchema,
    answer: toolSchema,
    errors: ['CONFLICT', 'TOOL_NAME_INVALID'],
  },
  rejectToolChange: {
    method: 'post',
    path: '/api/tools/{tool}/reject',
    right: 'tools.write',
    group,
    summary: 'Rejects the changed definition of a tool. Calls are denied until a change is accepted.',
    params,
    body: rejectInputSchema,
    answer: toolSchema,
    errors: ['CONFLICT', 'TOOL_NAME_INVALID'],
  },
  getToolFormats: {
    method: 'get',
    path: '/api/tools/{tool}/formats',
    right: 'tools.read',
    group,
    summary:
      'Returns the definition of a tool in the formats of MCP and of the model providers, under its exposed name.',
    params,
    answer: toolFormatsSchema,
    errors: ['TOOL_NAME_INVALID'],
  },
});
