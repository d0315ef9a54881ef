import type { RequestHost } from '../../connections/request-host.ts';
import type { InternalReadOptions } from '../../invocation/read-content.ts';
import { toAbortSignal } from '../../kernel/abort-source.ts';
import { isObject, type JsonObject } from '../../kernel/json.ts';
import { toClientHost } from './client-host.ts';
import type { ClientRequest } from './client-request.ts';
import { forwardedMeta, inputOf, prepareServer } from './forwarded-meta.ts';
import type { MethodPorts } from './method-ports.ts';
import { RpcError, rpcCode, toRpcError } from './rpc.ts';

/** Answers `resources/read`. */
export async function readResource(request: ClientRequest, ports: MethodPorts): Promise<JsonObject> {
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

/** Answers `skills/get`. */
export async function getSkill(request: ClientRequest, ports: MethodPorts): Promise<JsonObject> {
  const uri = String(request.params.uri);
  const skill = (await ports.viewFor(request)).skillView.find(uri);
  if (!skill) throw new RpcError(rpcCode.invalidParams, `No skill is served at ${uri}`, { data: { uri } });
  return { skill };
}

/** Answers `prompts/get`. */
export async function getPrompt(request: ClientRequest, ports: MethodPorts): Promise<JsonObject> {
  using _slot = request.usage?.reserve('reads');
  const found = (await ports.viewFor(request)).findPrompt(String(request.params.name));
  if (!found) throw new RpcError(rpcCode.invalidParams, `Unknown prompt: ${String(request.params.name)}`);
  const args = isObject(request.params.arguments) ? request.params.arguments : undefined;
  const options = await readOptions(found.server, request, ports);
  return await ports.toolbox.prompts.get(found.server, found.name, args as Record<string, string> | undefined, options);
}

/** Answers `completion/complete`. */
export async function complete(request: ClientRequest, ports: MethodPorts): Promise<JsonObject> {
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
    return await requestCompletion(request, ports, found.server, named);
  }
  const uri = String(ref.uri);
  const template = view.findTemplate(uri);
  const found = template === undefined ? view.findResource(uri) : { server: template, uri };
  if (!found) throw resourceNotFound(request, uri);
  const own = { ref: { ...ref, uri: found.uri }, ...rest };
  return await requestCompletion(request, ports, found.server, own);
}

/** How a resource or prompt is read under the profile's policy. The client answers the questions of the server. */
async function readOptions(
  server: string | undefined,
  request: ClientRequest,
  ports: MethodPorts,
): Promise<InternalReadOptions> {
  const { profile, caller, refreshPolicy } = request;
  const upstreamEra = await prepareServer(server, request, ports);
  const mayAsk = profile.approval.reads === 'ask';
  const input = request.era === 'modern' && upstreamEra === 'modern' && !mayAsk ? inputOf(request.params) : undefined;
  const { mayRead } = await ports.viewFor(request);
  return {
    caller,
    signal: toAbortSignal(request.signal),
    host: toClientHost(request, input),
    policy: { approval: profile.approval, mayRead },
    refreshPolicy,
    meta: forwardedMeta(request, upstreamEra),
  };
}

/** Requests a completion from one server. The client answers the questions of that server. */
async function requestCompletion(
  request: ClientRequest,
  ports: MethodPorts,
  server: string,
  params: JsonObject,
): Promise<JsonObject> {
  const upstreamEra = await prepareServer(server, request, ports);
  const input = request.era === 'modern' && upstreamEra === 'modern' ? inputOf(request.params) : undefined;
  const host = toClientHost(request, input) as RequestHost;
  return ports.toolbox.servers.request(
    server,
    'completion/complete',
    { ...params, _meta: forwardedMeta(request, upstreamEra) },
    { signal: toAbortSignal(request.signal), host, caller: request.caller },
  );
}

/** The two eras define different codes for this error. */
function resourceNotFound(request: ClientRequest, uri: string, message = `Resource not found: ${uri}`): RpcError {
  const code = request.era === 'modern' ? rpcCode.invalidParams : rpcCode.resourceNotFound;
  return new RpcError(code, message, { data: { uri } });
}
