import { ToolMessage } from '@langchain/core/messages';
import { convertToOpenAITool } from '@langchain/core/utils/function_calling';
import { expect, test } from 'vitest';
import { createToolSource, errorResult, textResult } from '../../../test/fixtures/models/tool-source.ts';
import { langChainOmitted, toLangChainTools } from './langchain.ts';

const png = Buffer.from('picture').toString('base64');
const parameters = {
  type: 'object',
  properties: { city: { type: 'string', pattern: '(?i)graz' }, pair: { type: 'array', items: [{ type: 'number' }] } },
  required: ['city'],
};

function createSource() {
  return createToolSource([
    { name: 'mcp weather now', description: 'Weather', parameters, run: ({ city }) => textResult(`Sunny in ${city}`) },
    { name: 'mcp_camera_shot', run: () => ({ content: [{ type: 'image', mimeType: 'image/png', data: png }] }) },
    { name: 'mcp_camera_fail', run: () => errorResult('No light') },
    { name: 'broken', parameters: { type: 'string' } },
  ]);
}

const toolCall = (name: string, args: Record<string, unknown> = {}) =>
  ({ type: 'tool_call', id: 'call_1', name, args }) as const;

test('tools are converted to LangChain tools that can be bound to a model [A1]', async () => {
  const source = createSource();
  const [weather, ...others] = await toLangChainTools(source);
  if (weather === undefined) throw new Error('no tool');
  expect(convertToOpenAITool(weather)).toEqual({
    type: 'function',
    function: {
      name: expect.stringMatching(/^mcp_weather_now_[0-9a-f]{8}$/),
      description: 'Weather',
      parameters: {
        type: 'object',
        properties: {
          city: { type: 'string', description: '(pattern: (?i)graz)' },
          pair: { type: 'array', prefixItems: [{ type: 'number' }], items: {} },
        },
        required: ['city'],
      },
    },
  });
  expect(others.map(({ name }) => name)).toEqual(['mcp_camera_shot', 'mcp_camera_fail']);
  expect(langChainOmitted(source).map(({ tool }) => tool.name)).toEqual(['broken']);
});

test('a tool call is answered with a tool message that contains the whole result', async () => {
  const source = createSource();
  const [weather] = await toLangChainTools(source);
  const message = await weather?.invoke(toolCall(weather.name, { city: 'Graz', pair: [1, 'x'] }));
  expect(message).toBeInstanceOf(ToolMessage);
  expect(message).toMatchObject({
    content: 'Sunny in Graz',
    status: 'success',
    tool_call_id: 'call_1',
    artifact: { isError: false, content: [{ type: 'text', text: 'Sunny in Graz' }] },
  });
  expect(source.calls[0]).toMatchObject({ name: 'mcp weather now', args: { city: 'Graz', pair: [1, 'x'] } });
});

test('a failed call is answered with the status error', async () => {
  const [, , fail] = await toLangChainTools(createSource());
  const message = await fail?.invoke(toolCall('mcp_camera_fail'));
  expect(message).toBeInstanceOf(ToolMessage);
  expect(message).toMatchObject({
    content: 'MCP error: No light',
    status: 'error',
    tool_call_id: 'call_1',
    artifact: { isError: true },
  });
  expect(await fail?.invoke({})).toBe('MCP error: No light');
});

test('images are sent, or described as text if the model rejects them', async () => {
  const [, shot] = await toLangChainTools(createSource());
  expect(await shot?.invoke(toolCall('mcp_camera_shot'))).toMatchObject({
    content: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } }],
  });
  const [, named] = await toLangChainTools(createSource(), { images: false });
  expect(await named?.invoke(toolCall('mcp_camera_shot'))).toMatchObject({ content: '[image image/png, 7 B]' });
});

test("LangChain's abort signal cancels the call", async () => {
  const source = createSource();
  const { signal } = new AbortController();
  const [weather] = await toLangChainTools(source, { run: { caller: { id: 'me', kind: 'program' } } });
  await weather?.invoke(toolCall(weather.name, { city: 'Graz' }), { signal });
  expect(source.calls[0]?.options).toEqual({ caller: { id: 'me', kind: 'program' }, signal });
});
