import type { JsonSchema } from '../../../contract/json.ts';
import type { ExpressedTool } from './express-tools.ts';

/** A function tool of OpenAI's Chat Completions API. */
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

/** Formats a tool for Chat Completions. */
export function toOpenAIShape({ name, description, schema }: ExpressedTool): OpenAITool {
  return { type: 'function', function: { name, ...(description && { description }), parameters: schema } };
}

/** Formats a tool for the Responses API. `strict` is on there by default, and few MCP schemas satisfy it. */
export function toOpenAIResponsesShape({ name, description, schema }: ExpressedTool): OpenAIResponsesTool {
  return { type: 'function', name, ...(description && { description }), parameters: schema, strict: false };
}

/** Formats a tool for the Messages API. */
export function toAnthropicShape({ name, description, schema }: ExpressedTool): AnthropicTool {
  return { name, ...(description && { description }), input_schema: { ...schema, type: 'object' } };
}

/** Formats all functions as one Gemini tool; none without functions, because Gemini rejects an empty tool. */
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
