import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import Anthropic from '@anthropic-ai/sdk';
import { type Content, GoogleGenAI } from '@google/genai';
import { generateText, isStepCount, type ToolSet } from 'ai';
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { toAiSdkTools } from '../../packages/toolwharf/bridges/ai-sdk.ts';
import { runAnthropicToolUse, toAnthropicTools } from '../../packages/toolwharf/bridges/anthropic.ts';
import { callFlatTool, toFlatTools } from '../../packages/toolwharf/bridges/flat.ts';
import { runGeminiFunctionCalls, toGeminiTools } from '../../packages/toolwharf/bridges/gemini.ts';
import { toLangChainTools } from '../../packages/toolwharf/bridges/langchain.ts';
import {
  runOpenAIResponsesToolCalls,
  runOpenAIToolCalls,
  toOpenAIResponsesTools,
  toOpenAITools,
} from '../../packages/toolwharf/bridges/openai.ts';
import { searchSource } from '../../packages/toolwharf/features/search/search-source.ts';
import { type SearchingModels, startSearchingModels } from '../fixtures/models/searching-models.ts';
import { createToolSource, textResult } from '../fixtures/models/tool-source.ts';

const city = { type: 'object', properties: { 'in[city]': { type: 'string' } }, required: ['in[city]'] };
const others = Array.from({ length: 60 }, (_, at) => ({
  name: `mcp_shop_order_${at}`,
  server: 'shop',
  description: `Changes the order number ${at} of a customer`,
}));
const source = createToolSource([
  ...others,
  { name: 'mcp_sky_unusable', server: 'sky', description: 'The weather in a list', parameters: { type: 'array' } },
  {
    name: 'mcp_sky_now',
    server: 'sky',
    description: 'The weather in a city',
    parameters: city,
    run: (args) => textResult(`Sunny in ${args['in[city]']}`),
  },
]);
const searchTools = ['search_tools', 'describe_tools', 'call_tool'];
const search = { expose: 'search' } as const;

let models: SearchingModels;
beforeAll(async () => {
  models = await startSearchingModels({ query: 'weather city', args: { 'in[city]': 'Graz' } });
});
afterAll(() => models[Symbol.asyncDispose]());
beforeEach(() => {
  models.requests.length = 0;
});

test('a search whose results are loaded with their definitions finds five tools at most', async () => {
  const found = await searchSource(source).find({ query: 'order customer', limit: 50 });
  expect(found).toHaveLength(5);
});

describe('a model that searches the tools of a bridge', () => {
  test.each(['search', 'code'] as const)('a model of a bridge is told the servers with expose: %s', (expose) => {
    const tools = toOpenAITools({ ...source, runCode: () => Promise.reject(new Error('no scripts')) }, { expose });
    const { description } = tools.find((tool) => tool.function.name === 'search_tools')?.function ?? {};
    expect(description).toMatch(/Servers:\n- shop\n- sky$/);
  });

  test('the Anthropic client gets references to deferred tools, which the model then calls', async () => {
    await using ours = await startSearchingModels({ query: 'weather city', args: { [renamed()]: 'Graz' } });
    const client = new Anthropic({ baseURL: ours.url, apiKey: 'none', maxRetries: 0 });
    const tools: Anthropic.ToolUnion[] = toAnthropicTools(source, search);
    const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Weather?' }];
    for (let turn = 0; turn < 2; turn++) {
      const { content } = await client.messages.create({ model: 'scripted', max_tokens: 100, messages, tools });
      messages.push({ role: 'assistant', content }, await runAnthropicToolUse(source, content));
    }
    const last = await client.messages.create({ model: 'scripted', max_tokens: 100, messages, tools });
    expect(last.content).toMatchObject([{ type: 'text', text: 'Sunny in Graz' }]);
    expect(messages[2]).toMatchObject({
      content: [{ type: 'tool_result', content: [{ type: 'tool_reference', tool_name: 'mcp_sky_now' }] }],
    });
    expect(tools.filter((tool) => !('defer_loading' in tool))).toMatchObject([{ name: 'search_tools' }]);
  });

  test('the OpenAI client gets definitions from a tool search, which the model then calls', async () => {
    const client = new OpenAI({ baseURL: `${models.url}/v1`, apiKey: 'none', maxRetries: 0 });
    const tools: OpenAI.Responses.Tool[] = toOpenAIResponsesTools(source, search);
    const input: OpenAI.Responses.ResponseInputItem[] = [{ role: 'user', content: 'Weather?' }];
    const ask = () => client.responses.create({ model: 'scripted', input, tools });
    for (let turn = 0; turn < 2; turn++) {
      const { output } = await ask();
      input.push(...(output as OpenAI.Responses.ResponseInputItem[]));
      input.push(...(await runOpenAIResponsesToolCalls(source, output)));
    }
    expect((await ask()).output_text).toBe('Sunny in Graz');
    expect(tools).toMatchObject([{ type: 'tool_search', execution: 'client', parameters: { required: ['query'] } }]);
    expect(input[2]).toMatchObject({ tools: [{ name: 'mcp_sky_now', defer_loading: true, parameters: city }] });
  });

  test('the OpenAI client calls a tool through Chat Completions with the three tools', async () => {
    const client = new OpenAI({ baseURL: `${models.url}/v1`, apiKey: 'none', maxRetries: 0 });
    const tools = toOpenAITools(source, search);
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Weather?' }];
    for (let turn = 0; turn < 3; turn++) {
      const { choices } = await client.chat.completions.create({ model: 'scripted', messages, tools });
      const message = choices[0]?.message as OpenAI.ChatCompletionMessage;
      messages.push(message, ...(await runOpenAIToolCalls(source, message.tool_calls)));
    }
    expect(messages.at(-1)).toMatchObject({ content: 'Sunny in Graz' });
    expect(tools.map((tool) => tool.function.name)).toEqual(searchTools);
    expect(source.calls.at(-1)).toMatchObject({ name: 'mcp_sky_now', args: { 'in[city]': 'Graz' } });
  });

  test('the Gemini client calls a tool with the three tools', async () => {
    const client = new GoogleGenAI({ apiKey: 'none', httpOptions: { baseUrl: models.url } });
    const tools = toGeminiTools(source, search);
    const contents: Content[] = [{ role: 'user', parts: [{ text: 'Weather?' }] }];
    const ask = () => client.models.generateContent({ model: 'scripted', contents, config: { tools } });
    for (let turn = 0; turn < 2; turn++) {
      const { candidates, functionCalls } = await ask();
      contents.push(candidates?.[0]?.content as Content);
      contents.push({ role: 'user', parts: await runGeminiFunctionCalls(source, functionCalls) });
    }
    expect((await ask()).text).toBe('Sunny in Graz');
    expect(tools[0]?.functionDeclarations.map(({ name }) => name)).toEqual(searchTools);
  });

  test('the AI SDK calls a tool with the three tools', async () => {
    const provider = createOpenAICompatible({ name: 'scripted', baseURL: `${models.url}/v1` });
    const tools = toAiSdkTools(source, search);
    const { text } = await generateText({
      model: provider('scripted'),
      prompt: 'Weather?',
      tools: tools as unknown as ToolSet,
      stopWhen: isStepCount(3),
    });
    expect(text).toBe('Sunny in Graz');
    expect(Object.keys(tools)).toEqual(searchTools);
  });

  test('LangChain and flat tools call a tool with the three tools', async () => {
    const tools = await toLangChainTools(source, search);
    const use = (name: string, args: object) => tools.find((tool) => tool.name === name)?.invoke(args as never);
    expect(String(await use('search_tools', { query: 'weather city' }))).toContain('mcp_sky_now');
    expect(String(await use('describe_tools', { names: ['mcp_sky_now'] }))).toContain('in[city]');
    const call = { name: 'mcp_sky_now', arguments: { 'in[city]': 'Graz' } };
    expect(await use('call_tool', call)).toBe('Sunny in Graz');
    expect(toFlatTools(source, search).map(({ name }) => name)).toEqual(searchTools);
    expect((await callFlatTool(source, 'call_tool', call)).text).toBe('Sunny in Graz');
    expect(await callFlatTool(source, 'call_tool', { name: 'mcp_sky_mow' })).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^MCP error: Unknown tool: mcp_sky_mow\. Similar tools: mcp_sky_now/),
    });
  });
});

/** The name that Anthropic gets for a property whose own name it rejects. */
function renamed(): string {
  const tool = toAnthropicTools(source).find(({ name }) => name === 'mcp_sky_now');
  return Object.keys(tool?.input_schema.properties as object)[0] as string;
}

describe('the list of a bridge', () => {
  const namesOf = (options: Parameters<typeof toFlatTools>[1]) => toFlatTools(source, options).map(({ name }) => name);

  test('auto lists all tools within its budget, and the tools for searching above it', () => {
    expect(namesOf({ expose: 'auto' })).toHaveLength(61);
    expect(namesOf({ expose: 'auto', exposeBudget: 500 })).toEqual(searchTools);
    expect(namesOf({})).toHaveLength(61);
  });

  test('search also lists the tools that are always listed', () => {
    expect(namesOf({ ...search, alwaysList: ['sky/*_now'] })).toEqual([...searchTools, 'mcp_sky_now']);
    const anthropic = toAnthropicTools(source, { ...search, alwaysList: ['sky/*_now'] });
    expect(anthropic.find((tool) => tool.name === 'mcp_sky_now')).not.toHaveProperty('defer_loading');
  });

  test('Anthropic and OpenAI can search themselves', () => {
    const [bm25, first] = toAnthropicTools(source, { ...search, search: 'bm25' });
    expect(bm25).toEqual({ type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' });
    expect(first).toMatchObject({ name: 'mcp_shop_order_0', defer_loading: true });
    const [regex] = toAnthropicTools(source, { ...search, search: 'regex' });
    expect(regex).toEqual({ type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' });
    const openai: OpenAI.Responses.Tool[] = toOpenAIResponsesTools(source, { ...search, search: 'openai' });
    expect(openai).toMatchObject([
      { type: 'tool_search', execution: 'server' },
      { type: 'namespace', name: 'shop', tools: { length: 60 } },
      { type: 'namespace', name: 'sky', tools: [{ name: 'mcp_sky_now', defer_loading: true, strict: false }] },
    ]);
  });

  test('a source with a tool that is named like a search tool lists all of its tools and calls its own tool', async () => {
    const own = createToolSource([{ name: 'search_tools', run: () => textResult('my own') }]);
    expect(toFlatTools(own, search).map(({ name }) => name)).toEqual(['search_tools']);
    expect((await callFlatTool(own, 'search_tools', { query: 'x' })).text).toBe('my own');
    const use = { type: 'tool_use', id: 'a', name: 'search_tools', input: {} };
    expect((await runAnthropicToolUse(own, [use])).content[0]?.content).toEqual([{ type: 'text', text: 'my own' }]);
  });

  test('a search without a match, or with wrong arguments, is answered with what to do', async () => {
    const ask = (input: object) =>
      runAnthropicToolUse(source, [{ type: 'tool_use', id: 'a', name: 'search_tools', input } as never]);
    const [none] = (await ask({ query: 'xylophone' })).content;
    expect(none).toMatchObject({ content: [{ type: 'text', text: expect.stringContaining('No tool matches') }] });
    const [wrong] = (await ask({ words: 'x' })).content;
    expect(wrong).toMatchObject({ is_error: true, content: [{ text: expect.stringContaining('query') }] });
  });

  test('the tools of one source do not appear in the search of another, and new tools are found', async () => {
    const tools = [...source.tools];
    const growing = { tools, call: source.call };
    const find = async () => (await callFlatTool(growing, 'search_tools', { query: 'telescope' })).text;
    expect(await find()).not.toContain('mcp_sky_zoom');
    const zoom = { ...tools[0], name: 'mcp_sky_zoom', description: 'Zooms the telescope' };
    growing.tools = [...tools, zoom as (typeof tools)[number]];
    expect(await find()).toContain('mcp_sky_zoom');
    expect((await callFlatTool(source, 'search_tools', { query: 'telescope' })).text).not.toContain('mcp_sky_zoom');
  });
});
