import { type Content, GoogleGenAI, type Tool } from '@google/genai';
import { expect, test } from 'vitest';
import { startScriptedModels } from '../../../test/fixtures/models/scripted-models.ts';
import { createToolSource, errorResult, textResult } from '../../../test/fixtures/models/tool-source.ts';
import { geminiOmitted, runGeminiFunctionCalls, toGeminiTools } from './gemini.ts';

const png = Buffer.from('picture').toString('base64');
const source = createToolSource([
  {
    name: 'mcp_weather_now',
    description: 'The weather in a city',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string', minLength: 1 }, unit: { $ref: '#/$defs/Unit' } },
      required: ['city'],
      $defs: { Unit: { enum: ['C', 'F'] } },
    },
    run: ({ city }) => textResult(`Sunny in ${String(city)}`),
  },
  {
    name: '21st century tool',
    run: () => ({
      content: [
        { type: 'text', text: 'Here' },
        { type: 'image', mimeType: 'image/png', data: png },
      ],
    }),
  },
  { name: 'mcp_fail', run: () => errorResult('No light') },
  { name: 'broken', parameters: { type: 'null' } },
]);

test('tools are formatted as function declarations [A1]', () => {
  const tools: Tool[] = toGeminiTools(source);
  expect(tools).toEqual([
    {
      functionDeclarations: [
        {
          name: 'mcp_weather_now',
          description: 'The weather in a city',
          parametersJsonSchema: {
            type: 'object',
            properties: { city: { type: 'string', description: '(minLength: 1)' }, unit: { enum: ['C', 'F'] } },
            required: ['city'],
          },
        },
        { name: expect.stringMatching(/^_21st_century_tool_[0-9a-f]{8}$/) },
        { name: 'mcp_fail' },
      ],
    },
  ]);
  expect(geminiOmitted(source).map(({ tool }) => tool.name)).toEqual(['broken']);
});

test('an empty toolbox results in no Gemini tool, because Gemini rejects an empty one', () => {
  expect(toGeminiTools(createToolSource([]))).toEqual([]);
});

test('the Gemini client completes a conversation with tool calls', async () => {
  const tools = toGeminiTools(source);
  const calls = [
    { name: 'mcp_weather_now', args: { city: 'Graz' } },
    { name: String(tools[0]?.functionDeclarations[1]?.name), args: undefined },
    { name: 'mcp_fail', args: {} },
    { name: 'hasOwnProperty', args: {} },
  ];
  await using models = await startScriptedModels(calls, 'It is sunny.');
  const client = new GoogleGenAI({ apiKey: 'none', httpOptions: { baseUrl: models.url } });
  const contents: Content[] = [{ role: 'user', parts: [{ text: 'Weather?' }] }];
  const ask = () => client.models.generateContent({ model: 'scripted', contents, config: { tools } });
  const first = await ask();
  const parts = await runGeminiFunctionCalls(source, first.functionCalls);
  contents.push(first.candidates?.[0]?.content ?? {}, { role: 'user', parts });
  const last = await ask();

  expect(parts.map(({ functionResponse }) => functionResponse)).toEqual([
    { id: 'call_0', name: 'mcp_weather_now', response: { output: 'Sunny in Graz' } },
    {
      id: 'call_1',
      name: calls[1]?.name,
      response: { output: 'Here' },
      parts: [{ inlineData: { mimeType: 'image/png', data: png } }],
    },
    { id: 'call_2', name: 'mcp_fail', response: { error: 'MCP error: No light' } },
    { id: 'call_3', name: 'hasOwnProperty', response: { error: 'MCP error: Invalid MCP tool name: hasOwnProperty' } },
  ]);
  expect(last.text).toBe('It is sunny.');
});

test('media is described as text for models that reject it', async () => {
  const name = toGeminiTools(source)[0]?.functionDeclarations[1]?.name;
  expect(await runGeminiFunctionCalls(source, [{ name }], { media: 'text' })).toEqual([
    { functionResponse: { name, response: { output: 'Here\n[image image/png, 7 B]' } } },
  ]);
});
