import { toToolwharfError } from '../../../contract/errors.ts';
import type { JsonObject, JsonSchema } from '../../../contract/json.ts';
import { failureResult } from '../../invocation/shape-result.ts';
import { createId } from '../../kernel/create-id.ts';
import type { AnswerSearch, InternalToolSource, ListedServer, RecordedSearch } from '../../kernel/internal-source.ts';
import type { CallOptions, ContentBlock, Tool, ToolResult } from '../../kernel/tool.ts';
import type { SearchableTools, SearchedTool } from './search-tools.ts';

/** Runs one of our tools. */
export type RunTool = (name: string, args: unknown, options?: RunToolOptions) => Promise<ToolResult>;

export type RunToolOptions = CallOptions & Pick<RecordedSearch, 'id' | 'parent'>;

/** Answers a search in a source, and records it if the source has a journal. Never throws. */
export async function answerRecorded(
  { recordSearch }: Pick<InternalToolSource, 'recordSearch'>,
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

/** The servers of a source, as the tools that search name them. */
export function serversOf({
  tools,
  listServers,
}: Pick<InternalToolSource, 'tools' | 'listServers'>): readonly ListedServer[] {
  if (listServers) return listServers();
  const names = new Set(tools.map(({ server }) => server).filter((server) => server !== undefined));
  return [...names].map((name) => ({ name }));
}

/** Creates the function that describes the tools of a source. They are the same until its servers change. */
export function createDescribedTools(
  source: Pick<InternalToolSource, 'tools' | 'listServers'>,
  describe: (servers: readonly ListedServer[]) => readonly JsonObject[],
  run: RunTool,
): () => readonly Tool[] {
  let current: { readonly servers: string; readonly tools: readonly Tool[] } | undefined;
  return () => {
    const servers = serversOf(source);
    const key = JSON.stringify(servers);
    if (current?.servers !== key)
      current = { servers: key, tools: describe(servers).map((definition) => toTool(definition, run)) };
    return current.tools;
  };
}

/** The tools of a source, for the search. */
export function toSearchable({ tools, ...source }: Pick<InternalToolSource, 'tools' | 'listServers'>): SearchableTools {
  const purposes = new Map(serversOf({ ...source, tools }).map(({ name, purpose }) => [name, purpose]));
  const byName = new Map<string, SearchedTool>(
    tools.map((tool) => [
      tool.name,
      { name: tool.name, server: tool.server, originalName: tool.originalName, definition: toDefinition(tool) },
    ]),
  );
  return {
    byName,
    define: (name) => byName.get(name)?.definition,
    describeServer: (server) => purposes.get(server),
  };
}

export function toDefinition({ name, title, description, parameters, outputSchema, annotations }: Tool): JsonObject {
  return { name, title, description, inputSchema: parameters, outputSchema, annotations };
}
