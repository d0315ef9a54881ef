import type { JsonObject } from '../kernel/json.ts';
import { type ParamHeader, toParamHeaders } from './param-headers.ts';
import type { RequestHost } from './request-host.ts';
import type { Session } from './session.ts';

/** What `callTool` needs to know of a tool. */
export interface CallableTool {
  /** The name the server knows it by. */
  readonly name: string;
  /** Arguments that modern HTTP servers expect in headers too. */
  readonly paramHeaders?: readonly ParamHeader[];
}

/** One call of a tool, as far as its connection is concerned. */
export interface ToolCall {
  readonly id: string;
  readonly host: RequestHost;
  readonly signal: AbortSignal;
  /** Sent as the request's `_meta`. */
  readonly meta?: JsonObject;
}

/** The params of `tools/call`. */
export function toCallParams({ name }: CallableTool, args: JsonObject, { meta }: ToolCall): JsonObject {
  return meta ? { name, arguments: args, _meta: meta } : { name, arguments: args };
}

/** The headers that a server of the modern era expects over HTTP for these arguments. */
export function toCallHeaders(
  { paramHeaders }: CallableTool,
  args: JsonObject,
  { era, transport }: Session,
): Readonly<Record<string, string>> | undefined {
  return paramHeaders && era === 'modern' && transport === 'http' ? toParamHeaders(paramHeaders, args) : undefined;
}
