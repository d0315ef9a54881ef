import { messageOf, ToolwharfError } from '../../contract/errors.ts';
import { isObject, type JsonObject, type JsonSchema } from '../../contract/json.ts';
import type { ToolLimits } from '../../contract/settings/config.ts';
import { parseJson, toRawNumber } from '../kernel/exact-json.ts';
import { isStandardSchema, issueText, type StandardSchema } from '../kernel/standard-schema.ts';
import type { Progress, ToolAnnotations, ToolDefinition, ToolResult } from '../kernel/tool.ts';

/** Passed to `execute` of a local tool. */
export interface LocalToolContext {
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
  /** Calls another tool of the toolbox for the same caller; for tools that are `composed`. A failure is a result. */
  readonly call: (name: string, args: unknown) => Promise<ToolResult>;
}

/** A tool that is a function of the program. Arguments are validated before it runs; an exception becomes an error result. */
export interface LocalTool<Args = never> {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  /** An object schema: any Standard Schema (Zod, Valibot, ArkType, …) or a JSON Schema. Default: no arguments. */
  readonly parameters?: StandardSchema<Args> | JsonSchema;
  /** The JSON Schema of `parameters`, for libraries that do not convert their schemas themselves. */
  readonly jsonSchema?: JsonSchema;
  readonly annotations?: ToolAnnotations;
  /** Limits where the configuration has none for this tool. Default: those of the dialect, 64 and 30 000 ms in the native one. */
  readonly maxInstances?: number;
  readonly timeoutMs?: number;
  /** The tool calls other tools. It then takes no permit of `maxConcurrent`: the tools it calls do. */
  readonly composed?: boolean;
  /** Returns a text, an MCP result with `content`, or any JSON value, which becomes the structured content. */
  readonly execute: (args: Args, context: LocalToolContext) => unknown;
}

/** A tool that is a script, which calls other tools. It runs where the toolbox runs scripts. */
export interface ScriptTool extends Pick<LocalTool, 'name' | 'description' | keyof ToolLimits> {
  /** The JSON Schema of the arguments, which the script gets as `input`. Default: no arguments. */
  readonly parameters?: JsonSchema;
  readonly code: string;
}

/**
 * Infers the type of the arguments from the schema.
 *
 * @example
 * ```ts
 * import { createToolbox, localTool } from 'toolwharf';
 * import * as z from 'zod';
 *
 * const area = localTool({
 *   name: 'area',
 *   description: 'Returns the area of a rectangle.',
 *   parameters: z.object({ width: z.number(), height: z.number() }),
 *   execute: ({ width, height }) => `${width * height} m²`,
 * });
 * await using toolbox = await createToolbox({ servers: {} }, { tools: [area] });
 * console.log((await toolbox.call('area', { width: 3, height: 4 })).text); // 12 m²
 * ```
 */
export function localTool<Args>(tool: LocalTool<Args>): LocalTool {
  checkLocalTool(tool);
  return tool as unknown as LocalTool;
}

const memberTypes = {
  name: 'string',
  title: 'string',
  description: 'string',
  parameters: 'object',
  jsonSchema: 'object',
  annotations: 'object',
  maxInstances: 'number',
  timeoutMs: 'number',
  composed: 'boolean',
  execute: 'function',
} as const satisfies Record<keyof LocalTool, string>;

/** Throws `CONFIG_INVALID` for a tool that could not be called. Programs may be untyped. */
function checkLocalTool(tool: unknown): void {
  if (!isObject(tool)) throw new ToolwharfError('CONFIG_INVALID', 'A local tool must be an object');
  if (typeof tool.name !== 'string' || tool.name === '')
    throw new ToolwharfError('CONFIG_INVALID', 'A local tool has no name');
  for (const [member, type] of Object.entries(memberTypes)) {
    const value = tool[member];
    // Schemas of some libraries are functions.
    const isSchema = member === 'parameters' && isStandardSchema(value);
    if (isSchema || typeof value === type || (value === undefined && member !== 'execute')) continue;
    const message = `Local tool '${tool.name}': \`${member}\` must be ${type === 'object' ? 'an object' : `a ${type}`}`;
    throw new ToolwharfError('CONFIG_INVALID', message, { data: { tool: tool.name } });
  }
}

/** The definition that agents see. */
export function toLocalDefinition(tool: LocalTool): ToolDefinition {
  checkLocalTool(tool);
  const { name, title, description, annotations } = tool;
  return {
    name,
    title,
    description,
    inputSchema: toInputSchema(tool),
    annotations,
  };
}

/** Runs the tool and returns an MCP result. Rejects with the function's exception. `onRun` is called before the function. */
export async function runLocalTool(
  tool: LocalTool,
  args: JsonObject,
  context: LocalToolContext,
  onRun?: () => void,
): Promise<JsonObject> {
  const parsed = isStandardSchema(tool.parameters) ? await validate(tool.parameters, args) : args;
  onRun?.();
  const value = await tool.execute(parsed as never, context);
  if (isObject(value) && Array.isArray(value.content)) return value;
  if (value === undefined) return { content: [] };
  if (typeof value === 'string') return { content: [{ type: 'text', text: value }] };
  const { text, hasBigInts } = writeJson(value);
  const structured = isObject(value) ? (hasBigInts ? parseJson(text ?? '') : value) : undefined;
  return { content: [{ type: 'text', text: text ?? String(value) }], structuredContent: structured };
}

/** A BigInt is written with all its digits. */
function writeJson(value: unknown): { readonly text: string | undefined; readonly hasBigInts: boolean } {
  let hasBigInts = false;
  const text = JSON.stringify(value, (_name, member: unknown) => {
    if (typeof member !== 'bigint') return member;
    hasBigInts = true;
    return toRawNumber(member);
  });
  return { text, hasBigInts };
}

async function validate(schema: StandardSchema, args: JsonObject): Promise<unknown> {
  const result = await schema['~standard'].validate(args);
  if (!result.issues) return result.value;
  throw new ToolwharfError('ARGUMENTS_INVALID', `Invalid arguments: ${result.issues.map(issueText).join('; ')}`);
}

function toInputSchema(tool: LocalTool): JsonSchema {
  const { parameters = { type: 'object', properties: {} } } = tool;
  const schema = tool.jsonSchema ?? (isStandardSchema(parameters) ? convert(parameters, tool) : parameters);
  if (schema.type === 'object') return schema;
  throw unusable(tool, 'must be an object');
}

function convert(schema: StandardSchema, tool: LocalTool): JsonSchema {
  const { vendor, jsonSchema } = schema['~standard'];
  if (!jsonSchema)
    throw unusable(tool, `are a schema of ${vendor}, which has no JSON Schema: add jsonSchema to the tool`);
  try {
    return jsonSchema.input({ target: 'draft-2020-12' });
  } catch (cause) {
    throw unusable(tool, `can't be converted to JSON Schema: ${messageOf(cause)}. Add jsonSchema to the tool`, cause);
  }
}

function unusable({ name }: LocalTool, problem: string, cause?: unknown): ToolwharfError {
  const message = `The parameters of local tool '${name}' ${problem}`;
  return new ToolwharfError('CONFIG_INVALID', message, { cause, data: { tool: name } });
}
