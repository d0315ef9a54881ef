import { isObject, type JsonObject } from '../../../contract/json.ts';
import { exactly, exactMember, replaceMembers } from '../../../toolwharf/kernel/exact-json.ts';
import { withoutOwnMembers } from '../../../toolwharf/kernel/own-meta.ts';
import { RpcError, rpcCode, toRpcError } from './rpc.ts';

/** The `_meta` member that names the server of a question. */
const serverMember = 'toolwharf/server';

/** A server's question as a client gets it: it names the server, and a person reads the name before the server's text. */
export function nameServer(method: string, params: JsonObject, server: string | undefined): JsonObject {
  if (server === undefined) return params;
  const meta = { ...withoutOwnMembers(isObject(params._meta) ? params._meta : {}), [serverMember]: server };
  const named = { ...params, _meta: meta };
  return method === 'elicitation/create' ? { ...named, message: `[${server}] ${String(params.message ?? '')}` } : named;
}

/** Identifies a URL elicitation: servers choose their ids freely. */
export function elicitationKey(server: unknown, id: unknown): string {
  return JSON.stringify([server, id]);
}

/** The key of a URL elicitation as a client gets it; undefined for any other question. */
export function elicitationKeyOf({ elicitationId, _meta }: JsonObject): string | undefined {
  if (typeof elicitationId !== 'string') return undefined;
  return elicitationKey(isObject(_meta) ? _meta[serverMember] : undefined, elicitationId);
}

/** A server's log message with the name of the server before that of its logger. */
export function nameLogger(params: JsonObject, server: string | undefined): JsonObject {
  if (server === undefined) return params;
  const { logger } = params;
  if (typeof logger !== 'string' || logger === '') return replaceMembers(params, { logger: server });
  return logger === server || logger.startsWith(`${server}/`)
    ? params
    : replaceMembers(params, { logger: `${server}/${logger}` });
}

/** The error of a server that asks to open URLs first, with the name of the server; any other value unchanged. */
export function nameElicitations(cause: unknown, server: string | undefined): unknown {
  const error = isObject(cause) ? toRpcError(cause) : undefined;
  if (error?.code !== rpcCode.urlElicitation || !isObject(error.data)) return cause;
  const data = exactly(error.data);
  const { elicitations } = data;
  if (!Array.isArray(elicitations)) return cause;
  const named = elicitations.map((one) => (isObject(one) ? nameServer('elicitation/create', one, server) : one));
  return new RpcError(error.code, error.message, { data: { ...data, elicitations: named } });
}

const statePrefix = 'server:';

/**
 * An `input_required` result of a modern server for a client that answers it itself. The state of the server is marked, so that
 * it cannot be taken for a state of the gateway.
 */
export function toClientInput(result: JsonObject, server: string | undefined): JsonObject {
  if (result.resultType !== 'input_required') return result;
  const { requestState } = result;
  const inputRequests = exactMember(result, 'inputRequests');
  const questions = Object.entries(isObject(inputRequests) ? inputRequests : {}).map(([key, question]) => {
    if (!isObject(question)) return [key, question];
    const params = isObject(question.params) ? question.params : {};
    return [key, { ...question, params: nameServer(String(question.method), params, server) }];
  });
  return replaceMembers(result, {
    ...(isObject(inputRequests) && { inputRequests: Object.fromEntries(questions) }),
    ...(typeof requestState === 'string' && { requestState: `${statePrefix}${requestState}` }),
  });
}

/** The state that a server issued; undefined for any other value. */
export function toServerState(requestState: unknown): string | undefined {
  return typeof requestState === 'string' && requestState.startsWith(statePrefix)
    ? requestState.slice(statePrefix.length)
    : undefined;
}
