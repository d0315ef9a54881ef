import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectAgent, toCall } from '../support/a2a.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { fixture } from '../support/fixtures.ts';
import { connectClient } from '../support/open-gateway.ts';
import { initializeParams } from '../support/raw-mcp.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi({ servers: { s: fixture('legacy') } });
});
afterAll(() => api.close());

const lastClient = async () => (await api.get('/api/calls?limit=1')).body.calls[0].caller.client;

test.each(['legacy', 'auto'] as const)('the calls of a client of the %s era name its program', async (era) => {
  await using client = await connectClient(`${api.url}/mcp`, { era });
  await client.text('s__echo', { text: 'x' });
  expect(await lastClient()).toEqual({ name: 'test', version: '1.0.0' });
});

test('a call over REST names the first product of its User-Agent', async () => {
  const headers = { 'user-agent': 'my-script/2.1 (linux)' };
  await api.post('/api/tools/mcp_s_echo/call', { arguments: { text: 'x' } }, { headers });
  expect(await lastClient()).toEqual({ name: 'my-script', version: '2.1' });
});

test('a task over A2A names the program of the agent', async () => {
  const agent = await connectAgent(api.url);
  await agent.sendMessage(toCall('s__echo', { text: 'x' }));
  expect(await lastClient()).toMatchObject({ name: expect.any(String) });
});

test('what a client says about itself is recorded short and without control characters, also after a restart', async () => {
  const clientInfo = { name: `evil\u0000\u001b]0;\u202e${'x'.repeat(500_000)}`, version: '\n' };
  const params = { ...initializeParams, clientInfo };
  const headers = { accept: 'application/json, text/event-stream' };
  const opened = await api.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'initialize', params }, { headers });
  const session = opened.headers.get('mcp-session-id') ?? '';
  expect(session.length).toBeLessThan(1_000);
  const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 's__echo', arguments: { text: 'x' } } };
  await api.post('/mcp', call, { headers: { ...headers, 'mcp-session-id': session } });
  expect(await lastClient()).toEqual({ name: expect.stringMatching(/^evil\]0;x{93}$/) });
});
