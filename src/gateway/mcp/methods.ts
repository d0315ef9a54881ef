import { mapAppUri, showsApps } from '../../catalog/app-tools.ts';
import type { CatalogEntry } from '../../catalog/catalog.ts';
import { tasksExtension } from '../../connections/follow-task.ts';
import type { RequestHost } from '../../connections/request-host.ts';
import type { InternalReadOptions } from '../../invocation/read-content.ts';
import { createId } from '../../kernel/create-id.ts';
import { isObject, type JsonObject } from '../../kernel/json.ts';
import type { OnFound, RecordedSearch, ToolResult } from '../../kernel/tool.ts';
import { version } from '../../kernel/version.ts';
import { isCodeTool, runCodeEntry } from '../../scale/code/code-tools.ts';
import { createSearchForScripts, observeWith } from '../../scale/code/search-for-scripts.ts';
import { readResult, readResultDefinition } from '../../scale/references/read-result.ts';
import { referToResult } from '../../scale/references/refer-to-result.ts';
import { isSearchTool } from '../../scale/search/search-tools.ts';
import type { InternalToolbox } from '../../toolbox.ts';
import type { Traces } from '../traces/traces.ts';
import { toCallResult } from './call-result.ts';
import { toClientHost } from './client-host.ts';
import type { ClientRequest, TaskGeneration } from './client-request.ts';
import { forwardedMeta, idempotencyKey } from './forwarded-meta.ts';
import { isLogLevel, type LogLevels } from './log-levels.ts';
import { checkParamHeaders } from './modern-headers.ts';
import { metaOf, modernVersion, RpcError, rpcCode, toRpcError } from './rpc.ts';
import type { SerializedCache } from './serialized-cache.ts';
import { asksForTask, createTaskable, type TaskPorts } from './tasks/taskable-call.ts';
import type { View } from './view.ts';

export interface MethodPorts {
  readonly traces: Traces;
  readonly toolbox: InternalToolbox;
  /** Returns the view of the caller's profile. Waits a short time for servers that are still starting. */
  readonly viewFor: (request: Pick<ClientRequest, 'profile'>) => Promise<View>;
  readonly logLevels: LogLevels;
  readonly serialized: SerializedCache;
  readonly tasks: TaskPorts;
}

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
async function callTool(request: ClientRequest, ports: MethodPorts): Promise<JsonObject> {
  const { params } = request;
  const view = await ports.viewFor(request);
  const { toolSearch, searchable, exposure, maxInlineBytes } = view;
  if (maxInlineBytes !== undefined && params.name === readResultDefinition.name) {
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
  return runTool({ ...request, params: { ...params, ...call }, headers: undefined }, view, ports);
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
  const upstreamEra = await prepareServer(entry.server, request, ports);
  const about = { 'mcp.server': entry.server ?? 'local', 'mcp.tool': entry.originalName, 'toolwharf.call': callId };
  const span = ports.traces.start(`tools/call ${entry.name}`, metaOf(params).traceparent, about);
  const meta = forwardedMeta(request, upstreamEra);
  if (span.traceparent !== undefined) meta.traceparent = span.traceparent;
  const input = upstreamEra === 'modern' && mayAnswerItself(request) ? inputOf(params) : undefined;
  const client = toClientHost(request, input);
  const taskable = request.tasks && createTaskable(request, callId, client, ports);
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
  const endSpan = ({ isError, failure }: ToolResult) => span.end({ isError, message: failure?.code });
  const created = taskable && (await taskable.becomeTask(call));
  if (created) {
    void call.result.then(endSpan);
    return created;
  }
  const result = await call.result;
  endSpan(result);
  const { maxInlineBytes } = view;
  const refer = { maxInlineBytes, caller: request.caller.id, store: ports.toolbox.calls.results };
  return referToResult(result, refer) ?? mapAppUri(toCallResult(result), (uri) => exposeUri(uri, entry, view));
}

function findTool({ params, capabilities }: ClientRequest, view: View): CatalogEntry | undefined {
  const name = String(params.name);
  return view.findTool(name) ?? (showsApps(capabilities) ? view.findToolForApps(name) : undefined);
}

function exposeUri(uri: string, { server }: CatalogEntry, { appUris }: View): string {
  return server === undefined ? uri : appUris.toExposed({ server, uri });
}

async function readResource(request: ClientRequest, ports: MethodPorts): Promise<JsonObject> {
  using _slot = request.usage?.reserve('reads');
  const uri = String(request.params.uri);
  const view = await ports.viewFor(request);
  const found = view.skillView.findFile(uri) ?? view.findResource(uri);
  if (!found) throw resourceNotFound(request, uri);
  const { server, uri: own } = found;
  const options = await readOptions(server, request, ports);
  const { resources, skills } = ports.toolbox;
  try {
    const result = await (server === undefined
      ? skills.readFile(server, own, options)
      : resources.read(server, own, options));
    return own === uri ? result : renameContents(result, own, uri);
  } catch (cause) {
    const { code, data, message } = toRpcError(cause);
    const isMissing =
      code === rpcCode.resourceNotFound || (code === rpcCode.invalidParams && isObject(data) && data.uri === own);
    throw isMissing ? resourceNotFound(request, uri, message) : cause;
  }
}

/** The contents of a resource under the URI that the client read. */
function renameContents(result: JsonObject, own: string, uri: string): JsonObject {
  if (!Array.isArray(result.contents)) return result;
  return {
    ...result,
    contents: result.contents.map((one) => (isObject(one) && one.uri === own ? { ...one, uri } : one)),
  };
}

async function getSkill(request: ClientRequest, ports: MethodPorts): Promise<JsonObject> {
  const uri = String(request.params.uri);
  const skill = (await ports.viewFor(request)).skillView.find(uri);
  if (!skill) throw new RpcError(rpcCode.invalidParams, `No skill is served at ${uri}`, { data: { uri } });
  return { skill };
}

async function getPrompt(request: ClientRequest, ports: MethodPorts): Promise<JsonObject> {
  using _slot = request.usage?.reserve('reads');
  const found = (await ports.viewFor(request)).findPrompt(String(request.params.name));
  if (!found) throw new RpcError(rpcCode.invalidParams, `Unknown prompt: ${String(request.params.name)}`);
  const args = isObject(request.params.arguments) ? request.params.arguments : undefined;
  const options = await readOptions(found.server, request, ports);
  return await ports.toolbox.prompts.get(found.server, found.name, args as Record<string, string> | undefined, options);
}

async function complete(request: ClientRequest, ports: MethodPorts): Promise<JsonObject> {
  using _slot = request.usage?.reserve('reads');
  const view = await ports.viewFor(request);
  const { ref, argument, context } = request.params;
  if (!isObject(ref) || !isObject(argument))
    throw new RpcError(rpcCode.invalidParams, 'completion/complete needs ref and argument');
  const rest = { argument, context };
  if (ref.type === 'ref/prompt') {
    const found = view.findPrompt(String(ref.name));
    if (!found) throw new RpcError(rpcCode.invalidParams, `Unknown prompt: ${String(ref.name)}`);
    const named = { ref: { ...ref, name: found.name }, ...rest };
    return await forward(request, ports, found.server, 'completion/complete', named);
  }
  const uri = String(ref.uri);
  const template = view.findTemplate(uri);
  const found = template === undefined ? view.findResource(uri) : { server: template, uri };
  if (!found) throw resourceNotFound(request, uri);
  const own = { ref: { ...ref, uri: found.uri }, ...rest };
  return await forward(request, ports, found.server, 'completion/complete', own);
}

/** How a resource or prompt is read under the profile's policy. The client answers the questions of the server. */
async function readOptions(
  server: string | undefined,
  request: ClientRequest,
  ports: MethodPorts,
): Promise<InternalReadOptions> {
  const { profile, caller, signal, refreshPolicy } = request;
  const upstreamEra = await prepareServer(server, request, ports);
  const mayAsk = profile.approval.reads === 'ask';
  const input = request.era === 'modern' && upstreamEra === 'modern' && !mayAsk ? inputOf(request.params) : undefined;
  const { mayRead } = await ports.viewFor(request);
  return {
    caller,
    signal,
    host: toClientHost(request, input),
    policy: { approval: profile.approval, mayRead },
    refreshPolicy,
    meta: forwardedMeta(request, upstreamEra),
  };
}

/** Sends the request to one server. The client answers the questions of that server. */
async function forward(
  request: ClientRequest,
  ports: MethodPorts,
  server: string,
  method: string,
  params: JsonObject,
): Promise<JsonObject> {
  const upstreamEra = await prepareServer(server, request, ports);
  const input = request.era === 'modern' && upstreamEra === 'modern' ? inputOf(request.params) : undefined;
  const host = toClientHost(request, input) as RequestHost;
  return ports.toolbox.servers.request(
    server,
    method,
    { ...params, _meta: forwardedMeta(request, upstreamEra) },
    { signal: request.signal, host, caller: request.caller },
  );
}

/** Returns the era of the server. A legacy server first gets the log level, because its requests cannot carry one. */
function prepareServer(server: string | undefined, request: ClientRequest, { toolbox, logLevels }: MethodPorts) {
  const era = server === undefined ? undefined : toolbox.servers.status(server)?.era;
  const { logLevel } = request;
  if (server === undefined || era !== 'legacy' || request.era !== 'modern' || !isLogLevel(logLevel)) return era;
  return logLevels.raise(server, logLevel).then(() => era);
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

function inputOf({ inputResponses, requestState }: JsonObject): NonNullable<RequestHost['input']> {
  return {
    responses: isObject(inputResponses) ? inputResponses : undefined,
    state: typeof requestState === 'string' ? requestState : undefined,
  };
}

/** The two eras define different codes for this error. */
function resourceNotFound(request: ClientRequest, uri: string, message = `Resource not found: ${uri}`): RpcError {
  const code = request.era === 'modern' ? rpcCode.invalidParams : rpcCode.resourceNotFound;
  return new RpcError(code, message, { data: { uri } });
}
