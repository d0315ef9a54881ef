import type { ServerInput } from '../../../contract/api/servers.ts';
import { ToolwharfError } from '../../../contract/errors.ts';
import type { Conversation } from '../../../contract/records/conversation.ts';
import type { Catalog, CatalogEntry } from '../../../toolwharf/catalog/catalog.ts';
import { joinedNamings, nameTool } from '../../../toolwharf/catalog/name-tools.ts';
import type { CheckedServerRecord, ServerRecord } from '../../../toolwharf/config/server-record.ts';
import { addressKind, literalAddress } from '../../../toolwharf/connections/http/address-kind.ts';
import type { CallRecord } from '../../../toolwharf/invocation/call-record.ts';
import { mapInSlices } from '../../../toolwharf/kernel/slices.ts';
import { userOf } from '../../../toolwharf/kernel/user-caller.ts';
import type { ApprovalFilter, ApprovalRecord } from '../../../toolwharf/policy/approval-store.ts';
import type { ServerInfo } from '../../../toolwharf/servers/server-info.ts';
import { explainUnknown } from '../../../toolwharf/servers/wait-for-tools.ts';
import { noConversation } from '../../../toolwharf/storage/ports/conversation-store.ts';
import { hasRight, type Identity, mayAddPrograms, readsAllCalls } from '../auth/identity.ts';
import { type Scope, scopeOf } from '../auth/profile-scope.ts';
import type { ApiPorts, ApiRequest } from './route.ts';
import { readServerInput } from './server-masks.ts';

type Requester = Pick<ApiRequest, 'identity'>;
type RequestFor<Name extends string> = Pick<ApiRequest<Readonly<Record<Name, string>>>, 'params' | 'identity'>;

/** The servers and tools the caller may see. */
export function scopeFor({ identity }: Requester, { toolbox }: ApiPorts): Scope {
  return scopeOf(identity, toolbox.config.profiles, toolbox.isListed);
}

/** The server of the path. A hidden server is reported as not found. */
export function findServer(request: RequestFor<'server'>, ports: ApiPorts): ServerInfo {
  const name = request.params.server;
  const info = scopeFor(request, ports).hasServer(name) ? ports.toolbox.servers.get(name) : undefined;
  if (info) return info;
  throw new ToolwharfError('NOT_FOUND', `There is no server '${name}'`, { data: { server: name } });
}

/** The same, once its resources and prompts are known. */
export async function findServerWithContent(request: RequestFor<'server'>, ports: ApiPorts): Promise<ServerInfo> {
  const { name } = findServer(request, ports);
  await ports.servers.waitForContent?.((server) => server === name);
  return findServer(request, ports);
}

/** The tool of the path. A hidden tool is reported as not found. */
export async function findTool(request: RequestFor<'tool'>, ports: ApiPorts): Promise<CatalogEntry> {
  const name = request.params.tool;
  const { catalog } = ports.toolbox;
  if (!findByAnyName(catalog, name)) await ports.servers.waitForStart();
  if (!findByAnyName(catalog, name)) await ports.servers.waitForTools?.(name);
  const entry = findByAnyName(catalog, name);
  const scope = scopeFor(request, ports);
  if (entry && scope.hasTool(entry)) return entry;
  const missing = ports.toolbox.servers
    .list()
    .filter(({ name: server, status }) => status.state === 'error' && scope.hasServer(server))
    .map(({ name: server, status: { reason } }) => ({ server, reason }));
  const message = `There is no tool '${name}'${explainUnknown(name, missing)}`;
  throw new ToolwharfError('TOOL_NAME_INVALID', message, { data: { tool: name } });
}

/** The tool with this name in the naming of the toolbox, or in one that joins server and tool, as clients of MCP see it. */
function findByAnyName(catalog: Pick<Catalog, 'entries' | 'find'>, name: string): CatalogEntry | undefined {
  return (
    catalog.find(name) ??
    catalog.entries.find((entry) => joinedNamings.some((naming) => nameTool(entry, naming) === name))
  );
}

/** The tool of the path. Administrators also find tools that are switched off. */
export async function findAnyTool(request: RequestFor<'tool'>, ports: ApiPorts): Promise<CatalogEntry> {
  const { tool } = request.params;
  const disabled = await disabledTools(request, ports);
  return disabled.find(({ name }) => name === tool) ?? findTool(request, ports);
}

/** Every tool that is switched off; none for callers who are not administrators. */
export async function disabledTools({ identity }: Requester, ports: ApiPorts): Promise<readonly CatalogEntry[]> {
  if (!hasRight(identity, 'tools.write')) return [];
  await ports.servers.waitForStart();
  return ports.toolbox.catalog.disabled;
}

/** Every tool the caller may see. */
export async function visibleTools(request: Requester, ports: ApiPorts): Promise<CatalogEntry[]> {
  await ports.servers.waitForStart();
  const scope = scopeFor(request, ports);
  const visible = await mapInSlices(ports.toolbox.catalog.entries, (entry) =>
    scope.hasTool(entry) ? entry : undefined,
  );
  return visible.filter((entry) => entry !== undefined);
}

/** The recorded call of the path, if the caller owns it. */
export async function findCall(request: RequestFor<'call'>, { storage, security }: ApiPorts): Promise<CallRecord> {
  const id = request.params.call;
  const record = await storage.journal.get(id);
  if (record && (await security.ownership.owns(request.identity, record.caller))) return record;
  throw noCall(id);
}

/** The recorded call of the path, if the caller may read it. Approvers read the calls of others. */
export async function findReadableCall(request: RequestFor<'call'>, ports: ApiPorts): Promise<CallRecord> {
  if (!readsAllCalls(request.identity)) return findCall(request, ports);
  const record = await ports.storage.journal.get(request.params.call);
  if (record && (hasRight(request.identity, 'audit.read') || record.kind !== 'administration')) return record;
  throw noCall(request.params.call);
}

export function noCall(id: string): ToolwharfError {
  return new ToolwharfError('NOT_FOUND', `There is no call '${id}'`);
}

/** The approval of the path, if the caller owns its call or answers approvals of others. */
export async function findApproval(
  request: RequestFor<'approval'>,
  { storage, security }: ApiPorts,
): Promise<ApprovalRecord> {
  const id = request.params.approval;
  await storage.approvals.expire(Date.now());
  const record = await storage.approvals.get(id);
  const { caller } = record?.request ?? {};
  const isShown =
    readsAllCalls(request.identity) || (caller && (await security.ownership.owns(request.identity, caller)));
  if (record && isShown) return record;
  throw noApproval(id);
}

export function noApproval(id: string): ToolwharfError {
  return new ToolwharfError('NOT_FOUND', `There is no approval '${id}'`);
}

/** The approvals the caller may see, newest first: administrators and approvers see all, others those of their calls and conversations. */
export async function listApprovals(
  filter: ApprovalFilter & { readonly limit: number },
  identity: Identity,
  { storage: { approvals, assistants }, security }: ApiPorts,
): Promise<readonly ApprovalRecord[]> {
  await approvals.expire(Date.now());
  if (readsAllCalls(identity)) return approvals.list(filter);
  const { caller: wanted, ...rest } = filter;
  const callers = [identity.caller.id, ...(await assistants.list()).map(({ id }) => `assistant:${id}`)];
  const found = await Promise.all(
    callers
      .filter((caller) => wanted === undefined || caller === wanted)
      .map((caller) => approvals.list({ ...rest, limit: 10_000, caller })),
  );
  const own: ApprovalRecord[] = [];
  for (const record of found.flat())
    if (await security.ownership.owns(identity, record.request.caller)) own.push(record);
  const key = ({ request }: ApprovalRecord) => `${request.askedAt} ${request.id}`;
  return own.sort((one, other) => (key(one) < key(other) ? 1 : -1)).slice(0, filter.limit);
}

/** The conversation of the path, if the caller owns it. */
export async function findConversation(
  { params, identity }: RequestFor<'conversation'>,
  { storage }: ApiPorts,
): Promise<Conversation> {
  const found = await storage.conversations.get(params.conversation);
  if (found && (hasRight(identity, 'conversations.manage') || found.owner === identity.caller.id)) return found;
  throw noConversation(params.conversation);
}

/**
 * The conversation of the path, if the caller may continue it. Administrators read, stop and delete conversations of users,
 * but do not write in them: the assistant acts with the accounts of its owner.
 */
export async function findOwnConversation(request: RequestFor<'conversation'>, ports: ApiPorts): Promise<Conversation> {
  const found = await findConversation(request, ports);
  if (userOf(found.owner) === undefined || found.owner === request.identity.caller.id) return found;
  throw new ToolwharfError('FORBIDDEN', 'Only its owner can continue this conversation');
}

/** Validates a server that the caller wants to add, test or change, and checks that the caller may have the gateway connect to it. */
export function readPermittedServer(
  input: ServerInput,
  { identity }: Requester,
  ports: ApiPorts,
  stored?: ServerRecord,
): CheckedServerRecord {
  const server = readServerInput(input, stored);
  if (server.transport === 'stdio') assertMayRunPrograms(identity, ports);
  assertAddressAllowed(server.url, ports);
  assertAddressAllowed(server.openapi, ports);
  return server;
}

/** A local program runs with the gateway's own permissions: the operator must allow it, and the caller must be authenticated. */
function assertMayRunPrograms(identity: Identity, { security }: ApiPorts): void {
  if (!security.allowsPrograms())
    throw new ToolwharfError('FORBIDDEN', 'Local (stdio) servers cannot be added: gateway.allowPrograms is off');
  if (mayAddPrograms(identity)) return;
  const message = "To add a local (stdio) server, authenticate with the admin token or an administrator's key";
  throw new ToolwharfError('FORBIDDEN', message);
}

/** Rejects a URL with a private IP address if those are not allowed. Host names are checked when they are resolved. */
export function assertAddressAllowed(url: string | undefined, { security }: ApiPorts): void {
  const parsed = url === undefined ? null : URL.parse(url);
  const address = parsed === null ? undefined : literalAddress(parsed);
  if (address === undefined || security.allowsPrivateAddresses() || addressKind(address) === 'public') return;
  const message = `'${parsed?.hostname}' is not a public address, and gateway.allowPrivateAddresses is off`;
  throw new ToolwharfError('FORBIDDEN', message);
}

/** Apps of a conversation act for its owner. An administrator only sees them, because the journal would name the owner. */
export function notOwner(): ToolwharfError {
  return new ToolwharfError(
    'FORBIDDEN',
    'Only the owner of the conversation can use its apps: administrators see them, but the apps cannot act for them',
  );
}
