import { isObject, type JsonSchema } from '../../../contract/json.ts';
import type { ToolSource } from '../../kernel/tool.ts';
import { expressSource, type SourceOptions } from './express-tools.ts';
import { openAIRules } from './provider-rules.ts';

/** A tool with its parameters as a flat list. */
export interface FlatTool {
  name: string;
  description: string;
  parameters: FlatParameter[];
}

export interface FlatParameter {
  name: string;
  /**
   * The JSON Schema type. `null` beside another type is omitted (`string | null` is `string`); several types are joined
   * (`string | number`); a parameter of any type is `any`.
   */
  type: string;
  description: string;
  required: boolean;
  default?: unknown;
  enum?: unknown[];
}

/**
 * Converts the tools to flat parameter lists, for agents that do not read JSON Schema.
 *
 * @example
 * ```ts
 * import { createToolbox } from 'toolwharf';
 * import { callFlatTool, toFlatTools } from 'toolwharf/flat';
 *
 * await using toolbox = await createToolbox({
 *   servers: { everything: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-everything'] } },
 * });
 * const [echo] = toFlatTools(toolbox);
 * console.log(echo?.name, echo?.parameters[0]?.name); // mcp_everything_echo message
 * console.log((await callFlatTool(toolbox, 'mcp_everything_echo', { message: 'ahoy' })).text); // Echo: ahoy
 * ```
 */
export function toFlatTools(source: ToolSource, options?: SourceOptions): FlatTool[] {
  return expressSource(source, openAIRules, options).map(({ name, description, schema }) => ({
    name,
    description,
    parameters: toParameters(schema),
  }));
}

function toParameters(schema: JsonSchema): FlatParameter[] {
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const definitions = isObject(schema.$defs) ? schema.$defs : {};
  const properties = isObject(schema.properties) ? Object.entries(schema.properties) : [];
  return properties.map(([name, member]) => {
    const views = viewsOf(member, definitions, new Set());
    const [outer = {}] = views;
    const choices = choicesOf(views);
    const stated = views.find((view) => 'default' in view);
    return {
      name,
      type: typeOf(views),
      description: textIn(views, 'description') ?? textIn([outer], 'title') ?? '',
      required: required.has(name),
      ...(stated !== undefined && { default: stated.default }),
      ...(choices !== undefined && { enum: choices }),
    };
  });
}

/** The schema, the targets of its references (each once), and the branches of its unions. */
function viewsOf(schema: unknown, definitions: JsonSchema, seen: Set<string>): JsonSchema[] {
  if (!isObject(schema)) return [];
  const views: JsonSchema[] = [schema];
  if (typeof schema.$ref === 'string' && !seen.has(schema.$ref) && seen.size < maxReferences) {
    seen.add(schema.$ref);
    views.push(...viewsOf(definitions[schema.$ref.slice('#/$defs/'.length)], definitions, seen));
  }
  for (const branches of [schema.allOf, schema.anyOf, schema.oneOf])
    if (Array.isArray(branches)) views.push(...branches.flatMap((branch) => viewsOf(branch, definitions, seen)));
  return views;
}

// More than any hand-written schema has, and few enough to recurse.
const maxReferences = 100;

function typeOf(views: readonly JsonSchema[]): string {
  const stated = views.flatMap((view) => {
    if (view.type !== undefined) return Array.isArray(view.type) ? view.type : [view.type];
    return valuesOf(view).map(typeOfValue);
  });
  const types = [...new Set(stated.map(String))];
  const named = types.length > 1 ? types.filter((type) => type !== 'null') : types;
  return named.join(' | ') || 'any';
}

function typeOfValue(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

function valuesOf(view: JsonSchema): unknown[] {
  if ('const' in view) return [view.const];
  return Array.isArray(view.enum) ? view.enum : [];
}

/** The allowed values, if every branch of the parameter lists them. */
function choicesOf(views: readonly JsonSchema[]): unknown[] | undefined {
  const choices = [...new Set(views.flatMap(valuesOf))];
  if (choices.length === 0) return undefined;
  const open = views.some((view) => view.type !== undefined && view.type !== 'null' && valuesOf(view).length === 0);
  return open ? undefined : choices;
}

function textIn(views: readonly JsonSchema[], keyword: string): string | undefined {
  return views.map((view) => view[keyword]).find((value) => typeof value === 'string');
}
