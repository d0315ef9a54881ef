import { z } from 'zod';
import { closest } from '../../kernel/closest.ts';
import { isObject, type JsonObject } from '../../kernel/json.ts';
import type { ObservedOutput, OnFound, ToolSource } from '../../kernel/tool.ts';
import type { SearchableTools, SearchedTool, ToolSearch } from '../search/search-tools.ts';
import { memberName } from '../signatures/schema-to-type.ts';
import { toSignature } from '../signatures/to-signature.ts';
import { describeInput } from './code-tools.ts';
import type { SandboxCall } from './sandbox/protocol.ts';
import { scriptNames, scriptPath } from './script-tools.ts';

/** Searches and describes tools under the names that scripts use, for clients and for scripts. */
export interface SearchForScripts {
  /** The result of `search_tools`. */
  search(args: unknown, onFound?: OnFound): Promise<JsonObject>;
  /** The result of `describe_tools`: TypeScript declarations. For a caller, also with outputs that no server declares. */
  describe(args: unknown, caller?: string, onFound?: OnFound): Promise<JsonObject>;
}

/** The output of a tool as the results of a caller show it. */
export type ObserveOutput = (tool: SearchedTool, caller: string) => Promise<ObservedOutput | undefined>;

/** Observes the tools of a source. */
export function observeWith(source: Pick<ToolSource, 'observeOutput'>): ObserveOutput | undefined {
  const { observeOutput } = source;
  return (
    observeOutput &&
    (({ name }, caller) => (name === undefined ? Promise.resolve(undefined) : observeOutput(name, caller)))
  );
}

export function createSearchForScripts(
  search: ToolSearch,
  tools: SearchableTools,
  observe?: ObserveOutput,
): SearchForScripts {
  async function observeAll(definitions: readonly JsonObject[], caller: string | undefined) {
    const observed = new Map<unknown, ObservedOutput>();
    if (!observe || caller === undefined) return observed;
    for (const { name, outputSchema } of definitions) {
      const tool = tools.byName.get(String(name));
      const output = tool && outputSchema === undefined ? await observe(tool, caller) : undefined;
      if (output) observed.set(name, output);
    }
    return observed;
  }

  return {
    async search(args, onFound) {
      const result = await search.search(tools, args);
      const found = isObject(result.structuredContent) ? result.structuredContent.tools : undefined;
      if (!Array.isArray(found)) return result;
      const named = found.map((tool: JsonObject) => {
        const entry = tools.byName.get(String(tool.name));
        return entry ? { ...tool, name: scriptPath(entry) } : tool;
      });
      onFound?.(named.map(({ name }) => String(name)));
      return answer(JSON.stringify({ tools: named }), { tools: named });
    },
    async describe(args, caller, onFound) {
      const parsed = describeInput().safeParse(args);
      if (!parsed.success) return problem(`describe_tools: ${z.prettifyError(parsed.error)}`);
      const byPath = new Map([...tools.byName].map(([name, entry]) => [scriptPath(entry), name]));
      const names = parsed.data.names.map((name) => (tools.byName.has(name) ? name : byPath.get(name)));
      const unknown = parsed.data.names
        .filter((_, at) => names[at] === undefined)
        .map((name) => `Unknown tool: ${name}.${suggest(name, byPath.keys())} Find tools with search_tools.`);
      const found = names
        .map((name) => (name === undefined ? undefined : tools.define(name)))
        .filter((definition) => definition !== undefined);
      if (found.length === 0) return problem(unknown.join('\n'));
      onFound?.(parsed.data.names.filter((_, at) => names[at] !== undefined));
      const observed = await observeAll(found, caller);
      const declarations = declare(found, tools, observed);
      const text = [declarations, ...unknown.map((message) => `// ${message}`)].join('\n');
      return answer(text, { declarations, ...(unknown.length > 0 && { unknown }) });
    },
  };
}

/** The tools as one declaration, grouped by server. */
function declare(
  definitions: readonly JsonObject[],
  { byName }: SearchableTools,
  observed: ReadonlyMap<unknown, ObservedOutput>,
): string {
  const servers = new Map<string, string[]>();
  for (const { name, description, inputSchema, outputSchema } of definitions) {
    const entry = byName.get(String(name));
    if (!entry) continue;
    const { server, tool } = scriptNames(entry);
    const text = typeof description === 'string' ? description : undefined;
    const signature = toSignature({
      ...{ name: tool, description: text, inputSchema, outputSchema },
      observed: observed.get(name),
    });
    servers.set(server, [...(servers.get(server) ?? []), signature]);
  }
  const groups = [...servers].map(([server, signatures]) => `${memberName(server)}: {\n${signatures.join('\n')}\n};`);
  return `declare const tools: {\n${groups.join('\n')}\n};`;
}

function suggest(name: string, paths: Iterable<string>): string {
  const meant = closest(name, paths);
  return meant === undefined ? '' : ` Did you mean ${meant}?`;
}

/** The result that says what is wrong. */
export function problem(text: string): JsonObject {
  return { content: [{ type: 'text', text }], isError: true };
}

function answer(text: string, structuredContent: JsonObject): JsonObject {
  return { content: [{ type: 'text', text }], structuredContent };
}

/** The functions of scripts that are no tools. */
export interface ScriptFunctions extends SearchForScripts {
  /** The result of `read_result`. */
  read(args: unknown): Promise<JsonObject>;
}

/** The value that a function of scripts resolves with. Rejects with what is wrong with the arguments. */
export async function answerScript(
  functions: ScriptFunctions,
  { kind, args }: Pick<SandboxCall, 'kind' | 'args'>,
): Promise<unknown> {
  if (kind === 'tool') throw new Error('Tools are called, not answered');
  const { isError, structuredContent, content } = await functions[kind](args);
  if (isError === true) throw new Error(textOf(content));
  return kind === 'read' ? structuredContent : valueOfSearch(structuredContent);
}

/** The value of `search` and `describe` in scripts: the tools that were found, or their declarations. */
export function valueOfSearch(structuredContent: unknown): unknown {
  const { tools, declarations } = structuredContent as JsonObject;
  return tools ?? declarations;
}

function textOf(content: unknown): string {
  const [first] = Array.isArray(content) ? content : [];
  return isObject(first) ? String(first.text) : '';
}
