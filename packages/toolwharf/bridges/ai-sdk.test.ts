import { asSchema, generateText, isStepCount, type ToolSet } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { expect, test } from 'vitest';
import { createToolSource, errorResult, textResult } from '../../../test/fixtures/models/tool-source.ts';
import { aiSdkOmitted, toAiSdkTools } from './ai-sdk.ts';

const png = Buffer.from('picture').toString('base64');
const search = {
  name: 'mcp_docs_search',
  server: 'docs',
  description: 'Find pages',
  parameters: {
    type: 'object',
    properties: { 'filter[id]': { type: 'string' }, more: { type: 'object' } },
    required: ['filter[id]'],
  },
};
const content = [
  { type: 'text', text: 'Here' },
  { type: 'image', mimeType: 'image/png', data: png },
  { type: 'audio', mimeType: 'audio/wav', data: png },
];

function createSource() {
  return createToolSource([
    { ...search, run: (args) => ({ ...textResult(JSON.stringify(args)), raw: { content: [] } }) },
    { name: 'mcp_camera_shot', run: () => ({ content }) },
    { name: 'mcp_camera_fail', run: () => errorResult('No light') },
    { name: 'broken', parameters: { type: 'string' } },
  ]);
}

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

function scriptedModel(calls: readonly { readonly name: string; readonly input: string }[]) {
  const finished = { usage, warnings: [] };
  return new MockLanguageModelV4({
    doGenerate: [
      {
        ...finished,
        finishReason: { unified: 'tool-calls', raw: undefined },
        content: calls.map(({ name, input }, index) => ({
          type: 'tool-call',
          toolCallId: `call_${index}`,
          toolName: name,
          input,
        })),
      },
      { ...finished, finishReason: { unified: 'stop', raw: undefined }, content: [{ type: 'text', text: 'Done.' }] },
    ],
  });
}

test('tools are converted to an AI SDK tool set, by name [A1]', () => {
  const source = createSource();
  const tools = toAiSdkTools(source) satisfies ToolSet;
  expect(Object.keys(tools)).toEqual(['mcp_docs_search', 'mcp_camera_shot', 'mcp_camera_fail']);
  expect(tools.mcp_docs_search).toMatchObject({
    type: 'dynamic',
    description: 'Find pages',
    strict: false,
    metadata: { name: 'mcp_docs_search', server: 'docs' },
  });
  expect(tools.constructor).toBeUndefined();
  expect(aiSdkOmitted(source).map(({ tool }) => tool.name)).toEqual(['broken']);
});

test('the AI SDK passes the schema on unchanged: open objects stay open', async () => {
  const { mcp_docs_search } = toAiSdkTools(createSource()) as ToolSet;
  const schema = asSchema(mcp_docs_search?.inputSchema);
  expect(schema.validate).toBeUndefined();
  expect(await schema.jsonSchema).toEqual({
    type: 'object',
    properties: { filter_id__665d001d: { type: 'string' }, more: { type: 'object' } },
    required: ['filter_id__665d001d'],
  });
});

test('the schema can be read as a Standard Schema too', () => {
  const standard = toAiSdkTools(createSource()).mcp_docs_search?.inputSchema['~standard'];
  expect(standard?.jsonSchema.input()).toMatchObject({ type: 'object', properties: { more: { type: 'object' } } });
  expect(standard?.validate('anything')).toEqual({ value: 'anything' });
});

test('generateText runs the tools, and the model receives text, images and errors as such', async () => {
  const source = createSource();
  const model = scriptedModel([
    { name: 'mcp_docs_search', input: '{"filter_id__665d001d":"7"}' },
    { name: 'mcp_camera_shot', input: '{}' },
    { name: 'mcp_camera_fail', input: '{}' },
  ]);
  const { text, steps } = await generateText({
    model,
    tools: toAiSdkTools(source, { run: { caller: { id: 'me', kind: 'assistant' } } }),
    prompt: 'Go',
    stopWhen: isStepCount(2),
  });

  expect(text).toBe('Done.');
  expect(source.calls.map(({ name, args }) => [name, args])).toEqual([
    ['mcp_docs_search', { 'filter[id]': '7' }],
    ['mcp_camera_shot', {}],
    ['mcp_camera_fail', {}],
  ]);
  expect(source.calls[0]?.options?.caller).toEqual({ id: 'me', kind: 'assistant' });
  const sent = model.doGenerateCalls[1]?.prompt.at(-1)?.content;
  expect(Array.isArray(sent) && sent.map((part) => 'output' in part && part.output)).toEqual([
    { type: 'text', value: '{"filter[id]":"7"}' },
    {
      type: 'content',
      value: [
        { type: 'text', text: 'Here' },
        expect.objectContaining({ type: 'file', mediaType: 'image/png', data: { type: 'data', data: png } }),
        { type: 'text', text: '[audio audio/wav, 7 B]' },
      ],
    },
    { type: 'error-text', value: 'MCP error: No light' },
  ]);
  const [first, , last] = steps[0]?.toolResults ?? [];
  expect(first?.output).toMatchObject({ isError: false, content: [{ type: 'text' }] });
  expect(first?.output).not.toHaveProperty('raw');
  expect(last?.output).toMatchObject({ isError: true });
});

test("the AI SDK's abort signal and the caller's own signal both cancel a call", async () => {
  const source = createSource();
  const own = new AbortController();
  const sdk = new AbortController();
  const tools = toAiSdkTools(source, { run: { signal: own.signal } });
  await tools.mcp_camera_shot?.execute({}, { abortSignal: sdk.signal });
  await tools.mcp_camera_shot?.execute({}, {});
  expect(source.calls[1]?.options?.signal).toBe(own.signal);
  expect(source.calls[0]?.options?.signal?.aborted).toBe(false);
  sdk.abort();
  expect(source.calls[0]?.options?.signal?.aborted).toBe(true);
});

test.each([[undefined], ['text'], [{ content: 'x' }], [{ content: [null] }], [[1]]])(
  'an output that came back damaged (%j) is still something the model can read',
  (output) => {
    const tools = toAiSdkTools(createSource());
    expect(tools.mcp_camera_shot?.toModelOutput({ output })).toEqual({
      type: 'text',
      value: JSON.stringify(output) ?? '',
    });
  },
);
