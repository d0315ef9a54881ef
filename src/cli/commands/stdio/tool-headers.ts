import { findParamHeaders, type ParamHeader, toParamHeaders } from '../../../connections/param-headers.ts';
import { isObject, type JsonObject, type JsonSchema } from '../../../kernel/json.ts';

/** The arguments that tools declare with `x-mcp-header`: over HTTP they are repeated in headers, over stdio they are not. */
export interface ToolHeaders {
  /** Reads the declarations from the result of `tools/list`. */
  learn(result: unknown): void;
  /** Discards the declarations, because the tools have changed. */
  clear(): void;
  has(tool: unknown): boolean;
  /** The headers of a call; undefined if there are none. */
  of(params: unknown): Record<string, string> | undefined;
}

/** Creates an empty collection. */
export function createToolHeaders(): ToolHeaders {
  const declared = new Map<unknown, readonly ParamHeader[]>();
  const none: readonly ParamHeader[] = [];
  return {
    learn(result) {
      const tools = isObject(result) && Array.isArray(result.tools) ? result.tools : [];
      for (const tool of tools.filter(isObject)) {
        const found = findParamHeaders((tool.inputSchema ?? {}) as JsonSchema);
        declared.set(tool.name, found.ok && found.headers.length > 0 ? found.headers : none);
      }
    },
    clear: () => declared.clear(),
    has: (tool) => declared.has(tool),
    of(params) {
      const { name, arguments: args } = (isObject(params) ? params : {}) as JsonObject;
      const headers = declared.get(name) ?? none;
      return headers.length === 0 ? undefined : toParamHeaders(headers, isObject(args) ? args : {});
    },
  };
}
