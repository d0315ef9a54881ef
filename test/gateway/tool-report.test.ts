import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from '../support/api.ts';
import { fixture } from '../support/fixtures.ts';
import { connectMcp } from '../support/mcp-client.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi({
    servers: { files: fixture('legacy'), copies: fixture('legacy') },
    profiles: { default: {}, found: { expose: 'search' } },
  });
});
afterAll(() => api.close());

const admin = () => ({ key: api.adminToken });
const toolOf = (body: { tools: { name: string }[] }, name: string) => body.tools.find((tool) => tool.name === name);

test('the report names the tools that a search confuses, those that nobody called, and what all of them cost', async () => {
  await api.post('/api/tools/mcp_files_echo/call', { arguments: { text: 'hi' } }, admin());
  const { body } = await api.get('/api/tool-report', admin());
  expect(toolOf(body, 'mcp_files_echo')).toMatchObject({
    calls: 1,
    problems: expect.arrayContaining([expect.objectContaining({ kind: 'confusable', tools: ['mcp_copies_echo'] })]),
  });
  const unused = toolOf(body, 'mcp_copies_echo');
  expect(unused).toMatchObject({
    calls: 0,
    problems: expect.arrayContaining([expect.objectContaining({ kind: 'unused' })]),
  });
  expect(body.tokens).toBeGreaterThan(body.unusedTokens);
  const one = await api.get('/api/tool-report?server=copies', admin());
  expect(new Set(one.body.tools.map(({ server }: { server: string }) => server))).toEqual(new Set(['copies']));
  expect(await api.get('/api/tool-report?server=missing', admin())).toMatchObject({ status: 404 });
});

test('a search of a client and the call after it are judged, and an override that takes a proposal over changes the report', async () => {
  await using client = await connectMcp(`${api.url}/mcp/found`, 'modern', admin());
  await client.client.callTool({ name: 'search_tools', arguments: { query: 'echo', server: 'copies' } });
  await client.client.callTool({ name: 'call_tool', arguments: { name: 'copies__echo', arguments: { text: 'hi' } } });
  const { body } = await api.get('/api/tool-report', admin());
  expect(body.searches).toEqual({ counted: 1, found: 1, foundWithProposals: 1 });
  const { proposal } = toolOf(body, 'mcp_copies_echo') as unknown as { proposal: { description: string } };
  await api.put('/api/tools/mcp_copies_echo/override', { description: proposal.description }, admin());
  const after = await api.get('/api/tool-report', admin());
  expect(toolOf(after.body, 'mcp_copies_echo')).not.toMatchObject({ proposal });
});

test('only administrators read the report', async () => {
  const reader = await api.key(['read', 'call']);
  expect((await api.get('/api/tool-report', { key: reader })).status).toBe(403);
});
