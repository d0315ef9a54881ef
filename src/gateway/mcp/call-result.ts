import type { JsonObject } from '../../kernel/json.ts';
import type { ToolResult } from '../../kernel/tool.ts';
import { RpcError, rpcCode } from './rpc.ts';

/** Returns the server's result or error unchanged if there is one, otherwise the result that Toolwharf created. */
export function toCallResult(result: ToolResult): JsonObject {
  const { failure } = result;
  if (failure?.data?.rpcCode !== undefined) {
    throw new RpcError(Number(failure.data.rpcCode), failure.message, { data: failure.data.rpcData });
  }
  if (failure?.code === 'TOOL_NAME_INVALID') throw new RpcError(rpcCode.invalidParams, failure.message);
  if (result.raw) return result.raw;
  const { content, structuredContent, isError, truncated, _meta } = result;
  return {
    content,
    structuredContent,
    isError,
    _meta: {
      ..._meta,
      'toolwharf/call': result.callId,
      'toolwharf/code': failure?.code,
      'toolwharf/truncated': truncated,
    },
  };
}
