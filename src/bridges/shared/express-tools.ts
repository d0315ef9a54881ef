import { messageOf } from '../../kernel/errors.ts';
import type { JsonSchema } from '../../kernel/json.ts';
import { toGeminiSchema } from './gemini-schema.ts';
import { Inexpressible } from './inexpressible.ts';
import { toModernSchema } from './modern-schema.ts';
import { toObjectSchema } from './object-schema.ts';
import { toPlainSchema } from './plain-schema.ts';
import { type OriginalNames, refuseForeignProperties, renameProperties } from './property-names.ts';
import { type NameRules, toProviderName } from './provider-name.ts';

/** A tool as the toolbox has it (`parameters`) or as MCP lists it (`inputSchema`). */
export interface ToolLike {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly parameters?: JsonSchema;
  readonly inputSchema?: JsonSchema;
}

/** What a provider accepts. */
export interface ProviderRules {
  readonly names: NameRules;
  /** For names that some providers refuse, such as `filter[id]`: leave them, give them another name, or leave the tool out. */
  readonly properties: 'any' | 'rename' | 'refuse';
  readonly dialect: 'json-schema' | 'gemini';
}

export interface BridgeOptions<T extends ToolLike = ToolLike> {
  /** Told of each tool that the provider cannot take, with the reason. */
  readonly onOmitted?: (tool: T, reason: string) => void;
  /** Offer at most this many tools, the first ones; the rest is reported as omitted. Default: all. */
  readonly maxTools?: number;
}

export interface OmittedTool<T extends ToolLike = ToolLike> {
  readonly tool: T;
  readonly reason: string;
}

/** A tool in a form its provider accepts. */
export interface ExpressedTool<T extends ToolLike = ToolLike> {
  readonly tool: T;
  readonly name: string;
  /** Empty where the tool has none. */
  readonly description: string;
  readonly schema: JsonSchema;
  readonly originals: OriginalNames;
}

/** Every tool the provider can take, in order. What it cannot take is left out with a reason and never spoils the rest. */
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

/** One tool in the provider's form, or the reason why it has none. */
export function tryExpress<T extends ToolLike>(tool: T, rules: ProviderRules): ExpressedTool<T> | string {
  try {
    return expressTool(tool, rules);
  } catch (cause) {
    // A schema nobody thought of must cost its own tool, never the others.
    return cause instanceof Inexpressible ? cause.message : `it cannot be expressed: ${messageOf(cause)}`;
  }
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
    // References written out and notes added may have pushed it over a limit.
    schema: toPlainSchema(schema),
    originals,
  };
}

function withProperties(schema: JsonSchema, rule: ProviderRules['properties']) {
  if (rule === 'rename') return renameProperties(schema);
  return { schema: rule === 'refuse' ? refuseForeignProperties(schema) : schema, originals: new Map<string, string>() };
}
