import type Anthropic from '@anthropic-ai/sdk';
import type { Tool as GeminiTool } from '@google/genai';
import type OpenAI from 'openai';
import { expect, test } from 'vitest';
import { createToolSource } from '../../../test/fixtures/models/tool-source.ts';
import { formatToolsForProvider, providerOmitted, providerToolNames } from './provider.ts';

const inputSchema = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
const tools = [{ name: 'read_file', description: 'Read a file', inputSchema }];

test('tools are formatted for OpenAI [R7]', () => {
  const formatted: OpenAI.ChatCompletionTool[] = formatToolsForProvider(tools, 'openai');
  expect(formatted).toEqual([
    { type: 'function', function: { name: 'read_file', description: 'Read a file', parameters: inputSchema } },
  ]);
});

test('tools are formatted for Anthropic [R7]', () => {
  const formatted: Anthropic.Tool[] = formatToolsForProvider(tools, 'anthropic');
  expect(formatted).toEqual([{ name: 'read_file', description: 'Read a file', input_schema: inputSchema }]);
});

test("tools are formatted for OpenAI's Responses API and for Gemini [R7]", () => {
  const responses: OpenAI.Responses.Tool[] = formatToolsForProvider(tools, 'openai-responses');
  expect(responses).toEqual([
    { type: 'function', name: 'read_file', description: 'Read a file', parameters: inputSchema, strict: false },
  ]);
  const gemini: GeminiTool[] = formatToolsForProvider(tools, 'gemini');
  expect(gemini).toEqual([
    { functionDeclarations: [{ name: 'read_file', description: 'Read a file', parametersJsonSchema: inputSchema }] },
  ]);
});

test("a toolbox's own tools are formatted the same way [R7]", () => {
  const { tools: own } = createToolSource([{ name: 'read_file', description: 'Read a file', parameters: inputSchema }]);
  expect(formatToolsForProvider(own, 'anthropic')).toEqual(formatToolsForProvider(tools, 'anthropic'));
});

test('an unknown provider is an error that lists the providers [R7]', () => {
  const message =
    "Unknown provider 'opneai', known providers: anthropic, gemini, openai, openai-responses; did you mean";
  const unknown = 'opneai' as 'openai';
  expect(() => formatToolsForProvider(tools, unknown)).toThrow(message);
  expect(() => providerToolNames(tools, unknown)).toThrow(message);
  expect(() => providerOmitted(tools, unknown)).toThrow(message);
  expect(() => formatToolsForProvider(tools, 'constructor' as 'openai')).toThrow("Unknown provider 'constructor'");
});

test('changed names can be mapped back to the tools', () => {
  const odd = [{ name: 'read.file', inputSchema }, ...tools];
  const [first] = formatToolsForProvider(odd, 'anthropic');
  expect(first?.name).toMatch(/^read_file_[0-9a-f]{8}$/);
  expect(providerToolNames(odd, 'anthropic').get(first?.name ?? '')).toBe('read.file');
});

test('a tool that needs other property names is omitted with the reason', () => {
  const odd = [{ name: 'list', inputSchema: { type: 'object', properties: { $top: {} } } }, ...tools];
  const omitted: string[] = [];
  expect(formatToolsForProvider(odd, 'anthropic', { onOmitted: (_, reason) => omitted.push(reason) })).toHaveLength(1);
  expect(omitted).toEqual(['its property name "$top" is not allowed there']);
  expect(providerOmitted(odd, 'anthropic')[0]?.tool).toBe(odd[0]);
  expect(formatToolsForProvider(odd, 'openai')).toHaveLength(2);
});
