import { z } from 'zod';
import { isObject, type JsonObject } from '../../../contract/json.ts';
import { lazy } from '../../../contract/lazy.ts';
import { receiveArguments, receiveArgumentsText } from '../../invocation/receive-arguments.ts';
import { closest, closestOfMany } from '../../kernel/closest.ts';
import type { Embed } from '../../kernel/embed.ts';
import { toJsonText, withText } from '../../kernel/exact-json.ts';
import type { ListedServer, OnFound, WaitForTools } from '../../kernel/internal-source.ts';
import { createMutex } from '../../kernel/mutex.ts';
import { nextTurn } from '../../kernel/next-turn.ts';
import { mapInSlices } from '../../kernel/slices.ts';
import { countTokens } from '../signatures/count-tokens.ts';
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
  /** Builds the index, so that the first search does not wait for it. */
  prepare(tools: SearchableTools): Promise<void>;
}

export interface ToolCall {
  readonly name: string;
  readonly arguments: unknown;
}

const maxNames = 20;
const maxShownName = 200;
/** Results with a smaller share of the best score are left out: few of them are what the query is about. */
const minShare = 0.2;

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

const listBudget = 1_000;
const maxPurposeLength = 120;

/**
 * The servers in a few lines, by name. The text depends on the servers and nothing else, so that clients can cache prompts that
 * contain it. If it would need more tokens than the budget, it has names only, and as many as fit.
 */
export function listServers(servers: readonly ListedServer[]): string {
  const sorted = [...servers].sort((one, other) => (one.name < other.name ? -1 : 1));
  const lines = sorted.map(({ name, purpose }) => (purpose ? `- ${name}: ${shortPurpose(purpose)}` : `- ${name}`));
  const whole = lines.join('\n');
  if (countTokens(whole) <= listBudget) return whole;
  const names: string[] = [];
  let used = 0;
  for (const { name } of sorted) {
    used += countTokens(name) + 1;
    if (used > listBudget) return `${names.join(', ')} and others`;
    names.push(name);
  }
  return names.join(', ');
}

function shortPurpose(purpose: string): string {
  const sentence = firstSentence(purpose).trim().replace(/\s+/g, ' ');
  return sentence.length > maxPurposeLength ? `${sentence.slice(0, maxPurposeLength)}…` : sentence;
}

const ownSearchDefinitions = new WeakSet<JsonObject>();

/** Whether a definition is one of those that only search, and not the tool of a server with the same name. */
export function isSearchDefinition(definition: JsonObject): boolean {
  return ownSearchDefinitions.has(definition);
}

/** The definitions of the three tools, with the servers that can be searched. */
export function describeSearchTools(servers: readonly ListedServer[]): readonly JsonObject[] {
  if (servers.length === 0) return searchToolDefinitions();
  return searchToolDefinitions().map((definition) => {
    if (definition.name !== 'search_tools') return definition;
    const described = { ...definition, description: `${definition.description} Servers:\n${listServers(servers)}` };
    ownSearchDefinitions.add(described);
    return described;
  });
}

/** The definitions of the three tools. They never change, so that clients can cache prompts that contain them. */
export const searchToolDefinitions = lazy((): readonly JsonObject[] =>
  Object.entries(inputs())
    .map(([name, schema]) => ({
      name,
      description: descriptions[name as SearchToolName],
      inputSchema: z.toJSONSchema(schema, { io: 'input' }) as JsonObject,
      annotations: name === 'call_tool' ? undefined : { readOnlyHint: true, openWorldHint: false },
    }))
    .map((definition) => {
      if (definition.name !== 'call_tool') ownSearchDefinitions.add(definition);
      return definition;
    }),
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
    await mapInSlices(indexed.keys(), (name) => {
      if (byName.has(name)) return;
      index.delete(name);
      vectors?.delete(name);
      indexed.delete(name);
    });
    await mapInSlices(index.sweep(), () => {});
    await mapInSlices(byName, ([name, tool]) => {
      const document = toDocument(name, tool, describeServer);
      const known = indexed.get(name);
      if (known && isSame(known, document)) return;
      index.set(document);
      vectors?.set(document);
      indexed.set(name, document);
    });
    await mapInSlices(index.sweep(), () => {});
    current = tools;
  }

  async function unknownTool(tools: SearchableTools, name: string): Promise<string> {
    const meant = await closestOfMany(name, tools.byName.keys());
    const similar = index.search(name, { limit: 3 }).map(({ id }) => id);
    const names = [...new Set([...(meant === undefined ? [] : [meant]), ...similar])].slice(0, 3);
    const hint = names.length > 0 ? ` Similar tools: ${names.join(', ')}.` : '';
    return `Unknown tool: ${shorten(name)}.${hint} Find tools with search_tools.`;
  }

  return {
    prepare: (tools) => exclusive(() => update(tools)),
    async search(tools, args, onFound) {
      const parsed = inputs().search_tools.safeParse(args);
      if (!parsed.success) return problem(`search_tools: ${z.prettifyError(parsed.error)}`);
      const { query, ...given } = parsed.data;
      const server = given.server === undefined ? undefined : findServer(tools, given.server);
      if (server !== undefined && typeof server !== 'string') return server;
      const options = { ...given, server };
      // Other searches need not wait for the vectors of this query.
      const queried = vectors && (await exclusive(() => update(tools)).then(() => vectors.embedQuery(query)));
      return exclusive(async () => {
        await update(tools);
        const meaning = queried && vectors?.compare(queried);
        // With many tools, both steps take long.
        if (meaning) await nextTurn();
        const matches = index.search(query, { ...options, meaning });
        const least = minShare * (matches[0]?.score ?? 0);
        const found = matches
          .filter(({ score }) => score >= least)
          .map(({ id, score, matched }) => ({
            name: id,
            description: firstSentence(String(tools.define(id)?.description ?? '')).trim(),
            server: tools.byName.get(id)?.server,
            score: Number(score.toFixed(2)),
            matched,
          }));
        onFound?.(found.map(({ name }) => name));
        if (found.length > 0) return answer({ tools: found });
        return answer({ tools: found, hint: await nothingFound(tools, query, server) });
      });
    },
    describe: (tools, args, onFound) =>
      exclusive(async () => {
        const parsed = inputs().describe_tools.safeParse(args);
        if (!parsed.success) return problem(`describe_tools: ${z.prettifyError(parsed.error)}`);
        const { names, format } = parsed.data;
        const missing = names.filter((name) => !tools.byName.has(name));
        if (missing.length > 0) await update(tools);
        const unknown: string[] = [];
        for (const name of missing) unknown.push(await unknownTool(tools, name));
        if (missing.length === names.length) return problem(unknown.join('\n'));
        const found = names.map((name) => tools.define(name)).filter((definition) => definition !== undefined);
        onFound?.(names.filter((name) => tools.byName.has(name)));
        if (format === 'typescript') return answerInTypeScript(found, unknown);
        return answer({ tools: found, ...(unknown.length > 0 && { unknown }) });
      }),
    async readCall(tools, args) {
      const misplaced = explainArguments(args);
      if (misplaced !== undefined) return { problem: problem(misplaced) };
      const given = withParsedArguments(args);
      const parsed = inputs().call_tool.safeParse(given);
      if (!parsed.success) return { problem: problem(`call_tool: ${z.prettifyError(parsed.error)}`) };
      const { name } = parsed.data;
      if (tools.define(name))
        return {
          name,
          arguments: isObject(given) && given.arguments ? receiveArguments(given) : parsed.data.arguments,
        };
      return exclusive(async () => {
        await update(tools);
        return { problem: problem(await unknownTool(tools, name)) };
      });
    },
  };
}

/** The names of tools in the arguments of `call_tool` and `describe_tools`. */
export function namesIn(args: unknown): readonly string[] {
  if (!isObject(args)) return [];
  const { name, names } = args;
  const all: readonly unknown[] = [name, ...(Array.isArray(names) ? names : [])];
  return [...new Set(all.filter((one) => typeof one === 'string'))];
}

/**
 * Waits for the tools that arguments name and that are not known, while servers start or move that may have them. Returns whether there
 * are such servers.
 */
export async function waitForNamed(
  args: unknown,
  isKnown: (name: string) => boolean,
  waitForTools: WaitForTools | undefined,
): Promise<boolean> {
  const waiting = namesIn(args).flatMap((name) => (isKnown(name) ? [] : (waitForTools?.(name) ?? [])));
  await Promise.all(waiting);
  return waiting.length > 0;
}

/** The server that a search names, or the result that names those there are. Local tools have no server. */
function findServer(tools: SearchableTools, name: string): string | JsonObject {
  const servers = serversOf(tools);
  if (servers.includes(name)) return name;
  const same = servers.filter((server) => server.toLowerCase() === name.trim().toLowerCase());
  if (same.length === 1) return same[0] as string;
  const meant = closest(name, servers) ?? servers.find((server) => server.includes(name) || name.includes(server));
  const hint = meant === undefined ? '' : ` Did you mean ${meant}?`;
  return problem(
    `Unknown server: ${shorten(name)}.${hint} ${nameServers(servers)} Search without server to search them all.`,
  );
}

function serversOf({ byName }: SearchableTools): readonly string[] {
  const servers = new Set<string>();
  for (const { server } of byName.values()) if (server !== undefined) servers.add(server);
  return [...servers].sort();
}

function nameServers(servers: readonly string[]): string {
  return servers.length === 0
    ? 'There are no servers.'
    : `Servers: ${listServers(servers.map((name) => ({ name })))
        .replace(/^- /gm, '')
        .replaceAll('\n', ', ')}.`;
}

/** What to do after a search without results. */
async function nothingFound(tools: SearchableTools, query: string, server: string | undefined): Promise<string> {
  const known = [...namesAndWords(tools, server)];
  const near: string[] = [];
  for (const word of [query, ...query.split(/\s+/).slice(0, maxQueryWords)]) {
    const found = await closestOfMany(word, known);
    if (found !== undefined) near.push(found);
  }
  const similar = near.length === 0 ? '' : ` Similar words: ${[...new Set(near)].slice(0, 5).join(', ')}.`;
  const where = server === undefined ? 'No tool matches.' : `No tool of ${server} matches.`;
  return `${where}${similar} ${nameServers(serversOf(tools))} Try other words.`;
}

const maxQueryWords = 5;
/** Comparing more would take too long. */
const maxComparedWords = 2_000;

/** The names of tools and the words in them, up to a number. */
function* namesAndWords({ byName }: SearchableTools, server: string | undefined): Generator<string> {
  const seen = new Set<string>();
  for (const [name, tool] of byName) {
    if (server !== undefined && tool.server !== server) continue;
    for (const word of [name, ...tool.originalName.split(/[^\p{L}\p{N}]+|(?<=\p{Ll})(?=\p{Lu})/u)]) {
      if (word.length < 3 || seen.has(word)) continue;
      if (seen.size >= maxComparedWords) return;
      seen.add(word);
      yield word;
    }
  }
}

/** Models also write the arguments as a text of JSON. */
function withParsedArguments(args: unknown): unknown {
  if (!isObject(args) || typeof args.arguments !== 'string') return args;
  if (args.arguments.trim() === '') return { ...args, arguments: {} };
  const parsed = parseObject(args.arguments);
  return parsed ? { ...args, arguments: parsed } : args;
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value = receiveArgumentsText(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const maxExample = 500;
/** Names that models use for `arguments`. */
const otherNames = new Set(['args', 'input', 'parameters', 'params']);

/** Explains arguments that are beside `arguments` instead of in it, with the corrected call. */
function explainArguments(args: unknown): string | undefined {
  if (!isObject(args) || typeof args.name !== 'string') return undefined;
  const { name, arguments: inner, ...flat } = args;
  const where = 'The arguments of the tool belong into "arguments"';
  if (Object.keys(flat).length > 0) {
    const nested = typeof inner === 'string' ? parseObject(inner) : inner;
    const [[only = '', value] = [], ...others] = Object.entries(flat);
    const misnamed = others.length === 0 && inner === undefined && otherNames.has(only) && isObject(value);
    const example = JSON.stringify({
      name,
      arguments: misnamed ? value : { ...flat, ...(isObject(nested) && nested) },
    });
    const shown = example.length > maxExample ? `{"name":${JSON.stringify(shorten(name))},"arguments":{…}}` : example;
    return `call_tool: ${where}, not beside it. Corrected call: ${shown}`;
  }
  if (
    inner === undefined ||
    isObject(inner) ||
    (typeof inner === 'string' && (inner.trim() === '' || parseObject(inner)))
  )
    return undefined;
  return `call_tool: ${where} as an object, for example {"name":${JSON.stringify(shorten(name))},"arguments":{"key":"value"}}`;
}

/** A name that a model made up can have any length. */
function shorten(name: string): string {
  return name.length <= maxShownName ? name : `${name.slice(0, maxShownName)}…`;
}

/** A tool as the index reads it, under an id. */
export function toDocument(
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
  const text = toJsonText(value);
  return { content: [{ type: 'text', text }], structuredContent: withText(value, text) };
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
