import type { RequestHost } from '../../connections/request-host.ts';
import { createId } from '../../kernel/create-id.ts';
import { isObject, type JsonObject } from '../../kernel/json.ts';
import type { ToolResult } from '../../kernel/tool.ts';
import { version } from '../../kernel/version.ts';
import type { InternalToolbox } from '../../toolbox.ts';
import type { Traces } from '../traces/traces.ts';
import { toClientHost } from './client-host.ts';
import type { ClientRequest } from './client-request.ts';
import { forwardedMeta, idempotencyKey } from './forwarded-meta.ts';
import { keepFor } from './kept-json.ts';
import { isLogLevel, type LogLevels } from './log-levels.ts';
import { metaOf, modernVersion, RpcError, rpcCode, toRpcError } from './rpc.ts';
import type { View } from './view.ts';

export interface MethodPorts {
  readonly traces: Traces;
  readonly toolbox: InternalToolbox;
  /** The caller's view, once the servers had a fair chance to be there. */
  readonly viewFor: (request: Pick<ClientRequest, 'profile'>) => Promise<View>;
  readonly logLevels: LogLevels;
}

export const serverInfo = { name: 'toolwharf', version } as const;

export const serverCapabilities = {
  tools: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  prompts: { listChanged: true },
  completions: {},
  logging: {},
} as const;

type Method = (request: ClientRequest, ports: MethodPorts) => Promise<JsonObject>;

/** The request's result. */
export function answerRequest(request: ClientRequest, ports: MethodPorts): Promise<JsonObject> {
  const method = methods.get(request.method) ?? unknownMethod;
  return method(request, ports);
}

async function unknownMethod({ method }: ClientRequest): Promise<never> {
  throw new RpcError(rpcCode.methodNotFound, `Method not found: ${method}`, { httpStatus: 404 });
}

const methods = new Map<string, Method>([
  ['ping', async () => ({})],
  ['tools/list', async (request, ports) => listed('tools', await ports.viewFor(request), request)],
  ['resources/list', async (request, ports) => listed('resources', await ports.viewFor(request), request)],
  [
    'resources/templates/list',
    async (request, ports) => listed('resourceTemplates', await ports.viewFor(request), request),
  ],
  ['prompts/list', async (request, ports) => listed('prompts', await ports.viewFor(request), request)],
  ['tools/call', callTool],
  ['resources/read', readResource],
  ['prompts/get', getPrompt],
  ['completion/complete', complete],
]);

/** The methods either era has; the eras add their own. */
export function isKnownMethod(name: string): boolean {
  return methods.has(name);
}

/** The answer to `server/discover`. */
export async function discover(request: ClientRequest, ports: MethodPorts): Promise<JsonObject> {
  return {
    supportedVersions: [modernVersion],
    capabilities: serverCapabilities,
    instructions: instructionsOf(await ports.viewFor(request)),
  };
}

/** What a client is told about this place, and about servers that are missing from it. */
export function instructionsOf(view: View): string {
  const place = `Tools of several MCP servers, gathered by Toolwharf${view.profile.name === 'default' ? '' : ` (profile ${view.profile.name})`}.`;
  if (view.missing.length === 0) return place;
  const list = view.missing.map(({ server, reason }) => `${server} (${reason})`).join('; ');
  return `${place} Not available right now: ${list}.`;
}

function listed(
  kind: 'tools' | 'resources' | 'resourceTemplates' | 'prompts',
  view: View,
  request: ClientRequest,
): JsonObject {
  if (request.params.cursor !== undefined)
    throw new RpcError(rpcCode.invalidParams, 'Unknown cursor: lists here have one page');
  const { missing } = view;
  // Nothing to show because nobody is there yet is not the same as nothing to show.
  if (view[kind].length === 0 && missing.length > 0 && (kind === 'tools' || missing.length === view.servers)) {
    const list = missing.map(({ server, reason }) => `${server} (${reason})`).join('; ');
    throw new RpcError(rpcCode.internal, `No ${kind} to list, because servers are not available: ${list}`, {
      data: { missing },
    });
  }
  return keepFor(view, kind, () => ({
    [kind]: view[kind],
    ...(missing.length > 0 && { _meta: { 'toolwharf/missing': missing } }),
  }));
}

async function callTool(request: ClientRequest, ports: MethodPorts): Promise<JsonObject> {
  const { params } = request;
  const view = await ports.viewFor(request);
  const entry = view.findTool(String(params.name));
  if (!entry) throw new RpcError(rpcCode.invalidParams, `Unknown tool: ${String(params.name)}`);
  const callId = createId();
  const upstreamEra = await eraOf(entry.server, request, ports);
  const about = { 'mcp.server': entry.server ?? 'local', 'mcp.tool': entry.originalName, 'toolwharf.call': callId };
  const span = ports.traces.start(`tools/call ${entry.name}`, metaOf(params).traceparent, about);
  const meta = forwardedMeta(request, upstreamEra);
  if (span.traceparent !== undefined) meta.traceparent = span.traceparent;
  const input = upstreamEra === 'modern' && passesInput(request) ? inputOf(params) : undefined;
  const call = ports.toolbox.start(entry, params.arguments, {
    id: callId,
    caller: request.caller,
    host: toClientHost(request, input),
    signal: request.signal,
    policy: { approval: request.profile.approval, mayUse: view.hasTool },
    refreshPolicy: request.refreshPolicy,
    meta,
    idempotencyKey: idempotencyKeyOf(params),
  });
  const result = await call.result;
  span.end({ isError: result.isError, ...(result.failure && { message: result.failure.code }) });
  return toCallResult(result);
}

async function readResource(request: ClientRequest, ports: MethodPorts): Promise<JsonObject> {
  const uri = String(request.params.uri);
  const server = (await ports.viewFor(request)).findResource(uri);
  if (server === undefined) throw resourceNotFound(request, uri);
  try {
    return await pass(request, ports, server, 'resources/read', { uri });
  } catch (cause) {
    const { code, data, message } = toRpcError(cause);
    const isAway =
      code === rpcCode.resourceNotFound || (code === rpcCode.invalidParams && isObject(data) && data.uri === uri);
    throw isAway ? resourceNotFound(request, uri, message) : cause;
  }
}

async function getPrompt(request: ClientRequest, ports: MethodPorts): Promise<JsonObject> {
  const found = (await ports.viewFor(request)).findPrompt(String(request.params.name));
  if (!found) throw new RpcError(rpcCode.invalidParams, `Unknown prompt: ${String(request.params.name)}`);
  const args = isObject(request.params.arguments) ? { arguments: request.params.arguments } : {};
  return pass(request, ports, found.server, 'prompts/get', { name: found.name, ...args });
}

async function complete(request: ClientRequest, ports: MethodPorts): Promise<JsonObject> {
  const view = await ports.viewFor(request);
  const { ref, argument, context } = request.params;
  if (!isObject(ref) || !isObject(argument))
    throw new RpcError(rpcCode.invalidParams, 'completion/complete needs ref and argument');
  const rest = { argument, ...(context !== undefined && { context }) };
  if (ref.type === 'ref/prompt') {
    const found = view.findPrompt(String(ref.name));
    if (!found) throw new RpcError(rpcCode.invalidParams, `Unknown prompt: ${String(ref.name)}`);
    return pass(request, ports, found.server, 'completion/complete', { ref: { ...ref, name: found.name }, ...rest });
  }
  const uri = String(ref.uri);
  const server = view.findTemplate(uri) ?? view.findResource(uri);
  if (server === undefined) throw resourceNotFound(request, uri);
  return pass(request, ports, server, 'completion/complete', { ref, ...rest });
}

/** One request to one server, its questions asked of this client. */
async function pass(
  request: ClientRequest,
  ports: MethodPorts,
  server: string,
  method: string,
  params: JsonObject,
): Promise<JsonObject> {
  const upstreamEra = await eraOf(server, request, ports);
  const input = request.era === 'modern' && upstreamEra === 'modern' ? inputOf(request.params) : undefined;
  const host = toClientHost(request, input) as RequestHost;
  return ports.toolbox.servers.request(
    server,
    method,
    {
      ...params,
      ...(input?.responses && { inputResponses: input.responses }),
      ...(input?.state !== undefined && { requestState: input.state }),
      _meta: forwardedMeta(request, upstreamEra),
    },
    { signal: request.signal, host },
  );
}

/** The era of the server, which is first told of the log messages this request wants where it can't read that in it. */
function eraOf(server: string | undefined, request: ClientRequest, { toolbox, logLevels }: MethodPorts) {
  const era = server === undefined ? undefined : toolbox.servers.status(server)?.era;
  const { logLevel } = request;
  const mustTell = era === 'legacy' && request.era === 'modern' && isLogLevel(logLevel);
  if (server === undefined || !mustTell) return era;
  return logLevels.raise(server, logLevel).then(() => era);
}

/**
 * Whether the modern era's questions and answers may go through us as they are, each round a call of its own. Where a
 * person must first approve the call, or it must not run twice, its rounds have to stay one call.
 */
function passesInput({ era, profile: { approval }, params }: ClientRequest): boolean {
  const mayAsk = approval.mode !== 'auto' || approval.ask.length > 0;
  return era === 'modern' && !mayAsk && idempotencyKeyOf(params) === undefined;
}

function idempotencyKeyOf(params: JsonObject): string | undefined {
  const key = metaOf(params)[idempotencyKey];
  return typeof key === 'string' ? key : undefined;
}

function inputOf(params: JsonObject): { responses?: JsonObject; state?: string } {
  return {
    ...(isObject(params.inputResponses) && { responses: params.inputResponses }),
    ...(typeof params.requestState === 'string' && { state: params.requestState }),
  };
}

/** The server's own answer where there is one: its result as it came, its error with its code. */
function toCallResult(result: ToolResult): JsonObject {
  const { failure } = result;
  if (failure?.data?.rpcCode !== undefined) {
    throw new RpcError(Number(failure.data.rpcCode), failure.message, { data: failure.data.rpcData });
  }
  if (failure?.code === 'TOOL_NAME_INVALID') throw new RpcError(rpcCode.invalidParams, failure.message);
  if (result.raw) return result.raw;
  const { content, structuredContent, isError, truncated, _meta } = result;
  return {
    content,
    ...(structuredContent !== undefined && { structuredContent }),
    isError,
    _meta: {
      ..._meta,
      'toolwharf/call': result.callId,
      'toolwharf/code': failure?.code,
      'toolwharf/truncated': truncated,
    },
  };
}

/** Each era has its own code for it. */
function resourceNotFound(request: ClientRequest, uri: string, message = `Resource not found: ${uri}`): RpcError {
  const code = request.era === 'modern' ? rpcCode.invalidParams : rpcCode.resourceNotFound;
  return new RpcError(code, message, { data: { uri } });
}
