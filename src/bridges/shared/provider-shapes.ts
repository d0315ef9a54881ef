import type { JsonSchema } from '../../kernel/json.ts';
import type { ExpressedTool } from './express-tools.ts';

/** A function tool of OpenAI's Chat Completions. */
export interface OpenAITool {
  type: 'function';
  function: { name: string; description?: string; parameters: { [key: string]: unknown }; strict?: boolean };
}

/** A function tool of OpenAI's Responses API. */
export interface OpenAIResponsesTool {
  type: 'function';
  name: string;
  description?: string;
  parameters: { [key: string]: unknown };
  strict: false;
}

/** A tool of Anthropic's Messages API. */
export interface AnthropicTool {
  name: string;
  description?: string;
  input_schema: { type: 'object'; [key: string]: unknown };
}

/** A tool of the Gemini API: one list of functions. */
export interface GeminiTool {
  functionDeclarations: GeminiFunction[];
}

export interface GeminiFunction {
  name: string;
  description?: string;
  /** Missing for a function without parameters. */
  parametersJsonSchema?: { [key: string]: unknown };
}

/** As Chat Completions takes it. */
export function toOpenAIShape({ name, description, schema }: ExpressedTool): OpenAITool {
  return { type: 'function', function: { name, ...(description && { description }), parameters: schema } };
}

/** As the Responses API takes it. `strict` is on there unless it is turned off, and few MCP schemas meet it. */
export function toOpenAIResponsesShape({ name, description, schema }: ExpressedTool): OpenAIResponsesTool {
  return { type: 'function', name, ...(description && { description }), parameters: schema, strict: false };
}

/** As the Messages API takes it. */
export function toAnthropicShape({ name, description, schema }: ExpressedTool): AnthropicTool {
  return { name, ...(description && { description }), input_schema: { ...schema, type: 'object' } };
}

/** All functions as one Gemini tool; no tool without functions, which Gemini refuses. */
export function toGeminiShape(tools: readonly ExpressedTool[]): GeminiTool[] {
  if (tools.length === 0) return [];
  return [
    {
      functionDeclarations: tools.map(({ name, description, schema }) => ({
        name,
        ...(description && { description }),
        ...(hasParameters(schema) && { parametersJsonSchema: schema }),
      })),
    },
  ];
}

function hasParameters(schema: JsonSchema): boolean {
  return Object.keys(schema.properties ?? {}).length > 0 || Boolean(schema.additionalProperties);
}
