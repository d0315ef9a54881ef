import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../packages/contract/json.ts';
import { localTool } from '../../packages/toolwharf/index.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { connectMcp, type McpClient } from '../support/mcp-client.ts';
import { waitFor } from '../support/wait-for.ts';

const rows = Array.from({ length: 2_000 }, (_, id) => ({ id, name: `row ${id}`, note: 'x'.repeat(20) }));
const secret = 'sk-live-0123456789';
const received: unknown[] = [];

const tools = [
  localTool({ name: 'rows', execute: () => ({ rows }) }),
  localTool({ name: 'text', execute: () => `${'lorem '.repeat(20_000)}NEEDLE ${'ipsum '.repeat(100)}` }),
  localTool({
    name: 'picture',
    execute: () => ({
      content: [
        { type: 'text', text: 'y'.repeat(60_000) },
        { type: 'image', data: 'aGk=', mimeType: 'image/png' },
      ],
    }),
  }),
  localTool({ name: 'vault', execute: () => ({ token: secret }) }),
  localTool({
    name: 'store',
    parameters: { type: 'object', properties: { body: { type: ['string', 'object', 'number'] } }, required: ['body'] },
    execute: ({ body }: { body: unknown }) => {
      received.push(body);
      return `stored ${typeof body}`;
    },
  }),
];

const config = {
  servers: {},
  toolbox: { secretResults: ['local/vault'] },
  profiles: {
    search: { expose: 'search' },
    code: { expose: 'code' },
    all: { expose: 'all' },
    small: { expose: 'all', maxInlineResultBytes: 1_000 },
    asking: { expose: 'search', approval: { mode: 'auto', ask: ['store'] } },
  },
} as const;

let api: TestApi;
beforeAll(async () => {
  api = await startApi(config, { tools });
});
afterAll(() => api.close());

interface Reference {
  readonly ref: string;
  readonly type: string;
  readonly size: number;
  readonly preview?: string;
}

function user({ client }: McpClient) {
  return async (name: string, args: JsonObject = {}) => {
    const result = await client.callTool({ name, arguments: args });
    return { ...result, text: JSON.stringify(result.content), structured: result.structuredContent as JsonObject };
  };
}

describe.each(['legacy', 'modern'] as const)('a %s client that gets large results by reference', (era) => {
  let client: McpClient;
  let use: ReturnType<typeof user>;
  let reference: Reference;
  beforeAll(async () => {
    client = await connectMcp(`${api.url}/mcp/search`, era);
    use = user(client);
    reference = (await use('call_tool', { name: 'rows' })).structured as unknown as Reference;
  });
  afterAll(() => client[Symbol.asyncDispose]());

  test('gets the size, the type and the beginning of the result', () => {
    expect(reference).toEqual({
      ref: expect.stringMatching(/^toolwharf-result:/),
      type: 'json',
      size: expect.any(Number),
      preview: expect.stringContaining('{"rows":[{"id":0'),
    });
    expect(reference.size).toBeGreaterThan(100_000);
  });

  test('reads the result in pages to its end', async () => {
    let text = '';
    for (let offset: unknown = 0; offset !== undefined; ) {
      const { structured } = await use('read_result', { ref: reference.ref, offset, limit: 50_000 });
      text += structured.text;
      offset = structured.nextOffset;
    }
    expect(JSON.parse(text)).toEqual({ rows });
  });

  test('finds values by a JSON path', async () => {
    const { structured } = await use('read_result', { ref: reference.ref, query: '$.rows[-1].name' });
    expect(structured).toMatchObject({ matches: 1, text: '["row 1999"]' });
    expect((await use('read_result', { ref: reference.ref, query: '$.rows[?(@.id)]' })).isError).toBe(true);
  });

  test('finds a text and where it is', async () => {
    const text = (await use('call_tool', { name: 'text' })).structured as unknown as Reference;
    expect(text).toMatchObject({ type: 'text', preview: expect.stringMatching(/^lorem/) });
    const { structured } = await use('read_result', { ref: text.ref, query: 'needle' });
    expect(structured.matches).toEqual([{ offset: 120_000, text: expect.stringContaining('NEEDLE') }]);
    expect((await use('read_result', { ref: text.ref, query: '$.a' })).text).toContain('not JSON');
  });

  test('passes a reference, or a part of it, to a tool that gets the value', async () => {
    await use('call_tool', { name: 'store', arguments: { body: reference } });
    expect(received.at(-1)).toEqual({ rows });
    await use('call_tool', { name: 'store', arguments: { body: `${reference.ref}#/rows/7/name` } });
    expect(received.at(-1)).toBe('row 7');
    const { calls } = (await api.get('/api/calls?limit=1')).body;
    expect(calls[0].arguments).toEqual({ body: 'row 7' });
  });

  test('gets images beside the reference to the text', async () => {
    const { content } = await use('call_tool', { name: 'picture' });
    expect(content).toMatchObject([
      { type: 'text', text: expect.stringContaining('toolwharf-result:') },
      { type: 'image' },
    ]);
  });

  test('gets a small result itself', async () => {
    expect((await use('call_tool', { name: 'store', arguments: { body: 'small' } })).text).toContain('stored string');
  });

  test('a value that does not fit the schema of the tool is refused like any other argument', async () => {
    const wrong = await use('call_tool', { name: 'store', arguments: { body: `${reference.ref}#/rows` } });
    expect(wrong.isError).toBe(true);
    expect(wrong.text).toContain('body');
  });
});

test('a profile that lists all tools returns references if it has a limit', async () => {
  await using all = await connectMcp(`${api.url}/mcp/all`, 'modern');
  expect((await user(all)('rows')).structured).toEqual({ rows });
  await using small = await connectMcp(`${api.url}/mcp/small`, 'modern');
  expect((await small.client.listTools()).tools.map(({ name }) => name)).toContain('read_result');
  const { structured } = await user(small)('rows');
  expect((await user(small)('read_result', { ref: structured.ref, limit: 10 })).structured.text).toBe('{"rows":[{');
});

test('a script passes references on, reads them, and returns a large result by reference', async () => {
  await using client = await connectMcp(`${api.url}/mcp/code`, 'modern');
  const use = user(client);
  const returned = (await use('run_code', { code: 'await tools.local.rows()' })).structured as unknown as Reference;
  expect(returned).toMatchObject({ type: 'json', preview: expect.stringContaining('row 0') });
  const code = `
    const { text } = await readResult('${returned.ref}', { query: '$.result.rows[3].name' });
    [text, await tools.local.store({ body: '${returned.ref}#/result/rows/4' })]`;
  expect((await use('run_code', { code })).structured.result).toEqual(['["row 3"]', 'stored object']);
  expect(received.at(-1)).toEqual(rows[4]);
});

describe('secrets', () => {
  test('a secret result is only a reference for models, scripts and the journal, and a value for tools', async () => {
    await using searching = await connectMcp(`${api.url}/mcp/search`, 'modern');
    const use = user(searching);
    const { structured, text } = await use('call_tool', { name: 'vault' });
    expect(structured).toEqual({
      ref: expect.stringMatching(/^toolwharf-secret:/),
      type: 'json',
      size: expect.any(Number),
    });
    await use('call_tool', { name: 'store', arguments: { body: `${structured.ref}#/token` } });
    expect(received.at(-1)).toBe(secret);
    await using coding = await connectMcp(`${api.url}/mcp/code`, 'modern');
    const code = 'const found = await tools.local.vault(); await tools.local.store({ body: found }); found';
    const script = await user(coding)('run_code', { code });
    expect(received.at(-1)).toEqual({ token: secret });
    const journal = JSON.stringify((await api.get('/api/calls?limit=50')).body);
    for (const shown of [text, JSON.stringify(script), journal]) expect(shown).not.toContain(secret);
  });

  test('a secret cannot be read, also not as a result', async () => {
    await using client = await connectMcp(`${api.url}/mcp/search`, 'modern');
    const use = user(client);
    const { structured } = await use('call_tool', { name: 'vault' });
    const ref = String(structured.ref);
    for (const wrong of [
      ref,
      `${ref}#/token`,
      ref.replace('secret', 'result'),
      ref.replace('-secret:', '-result:secret:'),
    ]) {
      const read = await use('read_result', { ref: wrong });
      expect(read.isError).toBe(true);
      expect(read.text).not.toContain(secret);
    }
    const page = await api.get(`/api/calls/${ref.split(':')[1]}/result`);
    expect(page.status).toBe(404);
  });
});

test('an approval shows the value of a reference, and the approved call gets it [O7]', async () => {
  await using client = await connectMcp(`${api.url}/mcp/asking`, 'modern');
  const use = user(client);
  const { structured } = await use('call_tool', { name: 'rows' });
  const stored = use('call_tool', { name: 'store', arguments: { body: `${structured.ref}#/rows/9/name` } });
  const pending = async () => (await api.get('/api/approvals?status=pending')).body.approvals;
  const approval = await waitFor(async () => (await pending())[0]);
  expect(approval.arguments).toEqual({ body: 'row 9' });
  await api.post(`/api/approvals/${approval.id}/answer`, { answer: 'allow' });
  await stored;
  expect(received.at(-1)).toBe('row 9');
});
