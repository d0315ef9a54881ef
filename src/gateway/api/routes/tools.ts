import { z } from 'zod';
import type { CatalogEntry } from '../../../catalog/catalog.ts';
import { type ErrorCode, ToolwharfError } from '../../../kernel/errors.ts';
import { findServer, findTool, scopeFor, visibleTools } from '../lookup.ts';
import { route } from '../route.ts';
import { acceptInputSchema } from '../schemas/approvals.ts';
import { callInputSchema, callResultSchema, type ToolView, toolListSchema, toolSchema } from '../schemas/calls.ts';

const group = 'tools';
const params = z.object({ tool: z.string() });

export const toolRoutes = [
  route({
    operationId: 'listTools',
    method: 'get',
    path: '/api/tools',
    right: 'read',
    group,
    summary: 'Every tool with its schema, limits and what changed since it was accepted.',
    query: z.object({
      server: z.string().optional().describe("Only this server's."),
      changed: z.enum(['true']).optional().describe('Only those whose definition is not the accepted one.'),
    }),
    answer: toolListSchema,
    async handle(request, ports) {
      const { server, changed } = request.query;
      const tools = (await visibleTools(request, ports))
        .filter((entry) => server === undefined || entry.server === server)
        .filter((entry) => changed === undefined || entry.changed !== undefined);
      return { tools: tools.map(toToolView) };
    },
  }),
  route({
    operationId: 'listServerTools',
    method: 'get',
    path: '/api/servers/{server}/tools',
    right: 'read',
    group,
    summary: 'The tools of one server.',
    params: z.object({ server: z.string() }),
    answer: toolListSchema,
    errors: ['NOT_FOUND'],
    async handle(request, ports) {
      const { name } = findServer(request.params.server, request, ports);
      const tools = await visibleTools(request, ports);
      return {
        tools: tools.flatMap((entry) => (entry.server === name ? toToolView(entry) : [])),
      };
    },
  }),
  route({
    operationId: 'getTool',
    method: 'get',
    path: '/api/tools/{tool}',
    right: 'read',
    group,
    summary: 'One tool.',
    params,
    answer: toolSchema,
    errors: ['TOOL_NAME_INVALID'],
    handle: async (request, ports) => toToolView(await findTool(request.params.tool, request, ports)),
  }),
  route({
    operationId: 'callTool',
    method: 'post',
    path: '/api/tools/{tool}/call',
    right: 'call',
    group,
    summary: 'Calls a tool and answers with its result. Where a person is asked first, it waits for the answer.',
    params,
    body: callInputSchema,
    answer: callResultSchema,
    errors: [
      'ARGUMENTS_INVALID',
      'CALL_DENIED',
      'CALL_TIMED_OUT',
      'IDEMPOTENCY_CONFLICT',
      'OUTCOME_UNKNOWN',
      'QUEUE_FULL',
      'RATE_LIMITED',
      'SERVER_DISCONNECTED',
      'SERVER_ERROR',
      'TOOL_CHANGED',
      'TOOL_NAME_INVALID',
    ],
    async handle(request, ports) {
      const entry = await findTool(request.params.tool, request, ports);
      const { arguments: args = {}, idempotencyKey } = request.body;
      const result = await ports.toolbox.call(entry.name, args, {
        caller: request.identity.caller,
        approval: scopeFor(request, ports).profile.approval,
        signal: request.signal,
        ...(idempotencyKey !== undefined && { idempotencyKey }),
      });
      const { callId, failure } = result;
      if (failure) {
        throw new ToolwharfError(failure.code as ErrorCode, failure.message, { data: { ...failure.data, callId } });
      }
      const { isError, content, text, structuredContent, _meta } = result;
      return {
        callId,
        isError,
        content,
        text,
        ...(structuredContent !== undefined && { structuredContent }),
        ...(_meta && { _meta }),
      };
    },
  }),
  route({
    operationId: 'acceptToolChange',
    method: 'post',
    path: '/api/tools/{tool}/accept',
    right: 'admin',
    group,
    summary: 'Accepts the changed definition of a tool: the one that was looked at, and no later one.',
    params,
    body: acceptInputSchema,
    answer: toolSchema,
    errors: ['CONFLICT', 'TOOL_NAME_INVALID'],
    async handle(request, ports) {
      const { name, definitionHash } = await findTool(request.params.tool, request, ports);
      if (definitionHash !== request.body.definitionHash) {
        throw new ToolwharfError('CONFLICT', `${name} changed again: look at the difference once more`);
      }
      if (!(await ports.toolbox.acceptChange(name))) {
        throw new ToolwharfError('CONFLICT', `${name} has no change to accept`);
      }
      return toToolView(await findTool(name, request, ports));
    },
  }),
];

function toToolView({ name, originalName, server, definition, definitionHash, ...entry }: CatalogEntry): ToolView {
  const { title, description = '', inputSchema, outputSchema, annotations } = definition;
  const { limits, changed, changes } = entry;
  return {
    name,
    ...(title !== undefined && { title }),
    description,
    ...(server !== undefined && { server }),
    originalName,
    parameters: inputSchema,
    ...(outputSchema && { outputSchema }),
    ...(annotations && { annotations }),
    definitionHash,
    limits: { maxInstances: limits.maxInstances, timeoutMs: limits.timeoutMs },
    ...(changed && { changed }),
    ...(changes && { changes }),
  };
}
