import Anthropic from '@anthropic-ai/sdk';
import { expect, test } from 'vitest';
import { startScriptedModels } from '../../../test/fixtures/models/scripted-models.ts';
import { createToolSource, errorResult, textResult } from '../../../test/fixtures/models/tool-source.ts';
import { anthropicOmitted, runAnthropicToolUse, toAnthropicTools } from './anthropic.ts';

const png = Buffer.from('picture').toString('base64');
const source = createToolSource([
  {
    name: 'mcp_weather_now',
    description: 'The weather in a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    run: ({ city }) => textResult(`Sunny in ${String(city)}`),
  },
  {
    name: 'mcp_store_list',
    parameters: { type: 'object', properties: { 'filter[id]': { type: 'string' } }, required: ['filter[id]'] },
    run: (args) => textResult(JSON.stringify(args)),
  },
  {
    name: 'mcp_camera_shot',
    run: () => ({
      content: [
        { type: 'text', text: '' },
        { type: 'image', mimeType: 'image/png', data: png },
        { type: 'image', mimeType: 'image/tiff', data: png },
        { type: 'resource', resource: { uri: 'file:///a.pdf', mimeType: 'application/pdf', blob: png } },
      ],
    }),
  },
  {
    name: 'mcp_camera_fail',
    run: () => ({
      ...errorResult('No light'),
      content: [
        { type: 'text', text: 'No light' },
        { type: 'image', mimeType: 'image/png', data: png },
      ],
    }),
  },
  { name: 'broken', parameters: { type: 'array' } },
]);

test('tools are formatted for the Messages API [A1]', () => {
  const tools: Anthropic.Tool[] = toAnthropicTools(source);
  expect(tools).toHaveLength(4);
  expect(tools[0]).toEqual({
    name: 'mcp_weather_now',
    description: 'The weather in a city',
    input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  });
  expect(anthropicOmitted(source).map(({ reason }) => reason)).toEqual(['its input is of type array, not an object']);
});

test('the Anthropic client completes a conversation with tool calls', async () => {
  const tools = toAnthropicTools(source);
  const [shownName] = Object.keys((tools[1]?.input_schema.properties ?? {}) as object);
  const calls = [
    { name: 'mcp_weather_now', args: { city: 'Graz' } },
    { name: 'mcp_store_list', args: { [String(shownName)]: '7' } },
    { name: 'mcp_camera_shot', args: {} },
    { name: 'mcp_camera_fail', args: {} },
    { name: 'toString', args: {} },
  ];
  await using models = await startScriptedModels(calls, 'It is sunny.');
  const client = new Anthropic({ baseURL: models.url, apiKey: 'none', maxRetries: 0 });
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Weather?' }];
  const ask = () => client.messages.create({ model: 'scripted', max_tokens: 100, messages, tools });
  const first = await ask();
  const answer = await runAnthropicToolUse(source, first.content);
  messages.push({ role: 'assistant', content: first.content }, answer);
  const last = await ask();

  expect(answer.content.map(({ content, is_error }) => [content, is_error])).toEqual([
    [[{ type: 'text', text: 'Sunny in Graz' }], undefined],
    [[{ type: 'text', text: '{"filter[id]":"7"}' }], undefined],
    [
      [
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
        { type: 'text', text: '[image image/tiff, 7 B]' },
        { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: png } },
      ],
      undefined,
    ],
    [
      [
        { type: 'text', text: 'MCP error: No light' },
        { type: 'text', text: '[image image/png, 7 B]' },
      ],
      true,
    ],
    [[{ type: 'text', text: 'MCP error: Invalid MCP tool name: toString' }], true],
  ]);
  expect(last.content).toMatchObject([{ type: 'text', text: 'It is sunny.' }]);
});

test('an image that is too large for the API is described as text', async () => {
  const data = Buffer.alloc(4_500_000).toString('base64');
  const large = createToolSource([
    { name: 'shot', run: () => ({ content: [{ type: 'image', mimeType: 'image/png', data }] }) },
  ]);
  const { content } = await runAnthropicToolUse(large, [
    { type: 'tool_use', id: 'a', name: 'shot', input: {} } as never,
  ]);
  expect(content[0]?.content).toEqual([{ type: 'text', text: '[image image/png, 4.5 MB]' }]);
});
