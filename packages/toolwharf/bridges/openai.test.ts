import OpenAI from 'openai';
import { afterEach, expect, test } from 'vitest';
import { type ScriptedModels, startScriptedModels } from '../../../test/fixtures/models/scripted-models.ts';
import { createToolSource, errorResult, textResult } from '../../../test/fixtures/models/tool-source.ts';
import {
  openAIOmitted,
  runOpenAIResponsesToolCalls,
  runOpenAIToolCalls,
  toOpenAIResponsesTools,
  toOpenAITools,
} from './openai.ts';

const png = Buffer.from('picture').toString('base64');
const weather = {
  name: 'mcp_weather_now',
  description: 'The weather in a city',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  run: ({ city }: { readonly city?: unknown }) => textResult(`Sunny in ${String(city)}`),
};
const awkward = {
  name: 'mcp_my server_find.by/route or file with a very long name that no provider would take',
  parameters: { anyOf: [{ properties: { route: { type: 'array' } }, required: ['route'] }, { required: ['file'] }] },
  run: () => errorResult('No such route'),
};
const picture = {
  name: 'mcp_camera_shot',
  run: () => ({
    content: [
      { type: 'text', text: 'Here' },
      { type: 'image', mimeType: 'image/png', data: png },
    ],
  }),
};
const source = createToolSource([weather, awkward, { name: 'broken', parameters: { type: 'string' } }, picture]);
const [, awkwardTool] = toOpenAITools(source);
const calls = [
  { name: 'mcp_weather_now', args: '{"city":"Graz"}' },
  { name: awkwardTool?.function.name ?? '', args: '{}' },
  { name: 'mcp_weather_now', args: '{"city":' },
  { name: 'mcp_camera_shot', args: '' },
  { name: 'constructor', args: '{}' },
];

let models: ScriptedModels | undefined;
afterEach(async () => models?.[Symbol.asyncDispose]());

test('tools are formatted for Chat Completions [A1]', () => {
  const tools: OpenAI.ChatCompletionTool[] = toOpenAITools(source);
  expect(tools[0]).toEqual({
    type: 'function',
    function: {
      name: 'mcp_weather_now',
      description: 'The weather in a city',
      parameters: weather.parameters,
      strict: false,
    },
  });
});

test('tools are formatted for the Responses API [A1]', () => {
  const tools: OpenAI.Responses.Tool[] = toOpenAIResponsesTools(source);
  expect(tools[0]).toEqual({
    type: 'function',
    name: 'mcp_weather_now',
    description: 'The weather in a city',
    parameters: weather.parameters,
    strict: false,
  });
});

test('omitted tools are reported with the reason', () => {
  const omitted: string[] = [];
  toOpenAITools(source, { maxTools: 2, onOmitted: (tool, reason) => omitted.push(`${tool.name}: ${reason}`) });
  expect(omitted).toEqual([
    'broken: only the first 2 tools are offered',
    'mcp_camera_shot: only the first 2 tools are offered',
  ]);
  expect(openAIOmitted(source).map(({ tool, reason }) => `${tool.name}: ${reason}`)).toEqual([
    'broken: its input is of type string, not an object',
  ]);
});

test('a message without tool calls results in no tool messages', async () => {
  expect(await runOpenAIToolCalls(source, undefined)).toEqual([]);
});

test('the OpenAI client completes a conversation with tool calls over Chat Completions', async () => {
  models = await startScriptedModels(calls, 'It is sunny.');
  const client = new OpenAI({ baseURL: `${models.url}/v1`, apiKey: 'none', maxRetries: 0 });
  const tools = toOpenAITools(source);
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Weather?' }];
  for (let turn = 0; turn < 2; turn++) {
    const completion = await client.chat.completions.create({ model: 'scripted', messages, tools });
    const message = completion.choices[0]?.message;
    if (message === undefined) throw new Error('no message');
    messages.push(message, ...(await runOpenAIToolCalls(source, message.tool_calls)));
  }
  const answers = messages.filter((message) => message.role === 'tool');
  expect(answers.map(({ content }) => content)).toEqual([
    'Sunny in Graz',
    'MCP error: No such route',
    expect.stringContaining('MCP error: The arguments are not valid JSON'),
    'Here\n[image image/png, 7 B]',
    'MCP error: Invalid MCP tool name: constructor',
  ]);
  expect(messages.at(-1)).toMatchObject({ role: 'assistant', content: 'It is sunny.' });
});

test('the OpenAI client completes a conversation with tool calls over the Responses API', async () => {
  models = await startScriptedModels(calls, 'It is sunny.');
  const client = new OpenAI({ baseURL: `${models.url}/v1`, apiKey: 'none', maxRetries: 0 });
  const tools = toOpenAIResponsesTools(source);
  const input: OpenAI.Responses.ResponseInputItem[] = [{ role: 'user', content: 'Weather?' }];
  const first = await client.responses.create({ model: 'scripted', input, tools });
  const answers = await runOpenAIResponsesToolCalls(source, first.output);
  input.push(...first.output.filter((item) => item.type === 'function_call'), ...answers);
  const last = await client.responses.create({ model: 'scripted', input, tools });
  expect(answers.map(({ output }) => output)).toEqual([
    'Sunny in Graz',
    'MCP error: No such route',
    expect.stringContaining('MCP error: The arguments are not valid JSON'),
    [
      { type: 'input_text', text: 'Here' },
      { type: 'input_image', image_url: `data:image/png;base64,${png}`, detail: 'auto' },
    ],
    'MCP error: Invalid MCP tool name: constructor',
  ]);
  expect(last.output_text).toBe('It is sunny.');
});

test('the Responses API receives a PDF under its file name', async () => {
  const resource = { uri: 'file:///docs/report.pdf', mimeType: 'application/pdf', blob: png };
  const documents = createToolSource([{ name: 'read', run: () => ({ content: [{ type: 'resource', resource }] }) }]);
  const call = { type: 'function_call', call_id: 'c', name: 'read', arguments: '{}' };
  expect(await runOpenAIResponsesToolCalls(documents, [{ type: 'reasoning' }, call])).toEqual([
    {
      type: 'function_call_output',
      call_id: 'c',
      output: [{ type: 'input_file', filename: 'report.pdf', file_data: `data:application/pdf;base64,${png}` }],
    },
  ]);
});
