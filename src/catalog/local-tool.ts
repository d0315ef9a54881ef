import { z } from 'zod';
import { ToolwharfError } from '../kernel/errors.ts';
import { isObject, type JsonObject, type JsonSchema } from '../kernel/json.ts';
import type { Progress, ToolAnnotations, ToolDefinition, ToolResult } from '../kernel/tool.ts';

export interface LocalToolContext {
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
  /** Calls another tool of the toolbox, for the same caller; for tools that are `composed`. A failure is a result, as everywhere. */
  readonly call: (name: string, args: unknown) => Promise<ToolResult>;
}

/** A tool that is a plain function. Its arguments are checked before it runs; what it throws becomes an error result. */
export interface LocalTool<Args = never> {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  /** A Zod object, or a JSON Schema of an object. */
  readonly parameters?: z.ZodType<Args> | JsonSchema;
  readonly annotations?: ToolAnnotations;
  /** Limits where the configuration names none for it; else the dialect's: 64 at a time and 30 000 ms in ours. */
  readonly maxInstances?: number;
  readonly timeoutMs?: number;
  /** It calls other tools. It then takes no place among `maxConcurrent`: those it calls do. */
  readonly composed?: boolean;
  /** A text, an MCP result with `content`, or any JSON value, which becomes the structured content. */
  readonly execute: (args: Args, context: LocalToolContext) => unknown;
}

/** Infers the arguments' type from the Zod schema. */
export function localTool<Args>(tool: LocalTool<Args>): LocalTool {
  return tool as unknown as LocalTool;
}

/** The definition an agent sees. */
export function toLocalDefinition(tool: LocalTool): ToolDefinition {
  if (tool.name === '') throw new ToolwharfError('CONFIG_INVALID', 'A local tool has no name');
  return {
    name: tool.name,
    ...(tool.title !== undefined && { title: tool.title }),
    ...(tool.description !== undefined && { description: tool.description }),
    inputSchema: toSchema(tool),
    ...(tool.annotations && { annotations: tool.annotations }),
  };
}

/** Runs it and gives back an MCP result. Rejects with what the function threw. */
export async function runLocalTool(tool: LocalTool, args: JsonObject, context: LocalToolContext): Promise<JsonObject> {
  const parsed = isZod(tool.parameters) ? await parseWith(tool.parameters, args) : args;
  const value = await tool.execute(parsed as never, context);
  if (isObject(value) && Array.isArray(value.content)) return value;
  if (value === undefined) return { content: [] };
  if (typeof value === 'string') return { content: [{ type: 'text', text: value }] };
  const text = JSON.stringify(value);
  return {
    content: [{ type: 'text', text: text ?? String(value) }],
    ...(isObject(value) && { structuredContent: value }),
  };
}

async function parseWith(schema: z.ZodType, args: JsonObject): Promise<unknown> {
  const parsed = await schema.safeParseAsync(args);
  if (parsed.success) return parsed.data;
  throw new ToolwharfError('ARGUMENTS_INVALID', `Invalid arguments: ${z.prettifyError(parsed.error)}`);
}

function toSchema(tool: LocalTool): JsonSchema {
  if (tool.parameters === undefined) return { type: 'object', properties: {} };
  const schema = isZod(tool.parameters)
    ? (z.toJSONSchema(tool.parameters, { io: 'input' }) as JsonSchema)
    : tool.parameters;
  if (schema.type === 'object') return schema;
  throw new ToolwharfError('CONFIG_INVALID', `The parameters of local tool '${tool.name}' must be an object`, {
    data: { tool: tool.name },
  });
}

function isZod(schema: unknown): schema is z.ZodType {
  return isObject(schema) && '_zod' in schema;
}
