import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../packages/contract/json.ts';
import { parseConfig } from '../../packages/toolwharf/config/load-config.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { fixture, tempDir } from '../support/fixtures.ts';
import { connectMcp, type McpClient, usualAnswers } from '../support/mcp-client.ts';
import { waitFor } from '../support/wait-for.ts';

const searchTools = ['search_tools', 'describe_tools', 'call_tool', 'read_result'];
const config = {
  servers: { notes: { ...fixture('legacy'), description: 'Zettelkasten of the team' }, other: fixture('legacy') },
  profiles: {
    searching: { servers: ['notes'], deny: ['notes/add'], expose: 'search', alwaysList: ['notes/structured'] },
    asking: { expose: 'search', approval: { mode: 'always-ask' } },
    small: { expose: 'auto' },
    large: { expose: 'auto', exposeBudget: 10 },
  },
};

let api: TestApi;
let directory: Awaited<ReturnType<typeof tempDir>>;
beforeAll(async () => {
  directory = await tempDir();
  await writeFile(directory.file('toolwharf.json'), JSON.stringify(config));
  api = await startApi(directory.file('toolwharf.json'), { env: { PATH: process.env.PATH } });
});
afterAll(async () => {
  await api.close();
  await directory[Symbol.asyncDispose]();
});

describe.each(['legacy', 'modern'] as const)('a %s client of a profile that exposes tools by search', (era) => {
  let client: McpClient;
  beforeAll(async () => {
    client = await connectMcp(`${api.url}/mcp/searching`, era, { answers: usualAnswers });
  });
  afterAll(() => client[Symbol.asyncDispose]());

  const use = (name: string, args: JsonObject) => client.client.callTool({ name, arguments: args });
  const textOf = async (name: string, args: JsonObject) => JSON.stringify((await use(name, args)).content);

  test('lists the tools for searching and the tools that are always listed', async () => {
    const { tools } = await client.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([...searchTools, 'notes__structured']);
  });

  test('finds tools by their words and by their server, and does not find hidden ones', async () => {
    const { structuredContent } = await use('search_tools', { query: 'echo the text', limit: 3 });
    const { tools } = structuredContent as { tools: JsonObject[] };
    expect(tools[0]).toMatchObject({ name: 'notes__echo', server: 'notes' });
    expect(await textOf('search_tools', { query: 'zettelkasten', limit: 50 })).toContain('notes__echo');
    const everything = await textOf('search_tools', { query: 'add echo zettelkasten', limit: 50 });
    expect(everything).not.toContain('notes__add');
    expect(everything).not.toContain('other__');
  });

  test('describes tools with their schemas, but not hidden ones', async () => {
    const { structuredContent } = await use('describe_tools', { names: ['notes__echo', 'notes__add'] });
    expect(structuredContent).toMatchObject({
      tools: [{ name: 'notes__echo', inputSchema: { type: 'object' } }],
      unknown: [expect.stringContaining('Unknown tool: notes__add')],
    });
  });

  test('describes tools in TypeScript on request', async () => {
    const args = { names: ['notes__echo', 'notes__ecko'], format: 'typescript' };
    const { structuredContent, content } = await use('describe_tools', args);
    const signature = expect.stringMatching(
      /^\/\*\* .* \*\/\nnotes__echo\(args: \{\n {2}text: string;\n\}\): Promise</,
    );
    expect(structuredContent).toMatchObject({ signatures: [signature], unknown: [expect.stringContaining('ecko')] });
    expect(content).toEqual([{ type: 'text', text: expect.stringContaining('\n\n// Unknown tool: notes__ecko') }]);
    expect(await use('describe_tools', { names: ['notes__echo'], format: 'yaml' })).toMatchObject({ isError: true });
  });

  test('calls a tool, which the journal records as the tool itself', async () => {
    expect(await textOf('call_tool', { name: 'notes__echo', arguments: { text: `from ${era}` } })).toContain(era);
    const { calls } = (await api.get('/api/calls?limit=5')).body;
    expect(calls[0]).toMatchObject({ server: 'notes', originalName: 'echo', arguments: { text: `from ${era}` } });
    expect(JSON.stringify(calls)).not.toContain('call_tool');
  });

  test('every search and description is in the journal, with its caller and the names of the tools that it returned', async () => {
    const query = `echo the text for ${era}`;
    await use('search_tools', { query, limit: 1 });
    await use('describe_tools', { names: ['notes__echo', 'notes__add'], format: 'typescript' });
    await use('describe_tools', { names: [`nothing for ${era}`] });
    const { calls } = (await api.get('/api/calls?limit=3')).body;
    const of = { kind: 'search', caller: { kind: 'client' }, startedAt: expect.any(String) };
    expect(calls).toMatchObject([
      { ...of, tool: 'describe_tools', status: 'error', end: 'invalid', error: { code: 'ARGUMENTS_INVALID' } },
      { ...of, tool: 'describe_tools', status: 'success', completedAt: expect.any(String) },
      { ...of, tool: 'search_tools', status: 'success', arguments: { query, limit: 1 } },
    ]);
    const results = await Promise.all(
      calls.slice(1).map(async ({ id }: { id: string }) => (await api.get(`/api/calls/${id}`)).body.result),
    );
    // The definition of a hidden tool is not returned, and its name is not in the result.
    for (const result of results) expect(result.structuredContent).toEqual({ tools: ['notes__echo'] });
  });

  test('gets the closest names for a wrong name, and the problem of the schema for wrong arguments', async () => {
    const wrongName = await use('call_tool', { name: 'notes__ecko', arguments: {} });
    expect(wrongName).toMatchObject({ isError: true });
    expect(JSON.stringify(wrongName.content)).toContain('notes__echo');
    const wrongArguments = await use('call_tool', { name: 'notes__echo', arguments: { text: 5 } });
    expect(wrongArguments).toMatchObject({ isError: true });
    expect(JSON.stringify(wrongArguments.content)).toMatch(/text.*string/);
    expect(await use('call_tool', { arguments: {} })).toMatchObject({ isError: true });
    expect(await use('search_tools', { query: '' })).toMatchObject({ isError: true });
    expect(await use('describe_tools', { names: ['nothing'] })).toMatchObject({ isError: true });
  });

  test('a client cannot call a hidden tool through call_tool', async () => {
    const hidden = await use('call_tool', { name: 'notes__add', arguments: { a: 1, b: 2 } });
    expect(hidden).toMatchObject({ isError: true });
    expect(JSON.stringify(hidden.content)).toContain('Unknown tool: notes__add');
  });

  test('answers the questions of a server during call_tool', async () => {
    const text = await textOf('call_tool', { name: 'notes__ask', arguments: { question: 'ready?' } });
    expect(text).toContain('re: ');
  });

  test('waits for approval of the tool itself', async () => {
    await using asking = await connectMcp(`${api.url}/mcp/asking`, era);
    const args = { name: 'notes__echo', arguments: { text: `approved for ${era}` } };
    const result = asking.client.callTool({ name: 'call_tool', arguments: args });
    const asked = await waitFor(async () => (await api.get('/api/approvals?status=pending')).body.approvals[0]);
    expect(asked).toMatchObject({ server: 'notes', arguments: { text: `approved for ${era}` } });
    await api.post(`/api/approvals/${asked.id}/answer`, { answer: 'allow' });
    expect(JSON.stringify((await result).content)).toContain('approved for');
  });
});

test('auto lists all tools within its budget, and the tools for searching above it', async () => {
  await using small = await connectMcp(`${api.url}/mcp/small`, 'modern');
  expect((await small.client.listTools()).tools.map(({ name }) => name)).toContain('notes__echo');
  await using large = await connectMcp(`${api.url}/mcp/large`, 'modern');
  expect((await large.client.listTools()).tools.map(({ name }) => name)).toEqual(searchTools);
  const { exposure } = (await api.get('/api/profiles/large')).body;
  expect(exposure).toMatchObject({ exposed: 'search' });
  expect(exposure.listedTokens).toBeLessThan(exposure.estimatedTokens);
  expect((await api.get('/api/profiles/small')).body.exposure).toMatchObject({ exposed: 'all' });
});

test('without search, its tools do not exist', async () => {
  await using client = await connectMcp(`${api.url}/mcp`, 'modern');
  await expect(client.client.callTool({ name: 'search_tools', arguments: { query: 'x' } })).rejects.toThrow('Unknown');
});

test('the list changes only in the names of the servers when the tools change, and a search finds the new tools', async () => {
  await api.post('/api/profiles', { name: 'stored', servers: ['notes'], expose: 'search' });
  await using client = await connectMcp(`${api.url}/mcp/stored`, 'modern');
  const find = async () =>
    JSON.stringify((await client.client.callTool({ name: 'search_tools', arguments: { query: 'echo' } })).content);
  const before = await client.client.listTools();
  expect(await find()).not.toContain('other__echo');
  await api.put('/api/profiles/stored', { expose: 'search' });
  await waitFor(async () => (await find()).includes('other__echo'));
  const withoutServers = ({ tools }: typeof before) =>
    tools.map((tool) => ({ ...tool, description: tool.description?.split(' Servers:')[0] }));
  const after = await client.client.listTools();
  expect(withoutServers(after)).toEqual(withoutServers(before));
  expect(after.tools[0]?.description).toContain('- other');
});

test('an unknown value of expose is rejected with the allowed values', () => {
  expect(() => parseConfig({ servers: {}, profiles: { p: { expose: 'none' } } })).toThrow(/all.*search.*code.*auto/);
});
