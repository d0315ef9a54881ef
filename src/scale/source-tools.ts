import { failureResult } from '../invocation/shape-result.ts';
import { createId } from '../kernel/create-id.ts';
import { toToolwharfError } from '../kernel/errors.ts';
import type { JsonObject, JsonSchema } from '../kernel/json.ts';
import type {
  AnswerSearch,
  CallOptions,
  ContentBlock,
  RecordedSearch,
  Tool,
  ToolResult,
  ToolSource,
} from '../kernel/tool.ts';
import type { SearchableTools, SearchedTool } from './search/search-tools.ts';

/** Runs one of our tools. */
export type RunTool = (name: string, args: unknown, options?: RunToolOptions) => Promise<ToolResult>;

export type RunToolOptions = CallOptions & Pick<RecordedSearch, 'id' | 'parent'>;

/** Answers a search in a source, and records it if the source has a journal. Never throws. */
export async function answerRecorded(
  { recordSearch }: Pick<ToolSource, 'recordSearch'>,
  search: RecordedSearch,
  answerSearch: AnswerSearch,
): Promise<ToolResult> {
  if (!recordSearch) return toResult(await answerSearch(() => {}));
  const { id = createId() } = search;
  try {
    return { ...toResult(await recordSearch({ ...search, id }, answerSearch)), callId: id };
  } catch (cause) {
    const { code, message } = toToolwharfError(cause);
    return failureResult(id, code, message);
  }
}

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
