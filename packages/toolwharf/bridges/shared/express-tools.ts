import { messageOf } from '../../../contract/errors.ts';
import { isObject, type JsonSchema } from '../../../contract/json.ts';
import { type ExposeOptions, exposeSource } from '../../features/exposure/expose-source.ts';
import { codeSource } from '../../features/scripts/code-source.ts';
import { searchSource } from '../../features/search/search-source.ts';
import type { Tool, ToolSource } from '../../kernel/tool.ts';
import { toGeminiSchema } from './gemini-schema.ts';
import { InexpressibleError } from './inexpressible.ts';
import { toModernSchema } from './modern-schema.ts';
import { toObjectSchema } from './object-schema.ts';
import { assertPortableProperties, type OriginalNames, renameProperties } from './property-names.ts';
import { type NameRules, toProviderName } from './provider-name.ts';

const maxSchemaDepth = 64;
const maxSchemaBytes = 256 * 1024;

/** A tool of a toolbox (`parameters`) or of an MCP list (`inputSchema`). */
export interface ToolLike {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly parameters?: JsonSchema;
  readonly inputSchema?: JsonSchema;
}

/** The names and schemas that a provider accepts. */
export interface ProviderRules {
  readonly names: NameRules;
  /** Property names that some providers reject, such as `filter[id]`: keep them, rename them, or leave the tool out. */
  readonly properties: 'any' | 'rename' | 'refuse';
  readonly dialect: 'json-schema' | 'gemini';
}

export interface BridgeOptions<T extends ToolLike = ToolLike> {
  /** Called with each tool that the provider cannot accept, and the reason. */
  readonly onOmitted?: (tool: T, reason: string) => void;
  /** Offers at most this many tools, the first ones; the others are reported as omitted. Default: all. */
  readonly maxTools?: number;
}

/** Which tools of a source are offered, and whether the model searches them or runs scripts over them. */
export interface SourceOptions extends BridgeOptions<Tool>, ExposeOptions {}

/** Converts the tools of a source that the model is offered: all of them, or the tools that search them or run scripts. */
export function expressSource(
  source: ToolSource,
  rules: ProviderRules,
  options?: SourceOptions,
): ExpressedTool<Tool>[] {
  const { expose, tools } = exposeSource(source, options);
  if (expose === 'all') return expressTools(tools, rules, options);
  const ours = expose === 'code' ? codeSource(source) : searchSource(source);
  return expressTools([...ours.tools, ...tools], rules, options);
}

export interface OmittedTool<T extends ToolLike = ToolLike> {
  readonly tool: T;
  readonly reason: string;
}

/** A tool in a form that its provider accepts. */
export interface ExpressedTool<T extends ToolLike = ToolLike> {
  readonly tool: T;
  readonly name: string;
  /** Empty if the tool has none. */
  readonly description: string;
  readonly schema: JsonSchema;
  readonly originals: OriginalNames;
}

/** Converts every tool that the provider can accept, in order. The others are left out with a reason. */
export function expressTools<T extends ToolLike>(
  tools: readonly T[],
  rules: ProviderRules,
  options: BridgeOptions<T> = {},
): ExpressedTool<T>[] {
  const { onOmitted = () => {}, maxTools = Number.POSITIVE_INFINITY } = options;
  const expressed = new Map<string, ExpressedTool<T>>();
  for (const tool of tools) {
    const candidate =
      expressed.size < maxTools ? tryExpress(tool, rules) : `only the first ${maxTools} tools are offered`;
    const holder = typeof candidate === 'string' ? undefined : expressed.get(candidate.name);
    if (typeof candidate === 'string') onOmitted(tool, candidate);
    else if (holder) onOmitted(tool, `its name is taken by ${JSON.stringify(holder.tool.name)}`);
    else expressed.set(candidate.name, candidate);
  }
  return [...expressed.values()];
}

/** The tools that `expressTools` leaves out. */
export function omittedTools<T extends ToolLike>(
  tools: readonly T[],
  rules: ProviderRules,
  options: Pick<BridgeOptions<T>, 'maxTools'> = {},
): OmittedTool<T>[] {
  const omitted: OmittedTool<T>[] = [];
  expressTools(tools, rules, { ...options, onOmitted: (tool, reason) => omitted.push({ tool, reason }) });
  return omitted;
}

/** Converts one tool for the provider, or returns the reason why that is impossible. */
export function tryExpress<T extends ToolLike>(tool: T, rules: ProviderRules): ExpressedTool<T> | string {
  try {
    return expressTool(tool, rules);
  } catch (cause) {
    // An unexpected schema must cost only its own tool.
    return cause instanceof InexpressibleError ? cause.message : `it cannot be expressed: ${messageOf(cause)}`;
  }
}

/** Copies the schema as plain JSON. Throws `InexpressibleError` if it is not JSON, too deep or too large. */
export function toPlainSchema(schema: unknown): JsonSchema {
  if (!isObject(schema)) throw new InexpressibleError('its input schema is not an object');
  checkDepth(schema, 1);
  const text = toJsonText(schema);
  const bytes = new TextEncoder().encode(text).length;
  if (bytes > maxSchemaBytes)
    throw new InexpressibleError(`its input schema is too large: ${Math.ceil(bytes / 1024)} kB, at most 256 kB`);
  return JSON.parse(text) as JsonSchema;
}

function expressTool<T extends ToolLike>(tool: T, rules: ProviderRules): ExpressedTool<T> {
  const plain = toPlainSchema(tool.parameters ?? tool.inputSchema ?? { type: 'object' });
  const { schema: modern, note } = toObjectSchema(toModernSchema(plain));
  const dialect = rules.dialect === 'gemini' ? toGeminiSchema(modern) : modern;
  const { schema, originals } = withProperties(dialect, rules.properties);
  return {
    tool,
    name: toProviderName(tool.name, rules.names.limit, rules.names.letterFirst),
    description: [tool.description || tool.title, note].filter(Boolean).join('\n\n'),
    // Inlined references and added notes may exceed a limit.
    schema: toPlainSchema(schema),
    originals,
  };
}

function withProperties(schema: JsonSchema, rule: ProviderRules['properties']) {
  if (rule === 'rename') return renameProperties(schema);
  return {
    schema: rule === 'refuse' ? assertPortableProperties(schema) : schema,
    originals: new Map<string, string>(),
  };
}

// First, because it bounds every later recursion and finds circular values before JSON.stringify does.
function checkDepth(value: unknown, depth: number): void {
  if (typeof value !== 'object' || value === null) return;
  if (depth > maxSchemaDepth)
    throw new InexpressibleError(`its input schema is nested deeper than ${maxSchemaDepth} levels`);
  for (const member of Object.values(value)) checkDepth(member, depth + 1);
}

function toJsonText(schema: JsonSchema): string {
  try {
    return JSON.stringify(schema);
  } catch (cause) {
    throw new InexpressibleError(`its input schema cannot be written as JSON: ${(cause as Error).message}`);
  }
}
