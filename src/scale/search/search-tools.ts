import { z } from 'zod';
import { closest } from '../../kernel/closest.ts';
import type { Embed } from '../../kernel/embed.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { lazy } from '../../kernel/lazy.ts';
import { createMutex } from '../../kernel/mutex.ts';
import { mapInSlices } from '../../kernel/slices.ts';
import type { OnFound } from '../../kernel/tool.ts';
import { toSignature } from '../signatures/to-signature.ts';
import { firstSentence, type ToolDocument } from './tool-fields.ts';
import { createToolIndex } from './tool-index.ts';
import { createToolVectors } from './tool-vectors.ts';

/** The properties of a tool that the search reads, such as an entry of the catalog. */
export interface SearchedTool {
  /** The name in the toolbox, if it has one. */
  readonly name?: string;
  readonly server?: string;
  readonly originalName: string;
  readonly alias?: string;
  readonly definition: JsonObject;
}

/** The tools that a caller may use, by the names that it sees. An object whose tools never change: other tools are another one. */
export interface SearchableTools {
  readonly byName: ReadonlyMap<string, SearchedTool>;
  /** The definition of a tool under the caller's name for it. */
  define(name: string): JsonObject | undefined;
  /** The purpose of a server. */
  describeServer(server: string): string | undefined;
}

/** Searches the tools of one profile. The index follows the tools when they change. */
export interface ToolSearch {
  search(tools: SearchableTools, args: unknown, onFound?: OnFound): Promise<JsonObject>;
  describe(tools: SearchableTools, args: unknown, onFound?: OnFound): Promise<JsonObject>;
  /** The call that the arguments of `call_tool` describe, or the result that says what is wrong with them. */
  readCall(tools: SearchableTools, args: unknown): Promise<ToolCall | { readonly problem: JsonObject }>;
}

export interface ToolCall {
  readonly name: string;
  readonly arguments: unknown;
}

const maxNames = 20;
const maxShownName = 200;

const inputs = lazy(() => ({
  search_tools: z.strictObject({
    query: z.string().min(1).max(2_000).describe('What the tool should do, in a few words'),
    server: z.string().optional().describe('Only search the tools of this server'),
    limit: z.int().min(1).max(50).default(10).describe('Maximum number of results'),
  }),
  describe_tools: z.strictObject({
    names: z.array(z.string()).min(1).max(maxNames).describe('Names of tools, as search_tools returns them'),
    format: z
      .enum(['json', 'typescript'])
      .default('json')
      .describe('Definitions with JSON Schemas, or shorter TypeScript signatures'),
  }),
  call_tool: z.strictObject({
    name: z.string().describe('Name of the tool, as search_tools returns it'),
    arguments: z.looseObject({}).default({}).describe('Arguments that match the input schema of the tool'),
  }),
}));

const descriptions = {
  search_tools:
    'Searches the available tools by keywords. Returns names and short descriptions, best first. Search before you conclude that a tool is missing.',
  describe_tools: 'Returns the full definitions of tools, with the input schemas that call_tool needs.',
  call_tool: 'Calls a tool by its name. Read its input schema with describe_tools first.',
};

export type SearchToolName = keyof typeof descriptions;

/** The definitions of the three tools. They never change, so that clients can cache prompts that contain them. */
export const searchToolDefinitions = lazy((): readonly JsonObject[] =>
  Object.entries(inputs()).map(([name, schema]) => ({
    name,
    description: descriptions[name as SearchToolName],
    inputSchema: z.toJSONSchema(schema, { io: 'input' }) as JsonObject,
    annotations: name === 'call_tool' ? undefined : { readOnlyHint: true, openWorldHint: false },
  })),
);

export function isSearchTool(name: unknown): name is SearchToolName {
  return typeof name === 'string' && Object.hasOwn(descriptions, name);
}

/**
 * Creates the search of a profile with an empty index, which the first search fills. With `embed`, tools are also ranked by their
 * meaning, as soon as their vectors are computed.
 */
export function createToolSearch({ embed }: { readonly embed?: Embed } = {}): ToolSearch {
  const index = createToolIndex();
  const vectors = embed && createToolVectors(embed);
  const indexed = new Map<string, ToolDocument>();
  const exclusive = createMutex();

  let current: SearchableTools | undefined;

  async function update(tools: SearchableTools): Promise<void> {
    // Comparing thousands of tools would take longer than the search.
    if (tools === current) return;
    current = undefined;
    const { byName, describeServer } = tools;
    for (const name of indexed.keys()) {
      if (byName.has(name)) continue;
      index.delete(name);
      vectors?.delete(name);
      indexed.delete(name);
    }
    await mapInSlices(byName, ([name, tool]) => {
      const document = toDocument(name, tool, describeServer);
      const known = indexed.get(name);
      if (known && isSame(known, document)) return;
      index.set(document);
      vectors?.set(document);
      indexed.set(name, document);
    });
    current = tools;
  }

  function unknownTool(tools: SearchableTools, name: string): string {
    const meant = closest(name, tools.byName.keys());
    const similar = index.search(name, { limit: 3 }).map(({ id }) => id);
    const names = [...new Set([...(meant === undefined ? [] : [meant]), ...similar])].slice(0, 3);
    const hint = names.length > 0 ? ` Similar tools: ${names.join(', ')}.` : '';
    return `Unknown tool: ${shorten(name)}.${hint} Find tools with search_tools.`;
  }

  return {
    async search(tools, args, onFound) {
      const parsed = inputs().search_tools.safeParse(args);
      if (!parsed.success) return problem(`search_tools: ${z.prettifyError(parsed.error)}`);
      const { query, ...options } = parsed.data;
      // Other searches need not wait for the vectors of this query.
      const queried = vectors && (await exclusive(() => update(tools)).then(() => vectors.embedQuery(query)));
      return exclusive(async () => {
        await update(tools);
        const meaning = queried && vectors?.compare(queried);
        const found = index.search(query, { ...options, meaning }).map(({ id, score, matched }) => ({
          name: id,
          description: firstSentence(String(tools.define(id)?.description ?? '')).trim(),
          server: tools.byName.get(id)?.server,
          score: Number(score.toFixed(2)),
          matched,
        }));
        onFound?.(found.map(({ name }) => name));
        return answer({ tools: found });
      });
    },
    describe: (tools, args, onFound) =>
      exclusive(async () => {
        const parsed = inputs().describe_tools.safeParse(args);
        if (!parsed.success) return problem(`describe_tools: ${z.prettifyError(parsed.error)}`);
        const { names, format } = parsed.data;
        const missing = names.filter((name) => !tools.byName.has(name));
        if (missing.length > 0) await update(tools);
        const unknown = missing.map((name) => unknownTool(tools, name));
        if (missing.length === names.length) return problem(unknown.join('\n'));
        const found = names.map((name) => tools.define(name)).filter((definition) => definition !== undefined);
        onFound?.(names.filter((name) => tools.byName.has(name)));
        if (format === 'typescript') return answerInTypeScript(found, unknown);
        return answer({ tools: found, ...(unknown.length > 0 && { unknown }) });
      }),
    async readCall(tools, args) {
      const parsed = inputs().call_tool.safeParse(args);
      if (!parsed.success) return { problem: problem(`call_tool: ${z.prettifyError(parsed.error)}`) };
      const { name } = parsed.data;
      if (tools.define(name)) return parsed.data;
      return exclusive(async () => {
        await update(tools);
        return { problem: problem(unknownTool(tools, name)) };
      });
    },
  };
}

/** A name that a model made up can have any length. */
function shorten(name: string): string {
  return name.length <= maxShownName ? name : `${name.slice(0, maxShownName)}…`;
}

function toDocument(
  id: string,
  { server, originalName, alias, definition }: SearchedTool,
  describeServer: SearchableTools['describeServer'],
): ToolDocument {
  const { title, description, inputSchema } = definition;
  return {
    id,
    server,
    serverText: server === undefined ? undefined : describeServer(server),
    name: alias ?? originalName,
    title: typeof title === 'string' ? title : undefined,
    description: typeof description === 'string' ? description : undefined,
    inputSchema,
  };
}

/** Schemas are compared by identity: the catalog keeps those that did not change. */
function isSame(one: ToolDocument, other: ToolDocument): boolean {
  const members = ['server', 'serverText', 'name', 'title', 'description', 'inputSchema'] as const;
  return members.every((member) => one[member] === other[member]);
}

function answer(value: JsonObject): JsonObject {
  return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value };
}

/** The text is plain TypeScript: as a string in JSON, it would cost more tokens. */
function answerInTypeScript(definitions: readonly JsonObject[], unknown: readonly string[]): JsonObject {
  const signatures = definitions.map(({ name, description, inputSchema, outputSchema }) =>
    toSignature({
      name: String(name),
      description: typeof description === 'string' ? description : undefined,
      inputSchema,
      outputSchema,
    }),
  );
  const text = [...signatures, ...unknown.map((message) => `// ${message}`)].join('\n\n');
  const value = { signatures, ...(unknown.length > 0 && { unknown }) };
  return { content: [{ type: 'text', text }], structuredContent: value };
}

function problem(text: string): JsonObject {
  return { content: [{ type: 'text', text }], isError: true };
}
