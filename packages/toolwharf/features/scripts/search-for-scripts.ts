import { z } from 'zod';
import { isObject, type JsonObject } from '../../../contract/json.ts';
import { lazy } from '../../../contract/lazy.ts';
import { closest } from '../../kernel/closest.ts';
import type { InternalToolSource, ObservedOutput, OnFound } from '../../kernel/internal-source.ts';
import type { SearchableTools, SearchedTool, ToolSearch } from '../search/search-tools.ts';
import { memberName } from '../signatures/schema-to-type.ts';
import { toSignature } from '../signatures/to-signature.ts';
import { describeInput } from './code-tools.ts';
import type { SandboxCall } from './sandbox/protocol.ts';
import { createNameFinder, scriptNames, scriptPath } from './script-tools.ts';

/** Searches and describes tools under the names that scripts use, for clients and for scripts. */
export interface SearchForScripts {
  /** Whether a tool has this name, under any of its names. */
  knows(name: string): boolean;
  /** The result of `search_tools`. */
  search(args: unknown, onFound?: OnFound): Promise<JsonObject>;
  /** The result of `describe_tools`: TypeScript declarations. For a caller, also with outputs that no server declares. */
  describe(args: unknown, caller?: string, onFound?: OnFound): Promise<JsonObject>;
}

/** The output of a tool as the results of a caller show it. */
export type ObserveOutput = (tool: SearchedTool, caller: string) => Promise<ObservedOutput | undefined>;

/** Observes the tools of a source. */
export function observeWith(source: Pick<InternalToolSource, 'observeOutput'>): ObserveOutput | undefined {
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

  const names = lazy(() => {
    const byPath = new Map([...tools.byName].map(([name, entry]) => [scriptPath(entry), name]));
    const nameOf = new Map([...tools.byName].map(([name, entry]) => [entry, name]));
    return { byPath, nameOf, findByAnyName: createNameFinder(nameOf.keys()) };
  });

  function findName(name: string): string | undefined {
    if (tools.byName.has(name)) return name;
    const { byPath, nameOf, findByAnyName } = names();
    const entry = findByAnyName(name);
    return byPath.get(name) ?? (entry && nameOf.get(entry));
  }

  return {
    knows: (name) => findName(name) !== undefined,
    async search(args, onFound) {
      const result = await search.search(tools, args);
      if (!isObject(result.structuredContent) || !Array.isArray(result.structuredContent.tools)) return result;
      const found: readonly JsonObject[] = result.structuredContent.tools;
      const named = found.map((tool) => {
        const entry = tools.byName.get(String(tool.name));
        return entry ? { ...tool, name: scriptPath(entry) } : tool;
      });
      onFound?.(named.map(({ name }) => String(name)));
      const value = { ...result.structuredContent, tools: named };
      return answer(JSON.stringify(value), value);
    },
    async describe(args, caller, onFound) {
      const parsed = describeInput().safeParse(args);
      if (!parsed.success) return problem(`describe_tools: ${z.prettifyError(parsed.error)}`);
      const found = parsed.data.names.map(findName);
      const unknown = parsed.data.names
        .filter((_, at) => found[at] === undefined)
        .map((name) => `Unknown tool: ${name}.${suggest(name, names().byPath.keys())} Find tools with search_tools.`);
      const definitions = found
        .map((name) => (name === undefined ? undefined : tools.define(name)))
        .filter((definition) => definition !== undefined);
      if (definitions.length === 0) return problem(unknown.join('\n'));
      onFound?.(parsed.data.names.filter((_, at) => found[at] !== undefined));
      const observed = await observeAll(definitions, caller);
      const declarations = declare(definitions, tools, observed);
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
  if (kind === 'tool' || kind === 'sleep') throw new Error('Only questions are answered');
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
