import { z } from 'zod';
import { answer, json, list } from './named.ts';

export const toolFormatsSchema = answer(
  'ToolFormats',
  z.strictObject({
    mcp: json.describe('As an MCP server lists it.'),
    openai: json.optional().describe("For `tools` of OpenAI's Chat Completions."),
    anthropic: json.optional().describe("For `tools` of Anthropic's Messages."),
    gemini: json.optional().describe("For `tools` of Gemini's generateContent."),
    omitted: list(z.strictObject({ format: z.enum(['openai', 'anthropic', 'gemini']), reason: z.string() })).describe(
      'Providers that cannot take this tool, and why.',
    ),
  }),
);

export type ToolFormats = z.input<typeof toolFormatsSchema>;
