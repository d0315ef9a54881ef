import { messageOf, ToolwharfError } from '../../../contract/errors.ts';
import { isObject, type JsonObject } from '../../../contract/json.ts';
import { receiveArguments } from '../../../toolwharf/invocation/receive-arguments.ts';
import { exactMember, memberWithText } from '../../../toolwharf/kernel/exact-json.ts';
import type { ToolResult } from '../../../toolwharf/kernel/tool.ts';

export const modernVersion = '2026-07-28';
/** Newest first. A client that requests an unknown version gets the first. */
export const legacyVersions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;

/** The request of the modern era that stays open for notifications. */
export const listenMethod = 'subscriptions/listen';

/** The `_meta` members that the modern era reserves. */
export const metaKey = {
  version: 'io.modelcontextprotocol/protocolVersion',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  logLevel: 'io.modelcontextprotocol/logLevel',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
} as const;

export const rpcCode = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  resourceNotFound: -32002,
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
  urlElicitation: -32042,
} as const;

/** A JSON-RPC error for the client. `httpStatus` applies to errors that occur before the request is processed. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;
  readonly httpStatus: number;

  constructor(code: number, message: string, options: { data?: unknown; httpStatus?: number } = {}) {
    super(message);
    this.code = code;
    this.data = options.data;
    this.httpStatus = options.httpStatus ?? 200;
  }
}

/** Converts any thrown value to an error for the client. A server's error keeps its code, message and data. */
export function toRpcError(cause: unknown): RpcError {
  if (cause instanceof RpcError) return cause;
  if (!(cause instanceof ToolwharfError)) return new RpcError(rpcCode.internal, messageOf(cause));
  const { rpcCode: code, rpcData } = cause.data;
  if (typeof code === 'number') return new RpcError(code, cause.message, { data: rpcData });
  const { retryAfterMs } = cause.data;
  const data = { code: cause.code, retryAfterMs };
  const httpStatus = isLimit(cause) ? cause.status : undefined;
  const ownCode = cause.code === 'ARGUMENTS_INVALID' ? rpcCode.invalidParams : rpcCode.internal;
  return new RpcError(ownCode, cause.message, { data, httpStatus });
}

/** Converts an error from reading or admitting a request. It keeps its HTTP status. */
export function toAdmissionError(cause: ToolwharfError): RpcError {
  if (isLimit(cause)) return toRpcError(cause);
  const code = cause.code === 'REQUEST_INVALID' ? rpcCode.parse : rpcCode.invalidRequest;
  return new RpcError(code, cause.message, { httpStatus: cause.code === 'CALL_CANCELLED' ? 400 : cause.status });
}

/** The `Retry-After` header of an error that says when to try again. */
export function retryHeaders({ data }: { readonly data: unknown }): Readonly<Record<string, string>> {
  const retryAfterMs = isObject(data) ? data.retryAfterMs : undefined;
  return typeof retryAfterMs === 'number' ? { 'retry-after': String(Math.ceil(retryAfterMs / 1_000)) } : {};
}

function isLimit({ code }: ToolwharfError): boolean {
  return code === 'LIMIT_REACHED' || code === 'OVERLOADED';
}

export type RpcId = string | number;

export interface RpcRequest {
  readonly id: RpcId;
  readonly method: string;
  readonly params: JsonObject;
}

/** A JSON-RPC message, classified by its shape. */
export type RpcMessage =
  | { readonly kind: 'request'; readonly request: RpcRequest }
  | { readonly kind: 'notification'; readonly method: string; readonly params: JsonObject }
  | { readonly kind: 'response'; readonly id: RpcId; readonly result?: JsonObject; readonly error?: JsonObject };

const maxBatch = 50;

/** Throws an `RpcError` unless a client of this protocol version may send this batch. Only revision 2025-03-26 has batches. */
export function assertBatch(batch: readonly unknown[], protocolVersion: string | undefined): void {
  if (protocolVersion === '2025-03-26' && batch.length > 0 && batch.length <= maxBatch) return;
  const message =
    protocolVersion === '2025-03-26'
      ? `A batch has 1 to ${maxBatch} messages`
      : 'Batches are not accepted: send one message at a time';
  throw new RpcError(rpcCode.invalidRequest, message, { httpStatus: 400 });
}

/** Converts a JSON value to a message. Throws an `RpcError` if the value is not a JSON-RPC message. */
export function toMessage(value: unknown): RpcMessage {
  if (!isObject(value) || value.jsonrpc !== '2.0') throw invalid('Not a JSON-RPC 2.0 message');
  const { id, method } = value;
  const hasId = typeof id === 'string' || (typeof id === 'number' && Number.isFinite(id));
  if (id !== undefined && id !== null && !hasId) throw invalid('The id must be a text or a number');
  if (method === undefined) {
    if (!hasId) throw invalid('A response needs the id of its request');
    const result = memberWithText(value, 'result');
    if (isObject(result)) return { kind: 'response', id: id as RpcId, result };
    if (isObject(value.error)) return { kind: 'response', id: id as RpcId, error: value.error };
    throw invalid('A response needs a result or an error');
  }
  if (typeof method !== 'string') throw invalid('The method must be a text');
  if (value.params !== undefined && !isObject(value.params)) throw invalid('The params must be an object');
  if (!hasId) return { kind: 'notification', method, params: value.params ?? {} };
  return { kind: 'request', request: { id: id as RpcId, method, params: paramsOf(value) } };
}

/** The params of a request, with all digits of their numbers. Those of a call have the text of the arguments. */
function paramsOf(message: JsonObject): JsonObject {
  if (message.params === undefined) return {};
  const params = exactMember(message, 'params') as JsonObject;
  if (message.method !== 'tools/call' || params.arguments === undefined) return params;
  return { ...params, arguments: receiveArguments(message, params) };
}

function invalid(message: string): RpcError {
  return new RpcError(rpcCode.invalidRequest, message, { httpStatus: 400 });
}

export function toResult(id: RpcId, result: JsonObject): JsonObject {
  return { jsonrpc: '2.0', id, result };
}

export function toError(id: RpcId | null, error: RpcError): JsonObject {
  const { code, message, data } = error;
  return { jsonrpc: '2.0', id, error: { code, message, data } };
}

/** The `_meta` of a request's params, or an empty object. */
export function metaOf(params: JsonObject): JsonObject {
  return isObject(params._meta) ? params._meta : noMeta;
}

/** A member of a client's message that should be a text. Anything else names nothing. */
export function textOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

/** Returns the server's result or error unchanged if there is one, otherwise the result that Toolwharf created. */
export function toCallResult(result: ToolResult): JsonObject {
  const { failure } = result;
  if (failure?.data?.rpcCode !== undefined) {
    throw new RpcError(Number(failure.data.rpcCode), failure.message, { data: failure.data.rpcData });
  }
  if (failure?.code === 'TOOL_NAME_INVALID') throw new RpcError(rpcCode.invalidParams, failure.message);
  if (result.raw) return result.raw;
  const { content, structuredContent, isError, truncated, _meta } = result;
  // A success without the output that the schema promises would be invalid, and clients would throw.
  const lacksOutput = truncated?.lacksOutput === true && !isError;
  return {
    content,
    structuredContent,
    isError: isError || lacksOutput,
    _meta: {
      ..._meta,
      'toolwharf/call': result.callId,
      'toolwharf/code': lacksOutput ? 'RESULT_DISCARDED' : failure?.code,
      'toolwharf/truncated': truncated,
    },
  };
}

const noMeta: JsonObject = Object.freeze({});
