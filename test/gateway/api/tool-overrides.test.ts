import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from '../../support/api.ts';
import { fixture } from '../../support/fixtures.ts';
import { connectMcp } from '../../support/mcp-client.ts';
import { waitFor } from '../../support/wait-for.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi({
    servers: { s: fixture('legacy'), other: fixture('legacy') },
    toolbox: { approval: { mode: 'trusted-only', trustedTools: ['mcp_s_*'], deny: ['mcp_other_add'] } },
    profiles: { plain: { naming: 'plain', servers: ['s'] } },
  });
});
afterAll(() => api.close());

const names = async (query = '') => {
  const { tools } = (await api.get(`/api/tools?server=s${query}`)).body;
  return tools.map(({ name }: { name: string }) => name);
};
const override = (tool: string, body: object) => api.put(`/api/tools/${tool}/override`, body);

test('a tool that is switched off is gone on every face until it is switched on again', async () => {
  await using client = await connectMcp(`${api.url}/mcp`, 'legacy');
  const off = await api.post('/api/tools/switch', { enabled: false, tools: [{ server: 's', tool: 'echo' }] });
  expect(off.body).toEqual({ changed: 1 });
  await waitFor(() => client.notices.some(({ method }) => method === 'notifications/tools/list_changed'));
  expect((await client.client.listTools()).tools.map(({ name }) => name)).not.toContain('s__echo');
  expect(await names()).not.toContain('mcp_s_echo');
  expect(await names('&disabled=true')).toEqual(['mcp_s_echo']);
  expect((await api.get('/api/tools/mcp_s_echo')).body).toMatchObject({ disabled: true });
  expect((await api.post('/api/tools/mcp_s_echo/call', {})).status).toBe(404);
  const reader = await api.key(['read', 'call']);
  expect((await api.get('/api/tools?disabled=true', { key: reader })).body.tools).toEqual([]);
  expect((await api.get('/api/tools/mcp_s_echo', { key: reader })).status).toBe(404);
  expect(
    (await api.post('/api/tools/switch', { enabled: true, tools: [{ server: 's', tool: 'echo' }] }, { key: reader }))
      .status,
  ).toBe(403);

  const on = await api.post('/api/tools/switch', {
    enabled: true,
    tools: [
      { server: 's', tool: 'echo' },
      { server: 's', tool: 'add' },
    ],
  });
  expect(on.body).toEqual({ changed: 1 });
  expect(await names()).toContain('mcp_s_echo');
  const unknown = await api.post('/api/tools/switch', { enabled: false, tools: [{ server: 's', tool: 'none' }] });
  expect(unknown.body.error.code).toBe('TOOL_NAME_INVALID');
});

test('a call that waits for approval does not run a tool that was switched off meanwhile', async () => {
  const calling = api.post('/api/tools/mcp_other_echo/call', { arguments: { text: 'x' } });
  const asked = await waitFor(async () => (await api.get('/api/approvals?status=pending')).body.approvals[0]);
  await api.post('/api/tools/switch', { enabled: false, tools: [{ server: 'other', tool: 'echo' }] });
  await api.post(`/api/approvals/${asked.id}/answer`, { answer: 'allow' });
  expect((await calling).body.error.code).toBe('TOOL_CHANGED');
});

test('a new name and description are shown on every face, and the pin keeps the original [N9]', async () => {
  const before = (await api.get('/api/tools/mcp_s_add')).body;
  const { body } = await override('mcp_s_add', { name: 'sum', title: 'Sum', description: 'Adds two numbers for you.' });
  expect(body).toMatchObject({
    name: 'mcp_s_sum',
    originalName: 'add',
    description: 'Adds two numbers for you.',
    definitionHash: before.definitionHash,
    override: { name: 'sum', title: 'Sum', description: 'Adds two numbers for you.' },
    original: { description: before.description },
  });
  const pin = await api.toolbox.approvals.pins();
  expect(pin.find(({ tool }) => tool === 'add')).toMatchObject({
    hash: before.definitionHash,
    definition: { name: 'add', description: before.description },
  });
  const listed = async (profile: string) => {
    await using client = await connectMcp(`${api.url}/mcp/${profile}`, 'modern');
    return (await client.client.listTools()).tools.find(
      ({ description }) => description === 'Adds two numbers for you.',
    )?.name;
  };
  expect([await listed('default'), await listed('plain')]).toEqual(['s__sum', 'sum']);
  // The former name still calls the same tool, and trust follows the tool, not the name.
  for (const name of ['mcp_s_sum', 'mcp_s_add', 's__add'])
    expect((await api.post(`/api/tools/${name}/call`, { arguments: { a: 1, b: 2 } })).body.text).toBe('3');
  expect((await api.get('/api/calls?limit=1')).body.calls[0]).toMatchObject({ originalName: 'add', server: 's' });
});

test('a name that belongs to another tool is refused with a remedy', async () => {
  const own = await override('mcp_s_echo', { name: 'sum' });
  expect(own.body.error).toMatchObject({
    code: 'CONFLICT',
    message: "The name 'sum' belongs to tool 'add' of server 's': choose another name, or rename that tool first",
  });
  // The former name stays reserved as well.
  const former = await override('mcp_s_echo', { name: 'add' });
  expect(former.body.error.message).toBe("The name 'add' belongs to tool 'add' of server 's': choose another name");
  const long = await override('mcp_s_echo', { name: 'x'.repeat(60) });
  expect(long.body.error).toMatchObject({ code: 'CONFIG_INVALID', message: expect.stringContaining('too long') });
  expect((await override('mcp_s_echo', { name: 'with space' })).status).toBe(400);
  expect(await names()).toContain('mcp_s_echo');
});

test('a deny pattern keeps denying a renamed tool under its old and its new name', async () => {
  await override('mcp_other_add', { name: 'harmless' });
  for (const name of ['mcp_other_harmless', 'mcp_other_add'])
    expect((await api.post(`/api/tools/${name}/call`, { arguments: { a: 1, b: 2 } })).body.error.code).toBe(
      'CALL_DENIED',
    );
});

test("an override is removed by an empty one, and the server's own texts return", async () => {
  const { body } = await override('mcp_s_sum', {});
  expect(body.name).toBe('mcp_s_add');
  expect([body.override, body.original]).toEqual([undefined, undefined]);
  expect(await api.storage.toolOverrides.list()).toMatchObject([
    { server: 'other', tool: 'echo', enabled: false },
    { server: 'other', tool: 'add', name: 'harmless' },
  ]);
});

test('a renamed server keeps its switches, and a removed one loses them', async () => {
  await using stored = await startApi({ servers: {} });
  const admin = { key: stored.adminToken };
  const server = { transport: 'stdio', ...fixture('legacy') };
  await stored.post('/api/servers', { name: 'a', ...server }, admin);
  await stored.post('/api/tools/switch', { enabled: false, tools: [{ server: 'a', tool: 'echo' }] }, admin);
  await stored.put('/api/servers/a', { name: 'b', ...server }, admin);
  const off = async () => (await stored.get('/api/tools?disabled=true')).body.tools;
  await waitFor(async () => (await off()).some(({ name }: { name: string }) => name === 'mcp_b_echo'));
  await waitFor(async () => (await stored.storage.toolOverrides.list()).length === 1);
  await stored.delete('/api/servers/b', admin);
  await waitFor(async () => (await stored.storage.toolOverrides.list()).length === 0);
});

test('the REST API takes the names that clients of MCP see [N5]', async () => {
  expect((await api.get('/api/tools/s__pid')).body).toMatchObject({ name: 'mcp_s_pid' });
  const called = await api.post('/api/tools/s__add/call', { arguments: { a: 2, b: 3 } });
  expect(called.body).toMatchObject({ text: '5' });
  expect((await api.post('/api/tools/other__add/call', { arguments: { a: 2, b: 3 } })).status).toBe(403);
  expect((await api.get('/api/tools/s__nothing')).status).toBe(404);
});
