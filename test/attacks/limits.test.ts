import { Agent, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApi, type TestApi } from '../support/api.ts';
import { fixture } from '../support/fixtures.ts';
import { initializeParams, openRaw } from '../support/raw-mcp.ts';
import { openToolbox } from '../support/toolbox.ts';
import { startHostile } from './hostile-server.ts';
import { rpcHeaders, send } from './raw-http.ts';

const host = { host: '127.0.0.1' };
const headers = { ...rpcHeaders, ...host };

describe('unlimited body, batch, depth, element count', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startApi({ servers: { files: fixture('legacy') } });
    await api.toolbox.servers.connect('files');
  });
  afterAll(() => api.close());
  const isAlive = async () => expect((await api.get('/api/health')).status).toBe(200);

  test.each(['/mcp', '/api/servers/import'])(
    'an endless body to %s is rejected at the size limit, with and without a declared length',
    async (path) => {
      const declared = await send(api.url, path, {
        method: 'POST',
        headers: { ...headers, 'content-length': '99999999999' },
      }).catch(() => undefined);
      expect(declared?.status ?? 413).toBe(413);
      const before = process.memoryUsage().arrayBuffers;
      const { hostname, port } = new URL(api.url);
      const agent = new Agent();
      const status = await new Promise<number>((resolve) => {
        const sent = request({ host: hostname, port, path, method: 'POST', headers, agent }, (response) => {
          resolve(response.statusCode ?? 0);
          response.resume();
        });
        const chunk = Buffer.alloc(1024 * 1024, 'a');
        let rest = 100;
        const more = () => {
          while (rest-- > 0) if (!sent.write(chunk)) return void sent.once('drain', more);
          sent.end();
        };
        sent.on('error', () => resolve(0));
        more();
      });
      agent.destroy();
      expect([413, 0]).toContain(status);
      expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(80 * 1024 * 1024);
      await isAlive();
    },
  );

  test('params of another type than text are no internal error', async () => {
    using client = await openRaw(`${api.url}/mcp`, 'legacy');
    const members = [
      ['tools/call', 'name'],
      ['resources/read', 'uri'],
      ['resources/subscribe', 'uri'],
      ['prompts/get', 'name'],
      ['logging/setLevel', 'level'],
      ['tasks/get', 'taskId'],
      ['tasks/cancel', 'taskId'],
      ['tools/list', 'cursor'],
    ] as const;
    let id = 0;
    for (const [method, member] of members)
      for (const value of [{ toString: 1 }, { toString: null, valueOf: {} }, [], {}, null, 5, true]) {
        const { error } = (await client.send(++id, method, { [member]: value })).body as { error?: { code: number } };
        expect([method, value, error?.code]).not.toEqual([method, value, -32603]);
      }
    const lost = { uri: 'toolwharf-result:gone#/x' };
    expect((await client.send(++id, 'resources/read', lost)).body.error).toMatchObject({ code: -32602 });
  });

  test('a JSON-RPC batch is rejected', async () => {
    const one = { jsonrpc: '2.0', id: 1, method: 'initialize', params: initializeParams };
    for (const batch of [[], [one], Array.from({ length: 1_000 }, () => one)]) {
      const { status, text } = await send(api.url, '/mcp', { method: 'POST', headers, body: JSON.stringify(batch) });
      expect(status).toBe(400);
      expect(text.length).toBeLessThan(1_000);
    }
  });

  test.each([
    ['arrays', '['.repeat(200_000) + ']'.repeat(200_000)],
    ['objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
    ['arrays that are not closed', '['.repeat(200_000)],
  ])('%s nested thousands of levels deep are rejected, and the gateway keeps serving', async (_, deep) => {
    const session = await send(api.url, '/mcp', {
      method: 'POST',
      headers,
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: initializeParams }),
    });
    const own = { ...headers, 'mcp-session-id': String(session.headers['mcp-session-id']) };
    const messages = [
      deep,
      `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"files__echo","arguments":{"text":${deep}}}}`,
      `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"files__echo","arguments":{},"_meta":{"x":${deep}}}}`,
      `{"jsonrpc":"2.0","id":${deep},"method":"ping"}`,
    ];
    for (const body of messages) {
      const { status, text } = await send(api.url, '/mcp', { method: 'POST', headers: own, body });
      expect(status).toBeLessThan(500);
      expect(text).toMatch(/error|isError/);
    }
    const rest = await send(api.url, '/api/tools/mcp_files_echo/call', {
      method: 'POST',
      headers: { ...headers, 'x-toolwharf': '1' },
      body: `{"arguments":{"text":${deep}}}`,
    });
    expect([400, 413]).toContain(rest.status);
    await isAlive();
  });

  test('arguments with 200 000 members are rejected, and the gateway keeps serving', async () => {
    const wide = JSON.stringify({
      arguments: Object.fromEntries(Array.from({ length: 200_000 }, (_, at) => [`k${at}`, 0])),
    });
    const { status } = await send(api.url, '/api/tools/mcp_files_echo/call', {
      method: 'POST',
      headers: { ...headers, 'x-toolwharf': '1' },
      body: wide,
    });
    expect([400, 413]).toContain(status);
    await isAlive();
  });

  test('too many or too large headers are rejected', async () => {
    const big = { headers: { ...host, 'x-a': 'a'.repeat(100_000) } };
    // The response may be lost, because the gateway closes the connection right after it.
    const answer = await send(api.url, '/api/health', big).catch(() => ({ status: 431 }));
    expect(answer.status).toBe(431);
    await isAlive();
  });
});

describe('unlimited lists and responses of servers', () => {
  test('an oversized tool list is truncated, and tools with invalid schemas are not called', async () => {
    let deep: object = {};
    for (let level = 0; level < 2_000; level++) deep = { type: 'object', properties: { a: deep } };
    const tools = [
      { name: 'deep', inputSchema: deep as never },
      {
        name: 'wide',
        inputSchema: {
          type: 'object',
          properties: Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`p${at}`, { type: 'string' }])),
        },
      },
      { name: 'fine', inputSchema: { type: 'object' } },
    ];
    await using server = await startHostile({ tools });
    await using toolbox = await openToolbox({ servers: { remote: { url: server.url } } });
    expect(toolbox.tool('mcp_remote_deep')).toBeUndefined();
    expect(toolbox.servers.get('remote')?.offers.tools?.rejected).toEqual([
      { name: 'deep', reason: 'it is nested more than 512 deep' },
    ]);
    expect((await toolbox.call('mcp_remote_wide', {})).isError).toBe(true);
    expect((await toolbox.call('mcp_remote_fine', { a: 1 })).text).toBe('{"a":1}');
  });

  test('a compressed response is rejected without decompressing it', async () => {
    const { gzipSync } = await import('node:zlib');
    const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024));
    await using server = await startHostile({
      intercept: ({ body }, response) => {
        if (!body.includes('tools/call')) return false;
        response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(bomb);
        return true;
      },
    });
    await using toolbox = await openToolbox({ servers: { remote: { url: server.url } } });
    const result = await toolbox.call('mcp_remote_echo', {});
    expect(result).toMatchObject({ isError: true, text: expect.stringContaining('compressed') });
  });
});
