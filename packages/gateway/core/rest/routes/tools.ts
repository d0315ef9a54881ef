import type { ToolFormats, ToolView } from '../../../../contract/api/tools.ts';
import { type ErrorCode, ToolwharfError } from '../../../../contract/errors.ts';
import { toolRoutes as routes } from '../../../../contract/routes/tools.ts';
import { formatToolsForProvider, providerOmitted, type ToolLike } from '../../../../toolwharf/bridges/provider.ts';
import type { CatalogEntry } from '../../../../toolwharf/catalog/catalog.ts';
import type { CallRecord } from '../../../../toolwharf/invocation/call-record.ts';
import { accountMember } from '../../../../toolwharf/invocation/dispatch.ts';
import { isUnsent } from '../../../../toolwharf/invocation/idempotency.ts';
import { exactParts } from '../../../../toolwharf/invocation/shape-result.ts';
import { createId } from '../../../../toolwharf/kernel/create-id.ts';
import { createSlice } from '../../../../toolwharf/kernel/slices.ts';
import type { Caller } from '../../../../toolwharf/kernel/tool.ts';
import { isWaiting } from '../../../../toolwharf/policy/visible-tools.ts';
import { assertActive } from '../../auth/admit-caller.ts';
import { hasRight } from '../../auth/identity.ts';
import { disabledTools, findAnyTool, findServer, findTool, scopeFor, visibleTools } from '../access.ts';
import { findRejections, rejectChange } from '../rejected-changes.ts';
import { type ApiPorts, type ApiRequest, implement } from '../route.ts';
import { showTool } from '../show-tool.ts';

const providers = ['openai', 'anthropic', 'gemini'] as const;

export const toolRoutes = [
  implement(routes.listTools, {
    async handle(request, ports) {
      const { server, changed, disabled } = request.query;
      const listed = disabled ? await disabledTools(request, ports) : await visibleTools(request, ports);
      const tools = listed
        .filter((entry) => server === undefined || entry.server === server)
        .filter((entry) => changed === undefined || entry.changed !== undefined || entry.isNew);
      return { tools: await showTools(tools, ports) };
    },
  }),
  implement(routes.listServerTools, {
    access: findServer,
    async handle(request, ports) {
      const tools = await visibleTools(request, ports);
      const own = tools.filter((entry) => entry.server === request.resource.name);
      return { tools: await showTools(own, ports) };
    },
  }),
  implement(routes.getTool, {
    access: findAnyTool,
    async handle({ resource, identity }, ports) {
      return {
        ...(await showTool(resource, ports)),
        chain: hasRight(identity, 'scripts.write') ? chainOf(resource, ports) : undefined,
      };
    },
  }),
  implement(routes.callTool, {
    access: findTool,
    async handle(request, ports) {
      const { arguments: args = {}, idempotencyKey, callId: wanted, account, detached = false } = request.body;
      const { caller } = request.identity;
      const before = wanted === undefined ? undefined : await findCallWithId(wanted, ports);
      if (before && !(idempotencyKey !== undefined && isCallOf(before, caller, idempotencyKey))) throw idInUse();
      // The journal never opens an ended call again: a call that was not sent is made under a new id.
      const id = wanted === undefined || (before && isUnsent(before)) ? createId() : wanted;
      const policy = () => {
        const { profile, hasTool } = scopeFor(request, ports);
        return {
          approval: profile.approval,
          mayUse: (tool: CatalogEntry) => hasTool(tool) && !isWaiting(tool, profile),
        };
      };
      // Administrators see the tools that wait for them.
      if (isWaiting(request.resource, scopeFor(request, ports).profile)) throw notAccepted(request.resource);
      const call = ports.toolbox.start(request.resource, args, {
        id,
        isIdFree: id !== wanted,
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
      const { isError, text, truncated } = result;
      const { content, structuredContent, _meta } = exactParts(result);
      return { callId, isError, content, text, structuredContent, truncated, _meta };
    },
  }),
  implement(routes.acceptToolChange, {
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
  implement(routes.rejectToolChange, {
    access: findReviewedTool,
    async handle({ resource: entry }, ports) {
      if (!entry.changed && !entry.isNew) throw new ToolwharfError('CONFLICT', `${entry.name} has no change to reject`);
      await rejectChange(entry, ports.toolbox, ports.storage.rules);
      return showTool(entry, ports);
    },
  }),
  implement(routes.getToolFormats, {
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

/** Throws if there is a call with the id. */
export async function assertIdAvailable(id: string, ports: ApiPorts): Promise<void> {
  if (await findCallWithId(id, ports)) throw idInUse();
}

async function findCallWithId(id: string, { toolbox, storage }: ApiPorts): Promise<CallRecord | undefined> {
  return toolbox.calls.find(id)?.record ?? (await storage.journal.get(id));
}

/** A call id may be used again only by the same call, which has the same idempotency key. */
function isCallOf(record: CallRecord, caller: Caller, idempotencyKey: string): boolean {
  return record.caller.id === caller.id && record.idempotencyKey === idempotencyKey;
}

function notAccepted({ name }: CatalogEntry): ToolwharfError {
  const message = `${name} is a new tool of its server: it cannot be called until a person accepts it`;
  return new ToolwharfError('TOOL_CHANGED', message);
}

function idInUse(): ToolwharfError {
  return new ToolwharfError('CONFLICT', 'A call with this id already exists: choose another id');
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

function chainOf({ server, originalName, script }: CatalogEntry, { toolbox }: ApiPorts): ToolView['chain'] {
  if (script?.code !== undefined) return { code: script.code };
  const { chains } = toolbox.config.toolbox;
  const found = server === undefined ? chains.find(({ name }) => name === originalName) : undefined;
  return found && { steps: [...found.steps] };
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
