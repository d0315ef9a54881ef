import { z } from 'zod';
import { formatToolsForProvider, providerOmitted, type ToolLike } from '../../../bridges/provider.ts';
import { toolAppOf } from '../../../catalog/app-tools.ts';
import type { CatalogEntry } from '../../../catalog/catalog.ts';
import type { Call } from '../../../invocation/call.ts';
import { accountMember } from '../../../invocation/dispatch.ts';
import { createId } from '../../../kernel/create-id.ts';
import { type ErrorCode, ToolwharfError } from '../../../kernel/errors.ts';
import { createSlice } from '../../../kernel/slices.ts';
import { toolIdOf } from '../../../kernel/tool-id.ts';
import { assertActive } from '../../auth/admit-caller.ts';
import { disabledTools, findAnyTool, findServer, findTool, scopeFor, visibleTools } from '../access.ts';
import { findRejections, rejectChange } from '../rejected-changes.ts';
import { type ApiPorts, type ApiRequest, route } from '../route.ts';
import { callInputSchema, callResultSchema } from '../schemas/calls.ts';
import {
  acceptInputSchema,
  rejectInputSchema,
  type ToolFormats,
  type ToolView,
  toolFormatsSchema,
  toolListSchema,
  toolSchema,
} from '../schemas/tools.ts';

const group = 'tools';
const params = z.object({ tool: z.string() });
const providers = ['openai', 'anthropic', 'gemini'] as const;

/** The errors of a call. */
export const callErrors = [
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
  'TOOL_CHANGED',
  'TOOL_NAME_INVALID',
] as const satisfies readonly ErrorCode[];

export const toolRoutes = [
  route({
    operationId: 'listTools',
    method: 'get',
    path: '/api/tools',
    right: 'read',
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
    async handle(request, ports) {
      const { server, changed, disabled } = request.query;
      const listed = disabled ? await disabledTools(request, ports) : await visibleTools(request, ports);
      const tools = listed
        .filter((entry) => server === undefined || entry.server === server)
        .filter((entry) => changed === undefined || entry.changed !== undefined);
      return { tools: await showTools(tools, ports) };
    },
  }),
  route({
    operationId: 'listServerTools',
    method: 'get',
    path: '/api/servers/{server}/tools',
    right: 'read',
    group,
    summary: 'Lists the tools of one server.',
    params: z.object({ server: z.string() }),
    answer: toolListSchema,
    errors: ['NOT_FOUND'],
    access: findServer,
    async handle(request, ports) {
      const tools = await visibleTools(request, ports);
      const own = tools.filter((entry) => entry.server === request.resource.name);
      return { tools: await showTools(own, ports) };
    },
  }),
  route({
    operationId: 'getTool',
    method: 'get',
    path: '/api/tools/{tool}',
    right: 'read',
    group,
    summary: 'Returns one tool.',
    params,
    answer: toolSchema,
    errors: ['TOOL_NAME_INVALID'],
    access: findAnyTool,
    async handle({ resource, identity }, ports) {
      return { ...(await showTool(resource, ports)), chain: identity.isAdmin ? chainOf(resource, ports) : undefined };
    },
  }),
  route({
    operationId: 'callTool',
    method: 'post',
    path: '/api/tools/{tool}/call',
    right: 'call',
    group,
    summary: 'Calls a tool and returns its result. If the call needs approval, the response waits for it.',
    params,
    body: callInputSchema,
    answer: callResultSchema,
    errors: [...callErrors, 'IDEMPOTENCY_CONFLICT'],
    access: findTool,
    async handle(request, ports) {
      const { arguments: args = {}, idempotencyKey, callId: wanted, account, detached = false } = request.body;
      const { caller } = request.identity;
      if (wanted !== undefined) await assertIdAvailable({ id: wanted, caller, idempotencyKey }, ports);
      const id = wanted ?? createId();
      const policy = () => {
        const { profile, hasTool } = scopeFor(request, ports);
        return { approval: profile.approval, mayUse: hasTool };
      };
      const call = ports.toolbox.start(request.resource, args, {
        id,
        caller,
        host: ports.calls.hosts.create({ id, caller }, { results: request.results }),
        policy: policy(),
        profile: scopeFor(request, ports).profile.name,
        async refreshPolicy() {
          await assertActive(request.identity, ports.storage);
          return policy();
        },
        callerLimits: request.usage.calls,
        signal: detached ? undefined : request.signal,
        idempotencyKey,
        meta: account === undefined ? undefined : { [accountMember]: account },
      });
      const result = await call.result;
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
        structuredContent,
        truncated,
        _meta,
      };
    },
  }),
  route({
    operationId: 'acceptToolChange',
    method: 'post',
    path: '/api/tools/{tool}/accept',
    right: 'admin',
    group,
    summary: 'Accepts the changed definition of a tool. Fails if it changed again since it was reviewed.',
    params,
    body: acceptInputSchema,
    answer: toolSchema,
    errors: ['CONFLICT', 'TOOL_NAME_INVALID'],
    access: findReviewedTool,
    async handle(request, ports) {
      const { name } = request.resource;
      const rejections = await findRejections(request.resource, ports.toolbox);
      if (!(await ports.toolbox.approvals.acceptChange(name))) {
        throw new ToolwharfError('CONFLICT', `${name} has no change to accept`);
      }
      for (const { id } of rejections) await ports.toolbox.approvals.revokeRule(id);
      return showTool(await findTool(request, ports), ports);
    },
  }),
  route({
    operationId: 'rejectToolChange',
    method: 'post',
    path: '/api/tools/{tool}/reject',
    right: 'admin',
    group,
    summary: 'Rejects the changed definition of a tool. Calls are denied until a change is accepted.',
    params,
    body: rejectInputSchema,
    answer: toolSchema,
    errors: ['CONFLICT', 'TOOL_NAME_INVALID'],
    access: findReviewedTool,
    async handle({ resource: entry }, ports) {
      if (!entry.changed) throw new ToolwharfError('CONFLICT', `${entry.name} has no change to reject`);
      await rejectChange(entry, ports.toolbox, ports.storage.rules);
      return showTool(entry, ports);
    },
  }),
  route({
    operationId: 'getToolFormats',
    method: 'get',
    path: '/api/tools/{tool}/formats',
    right: 'read',
    group,
    summary:
      'Returns the definition of a tool in the formats of MCP and of the model providers, under its exposed name.',
    params,
    answer: toolFormatsSchema,
    errors: ['TOOL_NAME_INVALID'],
    access: findAnyTool,
    handle: async ({ resource }) => toFormats(resource),
  }),
];

/** The tool of the path, if its definition is still the one the caller reviewed. */
async function findReviewedTool(
  request: ApiRequest<{ readonly tool: string }, unknown, { readonly definitionHash: string }>,
  ports: ApiPorts,
): Promise<CatalogEntry> {
  const entry = await findTool(request, ports);
  if (entry.definitionHash === request.body.definitionHash) return entry;
  throw new ToolwharfError('CONFLICT', `${entry.name} changed again: review the new definition`);
}

/** A call id may be used once, or again by the same call with the same idempotency key. */
export async function assertIdAvailable(
  wanted: Pick<Call, 'id' | 'caller' | 'idempotencyKey'>,
  { toolbox, storage }: ApiPorts,
): Promise<void> {
  const { id, caller, idempotencyKey } = wanted;
  const taken = toolbox.calls.find(id) ?? (await storage.journal.get(id));
  const isSame = taken?.caller.id === caller.id && taken.idempotencyKey === idempotencyKey;
  if (!taken || (idempotencyKey !== undefined && isSame)) return;
  throw new ToolwharfError('CONFLICT', 'A call with this id already exists: choose another id');
}

async function showTools(tools: readonly CatalogEntry[], ports: ApiPorts): Promise<ToolView[]> {
  const slice = createSlice();
  const shown: ToolView[] = [];
  for (const tool of tools) {
    shown.push(await showTool(tool, ports));
    if (slice.isOver()) await slice.next();
  }
  return shown;
}

/** A tool as the API shows it. */
export async function showTool(tool: CatalogEntry, { toolbox }: ApiPorts): Promise<ToolView> {
  const { name, originalName, server, definition, definitionHash, ...entry } = tool;
  const { title, description = '', inputSchema, outputSchema, annotations } = definition;
  const { limits, changed, changes, original } = entry;
  const { enabled, name: alias, title: newTitle, description: text } = toolbox.catalog.overrideOf(toolIdOf(tool)) ?? {};
  const isOverridden = [alias, newTitle, text].some((value) => value !== undefined);
  const warnings = toolbox.catalog.warnings(name);
  const isRejected = changed !== undefined && (await findRejections(tool, toolbox)).length > 0;
  return {
    name,
    title,
    description,
    server,
    originalName,
    parameters: inputSchema,
    outputSchema,
    annotations,
    app: showApp(definition),
    definitionHash,
    limits: { maxInstances: limits.maxInstances, timeoutMs: limits.timeoutMs },
    changed,
    changes,
    rejected: isRejected || undefined,
    disabled: enabled === false || undefined,
    override: isOverridden ? { name: alias, title: newTitle, description: text } : undefined,
    original: original && { title: original.title, description: original.description },
    warnings: warnings.length > 0 ? warnings : undefined,
  };
}

function chainOf({ server, originalName, script }: CatalogEntry, { toolbox }: ApiPorts): ToolView['chain'] {
  if (script?.code !== undefined) return { code: script.code };
  const { chains } = toolbox.config.toolbox;
  const found = server === undefined ? chains.find(({ name }) => name === originalName) : undefined;
  return found && { steps: [...found.steps] };
}

function showApp(definition: CatalogEntry['definition']): ToolView['app'] {
  const { resourceUri: uri, isForModel } = toolAppOf(definition);
  return uri === undefined && isForModel ? undefined : { uri, only: !isForModel || undefined };
}

function toFormats({ name, definition }: CatalogEntry): ToolFormats {
  const tool: ToolLike = { ...definition, name };
  const formats = providers.map((provider) => {
    const [format] = formatToolsForProvider([tool], provider);
    return format && { [provider]: format };
  });
  const omitted = providers.flatMap((format) =>
    providerOmitted([tool], format).map(({ reason }) => ({ format, reason })),
  );
  return Object.assign({ mcp: { ...definition, name }, omitted }, ...formats);
}
