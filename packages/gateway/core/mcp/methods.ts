import { isObject, type JsonObject } from '../../../contract/json.ts';
import { mapAppUri, showsApps } from '../../../toolwharf/catalog/app-tools.ts';
import type { CatalogEntry } from '../../../toolwharf/catalog/catalog.ts';
import { tasksExtension } from '../../../toolwharf/connections/follow-task.ts';
import { readResult, readResultName } from '../../../toolwharf/features/references/read-result.ts';
import { referToResult } from '../../../toolwharf/features/references/refer-to-result.ts';
import { isCodeTool } from '../../../toolwharf/features/scripts/code-tools.ts';
import { runCodeEntry } from '../../../toolwharf/features/scripts/run-code-entry.ts';
import { createSearchForScripts, observeWith } from '../../../toolwharf/features/scripts/search-for-scripts.ts';
import { isSearchTool, listServers, waitForNamed } from '../../../toolwharf/features/search/search-tools.ts';
import { areReceived } from '../../../toolwharf/invocation/receive-arguments.ts';
import { createId } from '../../../toolwharf/kernel/create-id.ts';
import type { OnFound, RecordedSearch } from '../../../toolwharf/kernel/internal-source.ts';
import type { ToolResult } from '../../../toolwharf/kernel/tool.ts';
import { version } from '../../../toolwharf/kernel/version.ts';
import { explainUnknown } from '../../../toolwharf/servers/wait-for-tools.ts';
import { asksForTask, canBecomeTask } from './call-tasks.ts';
import { toClientHost } from './client-host.ts';
import type { ClientRequest, TaskGeneration } from './client-request.ts';
import { eraOf, extraParamsOf, forwardedMeta, idempotencyKey, inputOf } from './forwarded-meta.ts';
import { fitItems, type Omission } from './lists/fit-items.ts';
import { toLegacyOutput } from './lists/legacy-output.ts';
import type { McpMethod, MethodPorts } from './method-ports.ts';
import { checkParamHeaders } from './modern-headers.ts';
import { complete, getPrompt, readResource } from './read-methods.ts';
import { metaOf, modernVersion, RpcError, rpcCode, textOf, toCallResult } from './rpc.ts';
import { nameElicitations, toClientInput } from './server-questions.ts';
import { startCallSpan, traceparentOf, traceRequest } from './traced.ts';
import type { View } from './view.ts';

export const serverInfo = { name: 'toolwharf', version } as const;

/** The capabilities of the gateway, with the extensions of its servers and with tasks as the client can use them. */
export function serverCapabilities(
  { extensions: announced, experimental }: View,
  tasks: TaskGeneration | undefined,
): JsonObject {
  const extensions = tasks === 'v2' ? { ...announced, [tasksExtension]: {} } : announced;
  return {
    tools: { listChanged: true },
    resources: { listChanged: true, subscribe: true },
    prompts: { listChanged: true },
    completions: {},
    logging: {},
    tasks: tasks === 'v1' ? { list: {}, cancel: {}, requests: { tools: { call: {} } } } : undefined,
    extensions: Object.keys(extensions).length > 0 ? extensions : undefined,
    experimental: Object.keys(experimental).length > 0 ? experimental : undefined,
  };
}

/** Answers a request for a method that both eras support. */
export function answerRequest(request: ClientRequest, ports: MethodPorts): Promise<JsonObject> {
  const method = methods.get(request.method) ?? ports.methods.get(request.method) ?? unknownMethod;
  return ports.traces.isOn ? traceRequest(request, ports.traces, () => method(request, ports)) : method(request, ports);
}

async function unknownMethod({ method }: ClientRequest): Promise<never> {
  throw new RpcError(rpcCode.methodNotFound, `Method not found: ${method}`, { httpStatus: 404 });
}

const methods = new Map<string, McpMethod>([
  ['ping', async () => ({})],
  ['tools/list', (request, ports) => list('tools', request, ports)],
  ['resources/list', (request, ports) => list('resources', request, ports)],
  ['resources/templates/list', (request, ports) => list('resourceTemplates', request, ports)],
  ['prompts/list', (request, ports) => list('prompts', request, ports)],
  ['tools/call', callTool],
  ['resources/read', readResource],
  ['prompts/get', getPrompt],
  ['completion/complete', complete],
]);

/** True for a method that `answerRequest` answers. */
export function isKnownMethod(name: string, ports: Pick<MethodPorts, 'methods'>): boolean {
  return methods.has(name) || ports.methods.has(name);
}

/** Answers `server/discover`. */
export async function discover(request: ClientRequest, ports: MethodPorts): Promise<JsonObject> {
  const view = await ports.viewFor(request);
  return {
    supportedVersions: [modernVersion],
    capabilities: serverCapabilities(view, ports.tasks.isOn ? 'v2' : undefined),
    instructions: instructionsOf(view),
  };
}

const maxInstructions = 8_000;

/**
 * The instructions for clients: those of the only server of a profile unchanged, or those of each server under its name,
 * and the servers that are not available. JSON parsers of other languages reject a character of which one half is missing.
 */
export function instructionsOf(view: View): string {
  return describeView(view).toWellFormed();
}

function describeView({ profile, servers, listedServers, instructions, missing }: View): string {
  const [only] = instructions;
  if (servers === 1 && only) return only.text;
  const summary = `Tools of several MCP servers, gathered by Toolwharf${profile.name === 'default' ? '' : ` (profile ${profile.name})`}.`;
  const unavailable = missing.map(({ server, reason }) => `${server} (${reason})`).join('; ');
  return [
    unavailable === '' ? summary : `${summary} Not available right now: ${unavailable}.`,
    ...(listedServers.length > 1 ? [`Servers:\n${listServers(listedServers)}`] : []),
    ...instructions.map(
      ({ server, text }) => `Instructions of server ${server}:\n${quoteHeadings(text.slice(0, maxInstructions))}`,
    ),
  ].join('\n\n');
}

/** The text of a server, in which no line can pose as a heading of the gateway. */
function quoteHeadings(text: string): string {
  return text.replaceAll(/^(?=\s*(?:Tools of several MCP servers|Servers:|Instructions of server\b))/gimu, '> ');
}

/** Answers a request for one page of a list. */
export async function list(
  kind: 'tools' | 'resources' | 'resourceTemplates' | 'prompts' | 'skills',
  request: ClientRequest,
  ports: MethodPorts,
): Promise<JsonObject> {
  const view = await ports.viewFor(request);
  const { capabilities } = request;
  const forApps = kind === 'tools' && view.listedForApps !== view.listed && showsApps(capabilities);
  const items = kind === 'tools' ? (forApps ? view.listedForApps : view.listed) : view[kind];
  const { cursor } = request.params;
  const start = cursor === undefined ? 0 : findPage(items, cursor);
  if (start === undefined)
    throw new RpcError(rpcCode.invalidParams, 'Unknown cursor: request the list from its beginning');
  const { missing } = view;
  // An empty list would claim that there are no items. Here the servers that may have items are not connected.
  if (items.length === 0 && missing.length > 0 && (kind === 'tools' || missing.length === view.servers)) {
    const names = missing.map(({ server, reason }) => `${server} (${reason})`).join('; ');
    throw new RpcError(rpcCode.internal, `No ${kind} to list, because servers are not available: ${names}`, {
      data: { missing },
    });
  }
  const { era } = request;
  const key = forApps ? 'tools for apps' : kind;
  const createPage = () => {
    const page = items.length <= pageSize ? items : items.slice(start, start + pageSize);
    const { items: shown, omitted } = kind === 'skills' ? { items: page, omitted: [] } : fitItems(kind, page, era);
    for (const omission of omitted) logOmission(kind, omission, ports);
    const meta = {
      ...(missing.length > 0 && { 'toolwharf/missing': missing }),
      ...(omitted.length > 0 && { 'toolwharf/omitted': omitted }),
    };
    return {
      [kind]: shown,
      ...(start + pageSize < items.length && { nextCursor: toCursor(items, start + pageSize) }),
      ...(Object.keys(meta).length > 0 && { _meta: meta }),
    };
  };
  // Pages at other starts belong to lists that have changed: they are not worth keeping.
  return start % pageSize === 0 ? ports.serialized.get(view, `${key} ${era} from ${start}`, createPage) : createPage();
}

function logOmission(kind: string, { item, member, reason }: Omission, { log }: Pick<MethodPorts, 'log'>): void {
  const message = `${member} of ${item} in the list of ${kind} is left out for clients: ${reason}`;
  log.info('mcp.member-omitted', message, { kind, item, member });
}

/** How many items a page of a list has. Some clients read the first page only. */
const pageSize = 2_000;

/** A cursor names the last item of its page, so that it stays valid if the list changes. */
function toCursor(items: readonly JsonObject[], start: number): string {
  return Buffer.from(JSON.stringify([start, keyOf(items[start - 1])])).toString('base64url');
}

/** The start of the page that a cursor names; undefined if it is not one of ours. */
function findPage(items: readonly JsonObject[], cursor: unknown): number | undefined {
  if (typeof cursor !== 'string' || cursor.length > maxCursorLength) return undefined;
  try {
    const [start, key] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as [unknown, unknown];
    if (!Number.isSafeInteger(start) || typeof key !== 'string' || Number(start) < 1) return undefined;
    const at =
      keyOf(items[Number(start) - 1]) === key ? Number(start) : items.findIndex((item) => keyOf(item) === key) + 1;
    // The item was removed meanwhile: a few items may be repeated or missing, as in any list that changes.
    return at > 0 ? at : Math.min(Number(start), items.length);
  } catch {
    return undefined;
  }
}

const maxCursorLength = 4_096;

function keyOf(item: JsonObject | undefined): string {
  return String(item?.uri ?? item?.uriTemplate ?? item?.name);
}

/** Calls a tool, or answers one of the tools that search or run the others where the profile lists those. */
function callTool(request: ClientRequest, ports: MethodPorts): Promise<JsonObject> {
  const { name, arguments: args } = request.params;
  areReceived(args, textOf(name));
  const view = ports.viewFor(request);
  return view instanceof Promise
    ? view.then((created) => callIn(created, request, ports))
    : callIn(view, request, ports);
}

function callIn(view: View, request: ClientRequest, ports: MethodPorts): Promise<JsonObject> {
  const isPlain = view.exposure.expose !== 'search' && view.exposure.expose !== 'code';
  return isPlain && view.maxInlineBytes === undefined
    ? runTool(request, view, ports)
    : callOwnTool(view, request, ports);
}

async function callOwnTool(before: View, request: ClientRequest, ports: MethodPorts): Promise<JsonObject> {
  const { params } = request;
  const view = await viewWithNamed(before, request, ports);
  const { toolSearch, searchable, exposure, maxInlineBytes } = view;
  if (maxInlineBytes !== undefined && params.name === readResultName) {
    refuseTask(request, ports);
    return readResult(params.arguments, request.caller.id, ports.toolbox.calls.results.find);
  }
  if (exposure.expose === 'code' && isCodeTool(params.name)) {
    if (params.name === 'run_code') return runTool(request, view, ports, runCodeEntry(params.arguments));
    const search = createSearchForScripts(toolSearch, searchable, observeWith(ports.toolbox));
    return answerSearch(params.name, request, ports, {
      search: search.search,
      describe: (args, onFound) => search.describe(args, request.caller.id, onFound),
    });
  }
  if (exposure.expose !== 'search' || !isSearchTool(params.name)) return runTool(request, view, ports);
  if (params.name !== 'call_tool')
    return answerSearch(params.name, request, ports, {
      search: (args, onFound) => toolSearch.search(searchable, args, onFound),
      describe: (args, onFound) => toolSearch.describe(searchable, args, onFound),
    });
  const { arguments: given } = params;
  // Models also write the arguments as a text of JSON.
  if (isObject(given) && typeof given.arguments === 'string') await request.usage?.weighText(given.arguments);
  const call = await toolSearch.readCall(searchable, given);
  if ('problem' in call) return call.problem;
  // Clients mirror arguments in headers only for tools that they have in their list.
  const named = { params: { value: { ...params, ...call } }, headers: { value: undefined } };
  return runTool(Object.create(request, named) as ClientRequest, view, ports);
}

/** The view when the tools have arrived that `describe_tools` and `call_tool` name, if their servers start or move. */
async function viewWithNamed(view: View, request: ClientRequest, ports: MethodPorts): Promise<View> {
  const { name, arguments: args } = request.params;
  const { expose } = view.exposure;
  if (!ports.waitForTools || expose === 'all' || (name !== 'call_tool' && name !== 'describe_tools')) return view;
  const { knows } = createSearchForScripts(view.toolSearch, view.searchable);
  const isKnown = (tool: string) => view.findTool(tool) !== undefined || (expose === 'code' && knows(tool));
  const waiting = waitForNamed(args, isKnown, ports.waitForTools);
  // A description without the tools that do not arrive says that they are unknown.
  return (await (name === 'call_tool' ? waiting : waiting.catch(() => false))) ? ports.viewFor(request) : view;
}

type Search = (args: unknown, onFound: OnFound) => Promise<JsonObject>;

/** Answers and records a search, within the limits of reads. */
async function answerSearch(
  tool: RecordedSearch['tool'],
  request: ClientRequest,
  { toolbox, tasks }: Pick<MethodPorts, 'toolbox' | 'tasks'>,
  { search, describe }: Readonly<Record<'search' | 'describe', Search>>,
): Promise<JsonObject> {
  refuseTask(request, { tasks });
  using _slot = request.usage?.reserve('reads');
  const { caller, params } = request;
  const answer = tool === 'search_tools' ? search : describe;
  return await toolbox.recordSearch({ tool, arguments: params.arguments, caller }, (onFound) =>
    answer(params.arguments, onFound),
  );
}

/** Searching is not a call, and cannot be a task. */
function refuseTask(request: ClientRequest, { tasks }: Pick<MethodPorts, 'tasks'>): void {
  if (tasks.isOn && asksForTask(request))
    throw new RpcError(rpcCode.methodNotFound, `${textOf(request.params.name)} does not run as a task`);
}

function unknownTool({ params }: ClientRequest, { missing }: View): RpcError {
  const name = textOf(params.name);
  return new RpcError(rpcCode.invalidParams, `Unknown tool: ${name}${explainUnknown(name, missing)}`);
}

async function runTool(
  request: ClientRequest,
  view: View,
  ports: MethodPorts,
  entry = findTool(request, view),
): Promise<JsonObject> {
  const { params } = request;
  if (!entry) {
    await ports.waitForTools?.(textOf(params.name));
    // Also without a wait: the tool may have arrived since the view was read.
    const changed = await ports.viewFor(request);
    const arrived = findTool(request, changed);
    if (!arrived) throw unknownTool(request, changed);
    return runTool(request, changed, ports, arrived);
  }
  if (request.headers) checkParamHeaders(entry.definition.inputSchema, params.arguments, request.headers);
  const callId = createId();
  const upstreamEra = eraOf(entry.server, ports);
  const span = ports.traces.isOn ? startCallSpan(entry, callId, traceparentOf(request), ports) : undefined;
  const meta = forwardedMeta(request, upstreamEra);
  if (span) meta.traceparent = span.traceparent;
  const input = upstreamEra === 'modern' && mayAnswerItself(request) ? inputOf(params) : undefined;
  const client = toClientHost(request, input);
  const taskable = canBecomeTask(request) ? ports.tasks.prepare(request, callId, client) : undefined;
  const call = ports.toolbox.start(entry, params.arguments, {
    id: callId,
    isIdFree: true,
    calledAs: textOf(params.name),
    caller: request.caller,
    host: taskable?.host ?? client,
    signal: taskable?.signal ?? request.signal,
    policy: { approval: request.profile.approval, mayUse: view.hasTool },
    refreshPolicy: request.refreshPolicy,
    profile: request.profile.name,
    callerLimits: request.usage?.calls,
    meta,
    extraParams: extraParamsOf(request),
    idempotencyKey: idempotencyKeyOf(params),
  });
  span?.follow(call);
  const created = taskable && (await taskable.becomeTask(call));
  if (created) return created;
  const result = await call.result;
  return showResult(result, request, entry, view, ports);
}

/** The result as the client gets it: a large one as a reference where the profile says so, with the URIs of the view. */
function showResult(
  result: ToolResult,
  { caller, era }: ClientRequest,
  entry: CatalogEntry,
  view: View,
  { toolbox }: MethodPorts,
): JsonObject {
  const { maxInlineBytes } = view;
  const reference =
    maxInlineBytes === undefined
      ? undefined
      : referToResult(result, { maxInlineBytes, caller: caller.id, store: toolbox.calls.results });
  if (reference) return reference;
  const whole = toNamedResult(result, entry);
  const shown =
    era === 'legacy' ? toLegacyOutput(whole, entry.definition.outputSchema) : toClientInput(whole, entry.server);
  return shown._meta === undefined ? shown : mapAppUri(shown, (uri) => exposeUri(uri, entry, view));
}

/** The result, or the error of the server with its name. */
function toNamedResult(result: ToolResult, { server }: CatalogEntry): JsonObject {
  try {
    return toCallResult(result);
  } catch (cause) {
    throw nameElicitations(cause, server);
  }
}

function findTool({ params, capabilities }: ClientRequest, view: View): CatalogEntry | undefined {
  const name = textOf(params.name);
  return view.findTool(name) ?? (showsApps(capabilities) ? view.findToolForApps(name) : undefined);
}

function exposeUri(uri: string, { server }: CatalogEntry, { appUris }: View): string {
  return server === undefined ? uri : appUris.toExposed({ server, uri });
}

/**
 * True if a modern client may answer a modern server's questions directly, with a separate call for each round. A call that
 * may need approval or has an idempotency key remains one call through all rounds.
 */
function mayAnswerItself({ era, profile: { approval }, params }: ClientRequest): boolean {
  const mayAsk = approval.mode !== 'auto' || approval.ask.length > 0;
  return era === 'modern' && !mayAsk && idempotencyKeyOf(params) === undefined;
}

const maxKeyLength = 200;

function idempotencyKeyOf(params: JsonObject): string | undefined {
  const key = metaOf(params)[idempotencyKey];
  if (typeof key !== 'string') return undefined;
  if (key.length <= maxKeyLength) return key;
  throw new RpcError(rpcCode.invalidParams, `The idempotency key is longer than ${maxKeyLength} characters`);
}
