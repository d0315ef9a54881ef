import { z } from 'zod';
import type { CatalogEntry } from '../../../catalog/catalog.ts';
import { type ErrorCode, ToolwharfError } from '../../../kernel/errors.ts';
import type { CallInFlight } from '../../calls/calls-in-flight.ts';
import { findServer, findTool, scopeFor, visibleTools } from '../lookup.ts';
import { findRejections, rejectChange } from '../rejected-changes.ts';
import { type ApiPorts, type ApiRequest, route } from '../route.ts';
import { acceptInputSchema, rejectInputSchema } from '../schemas/approvals.ts';
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
      return { tools: await Promise.all(tools.map((entry) => showTool(entry, ports))) };
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
      const own = tools.filter((entry) => entry.server === name);
      return { tools: await Promise.all(own.map((entry) => showTool(entry, ports))) };
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
    handle: async (request, ports) => showTool(await findTool(request.params.tool, request, ports), ports),
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
      'CALL_CANCELLED',
      'CALL_DENIED',
      'CALL_TIMED_OUT',
      'CONFLICT',
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
      const { arguments: args = {}, idempotencyKey, callId: wanted } = request.body;
      const { caller } = request.identity;
      const key = idempotencyKey !== undefined && { idempotencyKey };
      if (wanted !== undefined) await assertFree({ id: wanted, caller, ...key }, ports);
      const { profile, hasTool } = scopeFor(request, ports);
      const result = await ports.calls.call(entry.name, args, {
        caller,
        approval: profile.approval,
        mayUse: hasTool,
        signal: request.signal,
        ...(wanted !== undefined && { callId: wanted }),
        ...key,
      });
      const { callId, failure } = result;
      if (failure) {
        throw new ToolwharfError(failure.code as ErrorCode, failure.message, { data: { ...failure.data, callId } });
      }
      const { isError, content, text, structuredContent, truncated, _meta } = result;
      return {
        callId,
        isError,
        content,
        text,
        ...(structuredContent !== undefined && { structuredContent }),
        truncated,
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
      const entry = await findChanged(request, ports);
      const { name } = entry;
      const rejections = await findRejections(entry, ports.toolbox);
      if (!(await ports.toolbox.acceptChange(name))) {
        throw new ToolwharfError('CONFLICT', `${name} has no change to accept`);
      }
      for (const { id } of rejections) await ports.toolbox.revokeRule(id);
      return showTool(await findTool(name, request, ports), ports);
    },
  }),
  route({
    operationId: 'rejectToolChange',
    method: 'post',
    path: '/api/tools/{tool}/reject',
    right: 'admin',
    group,
    summary: 'Refuses the changed definition of a tool for good: the tool is denied until the change is accepted.',
    params,
    body: rejectInputSchema,
    answer: toolSchema,
    errors: ['CONFLICT', 'TOOL_NAME_INVALID'],
    async handle(request, ports) {
      const entry = await findChanged(request, ports);
      if (!entry.changed) throw new ToolwharfError('CONFLICT', `${entry.name} has no change to reject`);
      await rejectChange(entry, ports.toolbox, ports.storage.rules);
      return showTool(entry, ports);
    },
  }),
];

/** The tool, as long as its definition is the one that was looked at. */
async function findChanged(
  request: ApiRequest<{ readonly tool: string }, unknown, { readonly definitionHash: string }>,
  ports: ApiPorts,
): Promise<CatalogEntry> {
  const entry = await findTool(request.params.tool, request, ports);
  if (entry.definitionHash === request.body.definitionHash) return entry;
  throw new ToolwharfError('CONFLICT', `${entry.name} changed again: look at the difference once more`);
}

/** An id is good for one call, or for the same call sent once more under its key. */
async function assertFree(wanted: Omit<CallInFlight, 'tool'>, { calls, storage }: ApiPorts): Promise<void> {
  const { id, caller, idempotencyKey } = wanted;
  const taken = calls.find(id) ?? (await storage.journal.get(id));
  const isSame = taken?.caller.id === caller.id && taken.idempotencyKey === idempotencyKey;
  if (!taken || (idempotencyKey !== undefined && isSame)) return;
  throw new ToolwharfError('CONFLICT', 'There is a call with this id already: choose another');
}

async function showTool(tool: CatalogEntry, { toolbox }: ApiPorts): Promise<ToolView> {
  const { name, originalName, server, definition, definitionHash, ...entry } = tool;
  const { title, description = '', inputSchema, outputSchema, annotations } = definition;
  const { limits, changed, changes } = entry;
  const warnings = toolbox.warnings(name);
  const isRejected = changed !== undefined && (await findRejections(tool, toolbox)).length > 0;
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
    ...(isRejected && { rejected: true }),
    ...(warnings.length > 0 && { warnings }),
  };
}
