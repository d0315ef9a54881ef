import { isObject, type JsonObject } from '../../../contract/json.ts';
import type { InternalReadOptions } from '../../../toolwharf/invocation/read-content.ts';
import { exactMember, replaceMembers } from '../../../toolwharf/kernel/exact-json.ts';
import { toClientHost } from './client-host.ts';
import type { ClientRequest } from './client-request.ts';
import { createResourceFinder } from './find-resource.ts';
import { eraOf, extraParamsOf, forwardedMeta, inputOf } from './forwarded-meta.ts';
import type { MethodPorts } from './method-ports.ts';
import { RpcError, rpcCode, textOf, toRpcError } from './rpc.ts';
import { nameElicitations, toClientInput } from './server-questions.ts';
import { traceparentOf } from './traced.ts';
import type { View } from './view.ts';

/** Answers `resources/read`. */
export async function readResource(request: ClientRequest, ports: MethodPorts): Promise<JsonObject> {
  using _slot = request.usage?.reserve('reads');
  const uri = textOf(request.params.uri);
  const found = await findContent(
    request,
    ports,
    async (view) => view.skillView.findFile(uri) ?? (await createResourceFinder(view, request, ports)(uri)),
  );
  if (!found) throw resourceNotFound(request, uri);
  const { server, uri: own } = found;
  const options = await readOptions(server, request, ports);
  const { resources, skills } = ports.toolbox;
  try {
    const result = await (server === undefined
      ? skills.readFile(server, own, options)
      : resources.read(server, own, options));
    const shown = toClientInput(result, server);
    return own === uri ? shown : renameContents(shown, own, uri);
  } catch (cause) {
    const { code, data, message } = toRpcError(cause);
    const isMissing =
      code === rpcCode.resourceNotFound || (code === rpcCode.invalidParams && isObject(data) && data.uri === own);
    throw isMissing ? resourceNotFound(request, uri, message) : nameElicitations(cause, server);
  }
}

/** What a request names, also of servers that another replica is about to run. */
async function findContent<Found>(
  request: ClientRequest,
  ports: MethodPorts,
  find: (view: View) => Found | undefined | Promise<Found | undefined>,
): Promise<Found | undefined> {
  const found = await find(await ports.viewFor(request));
  const waiting = found === undefined ? ports.waitForContent?.(() => true) : undefined;
  if (!waiting) return found;
  await waiting;
  return find(await ports.viewFor(request));
}

/** The contents of a resource under the URI that the client read. */
function renameContents(result: JsonObject, own: string, uri: string): JsonObject {
  const contents = exactMember(result, 'contents');
  if (!Array.isArray(contents)) return result;
  const renamed = contents.map((one) => (isObject(one) && one.uri === own ? { ...one, uri } : one));
  return replaceMembers(result, { contents: renamed });
}

/** Answers `skills/get`. */
export async function getSkill(request: ClientRequest, ports: MethodPorts): Promise<JsonObject> {
  const uri = textOf(request.params.uri);
  const skill = (await ports.viewFor(request)).skillView.find(uri);
  if (!skill) throw new RpcError(rpcCode.invalidParams, `No skill is served at ${uri}`, { data: { uri } });
  return { skill };
}

/** Answers `prompts/get`. */
export async function getPrompt(request: ClientRequest, ports: MethodPorts): Promise<JsonObject> {
  using _slot = request.usage?.reserve('reads');
  const name = textOf(request.params.name);
  const found = await findContent(request, ports, (view) => view.findPrompt(name));
  if (!found) throw new RpcError(rpcCode.invalidParams, `Unknown prompt: ${name}`);
  const args = isObject(request.params.arguments) ? request.params.arguments : undefined;
  const options = await readOptions(found.server, request, ports);
  const { server } = found;
  const named = (cause: unknown) => Promise.reject(nameElicitations(cause, server));
  const getting = ports.toolbox.prompts.get(server, found.name, args as Record<string, string> | undefined, options);
  return toClientInput(await getting.catch(named), server);
}

/** Answers `completion/complete`. */
export async function complete(request: ClientRequest, ports: MethodPorts): Promise<JsonObject> {
  using _slot = request.usage?.reserve('reads');
  const { ref, argument, context } = request.params;
  if (!isObject(ref) || !isObject(argument))
    throw new RpcError(rpcCode.invalidParams, 'completion/complete needs ref and argument');
  const rest = { argument, context };
  if (ref.type === 'ref/prompt') {
    const found = await findContent(request, ports, (view) => view.findPrompt(textOf(ref.name)));
    if (!found) throw new RpcError(rpcCode.invalidParams, `Unknown prompt: ${textOf(ref.name)}`);
    const named = { ref: { ...ref, name: found.name }, ...rest };
    return await requestCompletion(request, ports, found.server, named);
  }
  const uri = textOf(ref.uri);
  const found = await findContent(request, ports, (view) => {
    const template = view.findTemplate(uri);
    return template === undefined ? createResourceFinder(view, request, ports)(uri) : { server: template, uri };
  });
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
  const { profile, caller, refreshPolicy, method } = request;
  const upstreamEra = eraOf(server, ports);
  const mayAsk = profile.approval.reads === 'ask' && method !== 'completion/complete';
  const input = request.era === 'modern' && upstreamEra === 'modern' && !mayAsk ? inputOf(request.params) : undefined;
  const { mayRead } = await ports.viewFor(request);
  return {
    caller,
    signal: request.signal,
    host: toClientHost(request, input),
    policy: { profile: profile.name, approval: profile.approval, mayRead },
    refreshPolicy,
    callerLimits: request.usage?.calls,
    meta: { ...forwardedMeta(request, upstreamEra), ...(ports.traces.isOn && { traceparent: traceparentOf(request) }) },
    extraParams: extraParamsOf(request),
  };
}

/** Requests a completion from one server. */
async function requestCompletion(
  request: ClientRequest,
  ports: MethodPorts,
  server: string,
  params: JsonObject,
): Promise<JsonObject> {
  const options = await readOptions(server, request, ports);
  const named = (cause: unknown) => Promise.reject(nameElicitations(cause, server));
  return toClientInput(await ports.toolbox.servers.complete(server, params, options).catch(named), server);
}

/** The two eras define different codes for this error. */
function resourceNotFound(request: ClientRequest, uri: string, message = `Resource not found: ${uri}`): RpcError {
  const code = request.era === 'modern' ? rpcCode.invalidParams : rpcCode.resourceNotFound;
  return new RpcError(code, message, { data: { uri } });
}
