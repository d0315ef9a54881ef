import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../packages/contract/json.ts';
import { localTool } from '../../packages/toolwharf/index.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { connectMcp, type McpClient } from '../support/mcp-client.ts';

let deep = '"bottom"';
for (let depth = 0; depth < 50_000; depth++) deep = `[${deep}]`;
const calls = { count: 0 };

const tools = [
  localTool({ name: 'letters', execute: () => `${'a'.repeat(200_000)}!` }),
  localTool({ name: 'deep', execute: () => deep }),
  localTool({ name: 'large', execute: () => 'b'.repeat(9_000_000) }),
  localTool({
    name: 'take',
    parameters: { type: 'object' },
    execute: () => {
      calls.count++;
      return 'taken';
    },
  }),
];

let api: TestApi;
let keys: { readonly ada: string; readonly bob: string };
beforeAll(async () => {
  api = await startApi(
    { servers: {}, gateway: { requireAuthentication: true }, profiles: { default: { expose: 'search' } } },
    { tools },
  );
  keys = { ada: await api.key(['call']), bob: await api.key(['call']) };
});
afterAll(() => api.close());

async function connect(key: string) {
  const connected: McpClient = await connectMcp(`${api.url}/mcp`, 'modern', { key });
  const use = async (name: string, args: JsonObject) => {
    const { isError, content, structuredContent } = await connected.client.callTool({ name, arguments: args });
    return { isError, text: JSON.stringify(content), structured: structuredContent as JsonObject };
  };
  const refTo = async (name: string) => String((await use('call_tool', { name })).structured.ref);
  return { use, refTo, [Symbol.asyncDispose]: () => connected[Symbol.asyncDispose]() };
}

describe('references under attack', () => {
  test('another caller can neither read a reference nor pass it to a tool', async () => {
    await using ada = await connect(keys.ada);
    await using bob = await connect(keys.bob);
    const ref = await ada.refTo('letters');
    const read = await bob.use('read_result', { ref });
    expect(read).toMatchObject({ isError: true, text: expect.stringContaining('belongs to another caller') });
    const unknown = await bob.use('read_result', { ref: 'toolwharf-result:019a0000-0000-7000-8000-000000000000' });
    expect(unknown.text).toBe(read.text);
    const before = calls.count;
    const passed = await bob.use('call_tool', { name: 'take', arguments: { body: ref } });
    expect(passed).toMatchObject({ isError: true, text: expect.stringContaining('belongs to another caller') });
    expect(calls.count).toBe(before);
    expect((await ada.use('read_result', { ref, limit: 3 })).structured.text).toBe('aaa');
  });

  test('a huge offset returns an empty page, and other numbers are refused', async () => {
    await using ada = await connect(keys.ada);
    const ref = await ada.refTo('letters');
    const { structured } = await ada.use('read_result', { ref, offset: Number.MAX_SAFE_INTEGER });
    expect(structured).toMatchObject({ text: '', totalLength: 200_001 });
    for (const wrong of [
      { offset: -1 },
      { offset: 0.5 },
      { limit: 0 },
      { limit: 1e9 },
      { query: '' },
      { query: 'x'.repeat(1_001) },
    ])
      expect((await ada.use('read_result', { ref, ...wrong })).isError).toBe(true);
  });

  test('a query is a text and never a regular expression', async () => {
    await using ada = await connect(keys.ada);
    const ref = await ada.refTo('letters');
    const { structured } = await ada.use('read_result', { ref, query: '(a+)+$' });
    expect(structured).toMatchObject({ matches: [] });
    const many = (await ada.use('read_result', { ref, query: 'a' })).structured;
    expect((many.matches as JsonObject[]).length).toBeLessThanOrEqual(50);
    expect(many.nextOffset).toBeTypeOf('number');
  });

  test('paths over a deep document end, and the gateway answers afterwards', async () => {
    await using ada = await connect(keys.ada);
    const ref = await ada.refTo('deep');
    for (const query of ['$', '$..*', '$..*..*..*', `$${'[0]'.repeat(30)}`, `$${'..*'.repeat(16)}`])
      expect((await ada.use('read_result', { ref, query, limit: 100 })).text.length).toBeLessThan(1_000);
    expect((await ada.use('read_result', { ref, query: '$..[0][-1]', limit: 10 })).text).toBeTypeOf('string');
  });

  test('many references to a large value do not multiply it', async () => {
    await using ada = await connect(keys.ada);
    const ref = await ada.refTo('large');
    const before = calls.count;
    const passed = await ada.use('call_tool', { name: 'take', arguments: { bodies: Array(1_000).fill(ref) } });
    expect(passed).toMatchObject({ isError: true, text: expect.stringContaining('more than 33554432 bytes') });
    expect(calls.count).toBe(before);
  });

  test('a reference with an odd path finds own members only', async () => {
    await using ada = await connect(keys.ada);
    const ref = await ada.refTo('letters');
    for (const pointer of ['#/__proto__', '#/length', '#/constructor/prototype', '#//'])
      expect((await ada.use('read_result', { ref: `${ref}${pointer}` })).isError).toBe(true);
    for (const wrong of ['toolwharf-result:../../etc', 'toolwharf-result:', `${ref} `, 'result'])
      expect((await ada.use('read_result', { ref: wrong })).isError).toBe(true);
  });
});
