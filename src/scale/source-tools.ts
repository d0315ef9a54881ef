import type { JsonObject, JsonSchema } from '../kernel/json.ts';
import type { CallOptions, ContentBlock, Tool, ToolResult } from '../kernel/tool.ts';
import type { SearchableTools, SearchedTool } from './search/search-tools.ts';

/** Runs one of our tools. */
export type RunTool = (name: string, args: unknown, options?: CallOptions) => Promise<ToolResult>;

/** One of our definitions as a tool, which is called like those of a source. */
export function toTool(definition: JsonObject, run: RunTool): Tool {
  const name = String(definition.name);
  return {
    name,
    originalName: name,
    description: String(definition.description),
    parameters: definition.inputSchema as JsonSchema,
    annotations: definition.annotations as Tool['annotations'],
    execute: (args, options) => run(name, args, options),
  };
}

/** The answer of one of our tools as the result of a call. */
export function toResult({ content, structuredContent, isError = false }: JsonObject): ToolResult {
  const blocks = content as readonly ContentBlock[];
  const text = blocks.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
  return {
    isError: isError === true,
    content: blocks,
    structuredContent,
    text: isError ? `MCP error: ${text}` : text,
    callId: '',
  };
}

/** The tools of a source, for the search. */
export function toSearchable(tools: readonly Tool[]): SearchableTools {
  const byName = new Map<string, SearchedTool>(
    tools.map((tool) => [
      tool.name,
      { name: tool.name, server: tool.server, originalName: tool.originalName, definition: toDefinition(tool) },
    ]),
  );
  return { byName, define: (name) => byName.get(name)?.definition, describeServer: () => undefined };
}

export function toDefinition({ name, title, description, parameters, outputSchema, annotations }: Tool): JsonObject {
  return { name, title, description, inputSchema: parameters, outputSchema, annotations };
}
