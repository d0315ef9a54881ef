import { mapAppUri, showsApps } from '../../catalog/app-tools.ts';
import type { CatalogEntry } from '../../catalog/catalog.ts';
import { tasksExtension } from '../../connections/follow-task.ts';
import { createId } from '../../kernel/create-id.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { OnFound, RecordedSearch, ToolResult } from '../../kernel/tool.ts';
import { version } from '../../kernel/version.ts';
import { isCodeTool, runCodeEntry } from '../../scale/code/code-tools.ts';
import { createSearchForScripts, observeWith } from '../../scale/code/search-for-scripts.ts';
import { readResult, readResultName } from '../../scale/references/read-result.ts';
import { referToResult } from '../../scale/references/refer-to-result.ts';
import { isSearchTool } from '../../scale/search/search-tools.ts';
import type { Span } from '../traces/traces.ts';
import { toClientHost } from './client-host.ts';
import type { ClientRequest, TaskGeneration } from './client-request.ts';
import { forwardedMeta, idempotencyKey, inputOf, prepareServer } from './forwarded-meta.ts';
import type { MethodPorts } from './method-ports.ts';
import { checkParamHeaders } from './modern-headers.ts';
import { complete, getPrompt, getSkill, readResource } from './read-methods.ts';
import { metaOf, modernVersion, RpcError, rpcCode, toCallResult } from './rpc.ts';
import { asksForTask, canBecomeTask, createTaskable } from './tasks/taskable-call.ts';
import type { View } from './view.ts';

export const serverInfo = { name: 'toolwharf', version } as const;

/** The capabilities of the gateway, with the extensions of its servers and with tasks as the client can use them. */
export function serverCapabilities({ extensions: announced }: View, tasks: TaskGeneration | undefined): JsonObject {
  const extensions = tasks === 'v2' ? { ...announced, [tasksExtension]: {} } : announced;
  return {
    tools: { listChanged: true },
    resources: { listChanged: true, subscribe: true },
    prompts: { listChanged: true },
    completions: {},
    logging: {},
    tasks: tasks === 'v1' ? { list: {}, cancel: {}, requests: { tools: { call: {} } } } : undefined,
    extensions: Object.keys(extensions).length > 0 ? extensions : undefined,
  };
}

type Method = (request: ClientRequest, ports: MethodPorts) => Promise<JsonObject>;

/** Answers a request for a method that both eras support. */
export function answerRequest(request: ClientRequest, ports: MethodPorts): Promise<JsonObject> {
  const method = methods.get(request.method) ?? unknownMethod;
  return method(request, ports);
}

async function unknownMethod({ method }: ClientRequest): Promise<never> {
  throw new RpcError(rpcCode.methodNotFound, `Method not found: ${method}`, { httpStatus: 404 });
}

const methods = new Map<string, Method>([
  ['ping', async () => ({})],
  ['tools/list', (request, ports) => list('tools', request, ports)],
  ['resources/list', (request, ports) => list('resources', request, ports)],
  ['resources/templates/list', (request, ports) => list('resourceTemplates', request, ports)],
  ['prompts/list', (request, ports) => list('prompts', request, ports)],
  ['skills/list', (request, ports) => list('skills', request, ports)],
  ['skills/get', getSkill],
  ['tools/call', callTool],
  ['resources/read', readResource],
  ['prompts/get', getPrompt],
  ['completion/complete', complete],
]);

/** True for a method that `answerRequest` answers. */
export function isKnownMethod(name: string): boolean {
  return methods.has(name);
}

/** Answers `server/discover`. */
export async function discover(request: ClientRequest, ports: MethodPorts): Promise<JsonObject> {
  const view = await ports.viewFor(request);
  return {
    supportedVersions: [modernVersion],
    capabilities: serverCapabilities(view, 'v2'),
    instructions: instructionsOf(view),
  };
}

const maxInstructions = 8_000;

/**
 * The instructions for clients: those of the only server of a profile unchanged, or those of each server under its name,
 * and the servers that are not available.
 */
export function instructionsOf({ profile, servers, instructions, missing }: View): string {
  const [only] = instructions;
  if (servers === 1 && only) return only.text;
  const summary = `Tools of several MCP servers, gathered by Toolwharf${profile.name === 'default' ? '' : ` (profile ${profile.name})`}.`;
  const unavailable = missing.map(({ server, reason }) => `${server} (${reason})`).join('; ');
  return [
    unavailable === '' ? summary : `${summary} Not available right now: ${unavailable}.`,
    ...instructions.map(({ server, text }) => `Instructions of server ${server}:\n${text.slice(0, maxInstructions)}`),
  ].join('\n\n');
}

async function list(
  kind: 'tools' | 'resources' | 'resourceTemplates' | 'prompts' | 'skills',
  request: ClientRequest,
  ports: MethodPorts,
): Promise<JsonObject> {
  const view = await ports.viewFor(request);
  const { capabilities } = request;
  const forApps = kind === 'tools' && view.listedForApps !== view.listed && showsApps(capabilities);
  const items = kind === 'tools' ? (forApps ? view.listedForApps : view.listed) : view[kind];
  if (request.params.cursor !== undefined)
    throw new RpcError(rpcCode.invalidParams, 'Unknown cursor: lists here have one page');
  const { missing } = view;
  // An empty list would claim that there are no items. Here the servers that may have items are not connected.
  if (items.length === 0 && missing.length > 0 && (kind === 'tools' || missing.length === view.servers)) {
    const names = missing.map(({ server, reason }) => `${server} (${reason})`).join('; ');
    throw new RpcError(rpcCode.internal, `No ${kind} to list, because servers are not available: ${names}`, {
      data: { missing },
    });
  }
  return ports.serialized.get(view, forApps ? 'tools for apps' : kind, () => ({
    [kind]: items,
    ...(missing.length > 0 && { _meta: { 'toolwharf/missing': missing } }),
  }));
}

/** Calls a tool, or answers one of the tools that search or run the others where the profile lists those. */
function callTool(request: ClientRequest, ports: MethodPorts): Promise<JsonObject> {
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

async function callOwnTool(view: View, request: ClientRequest, ports: MethodPorts): Promise<JsonObject> {
  const { params } = request;
  const { toolSearch, searchable, exposure, maxInlineBytes } = view;
  if (maxInlineBytes !== undefined && params.name === readResultName) {
    refuseTask(request);
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
  const call = await toolSearch.readCall(searchable, params.arguments);
  if ('problem' in call) return call.problem;
  // Clients mirror arguments in headers only for tools that they have in their list.
  const named = { params: { value: { ...params, ...call } }, headers: { value: undefined } };
  return runTool(Object.create(request, named) as ClientRequest, view, ports);
}

type Search = (args: unknown, onFound: OnFound) => Promise<JsonObject>;

/** Answers and records a search, within the limits of reads. */
async function answerSearch(
  tool: RecordedSearch['tool'],
  request: ClientRequest,
  { toolbox }: Pick<MethodPorts, 'toolbox'>,
  { search, describe }: Readonly<Record<'search' | 'describe', Search>>,
): Promise<JsonObject> {
  refuseTask(request);
  using _slot = request.usage?.reserve('reads');
  const { caller, params } = request;
  const answer = tool === 'search_tools' ? search : describe;
  return await toolbox.recordSearch({ tool, arguments: params.arguments, caller }, (onFound) =>
    answer(params.arguments, onFound),
  );
}

/** Searching is not a call, and cannot be a task. */
function refuseTask(request: ClientRequest): void {
  if (asksForTask(request))
    throw new RpcError(rpcCode.methodNotFound, `${String(request.params.name)} does not run as a task`);
}

async function runTool(
  request: ClientRequest,
  view: View,
  ports: MethodPorts,
  entry = findTool(request, view),
): Promise<JsonObject> {
  const { params } = request;
  if (!entry) throw new RpcError(rpcCode.invalidParams, `Unknown tool: ${String(params.name)}`);
  if (request.headers) checkParamHeaders(entry.definition.inputSchema, params.arguments, request.headers);
  const callId = createId();
  const prepared = prepareServer(entry.server, request, ports);
  const upstreamEra = prepared instanceof Promise ? await prepared : prepared;
  const span = ports.traces.isOn ? startSpan(request, entry, callId, ports) : undefined;
  const meta = forwardedMeta(request, upstreamEra);
  if (span) meta.traceparent = span.traceparent;
  const input = upstreamEra === 'modern' && mayAnswerItself(request) ? inputOf(params) : undefined;
  const client = toClientHost(request, input);
  const taskable = canBecomeTask(request) ? createTaskable(request, callId, client, ports) : undefined;
  const call = ports.toolbox.start(entry, params.arguments, {
    id: callId,
    calledAs: String(params.name),
    caller: request.caller,
    host: taskable?.host ?? client,
    signal: taskable?.signal ?? request.signal,
    policy: { approval: request.profile.approval, mayUse: view.hasTool },
    refreshPolicy: request.refreshPolicy,
    profile: request.profile.name,
    callerLimits: request.usage?.calls,
    meta,
    idempotencyKey: idempotencyKeyOf(params),
  });
  const created = taskable && (await taskable.becomeTask(call));
  if (created) {
    void call.result.then((result) => endSpan(span, result));
    return created;
  }
  const result = await call.result;
  endSpan(span, result);
  return showResult(result, request, entry, view, ports);
}

/** The result as the client gets it: a large one as a reference where the profile says so, with the URIs of the view. */
function showResult(
  result: ToolResult,
  { caller }: ClientRequest,
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
  const shown = toCallResult(result);
  return shown._meta === undefined ? shown : mapAppUri(shown, (uri) => exposeUri(uri, entry, view));
}

function startSpan({ params }: ClientRequest, entry: CatalogEntry, callId: string, { traces }: MethodPorts): Span {
  const about = { 'mcp.server': entry.server ?? 'local', 'mcp.tool': entry.originalName, 'toolwharf.call': callId };
  return traces.start(`tools/call ${entry.name}`, metaOf(params).traceparent, about);
}

function endSpan(span: Span | undefined, { isError, failure }: ToolResult): void {
  span?.end({ isError, message: failure?.code });
}

function findTool({ params, capabilities }: ClientRequest, view: View): CatalogEntry | undefined {
  const name = String(params.name);
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
