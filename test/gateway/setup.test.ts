import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientIds } from '../../packages/gateway/core/clients/mcp-clients.ts';
import { startApi, type TestApi, unasked } from '../support/api.ts';
import { fixture } from '../support/fixtures.ts';
import { waitFor } from '../support/wait-for.ts';

let api: TestApi;

beforeAll(async () => {
  process.env.TOOLWHARF_TEST_SECRET = 'of the gateway';
  api = await startApi(
    {
      servers: { shifting: fixture('changing') },
      toolbox: { approval: { mode: 'auto' } },
      profiles: { team: { servers: ['shifting'] } },
    },
    {
      adminTokenFile: '/data/admin-token',
      stdioProgram: { command: '/bin/node', args: ['/app/main.js', 'stdio'] },
    },
  );
});
afterAll(async () => {
  delete process.env.TOOLWHARF_TEST_SECRET;
  await api.close();
});

describe('a pasted configuration', () => {
  const read = async (text: string) => (await api.post('/api/servers/import', { text })).body;

  test('a pasted configuration of another client becomes servers that can be added', async () => {
    const text = `{
      // from Claude Desktop
      "mcpServers": {
        "files": { "command": "npx", "args": ["-y", "server-files", "/tmp"], "env": { "TOKEN": "abc" } },
        "far": { "url": "https://example.com/mcp", "headers": { "X-Key": "k" } },
      }
    }`;
    const { servers, problems } = await read(text);
    expect(problems).toEqual([]);
    expect(servers).toMatchObject([
      {
        name: 'files',
        transport: 'stdio',
        command: 'npx',
        args: ['-y', 'server-files', '/tmp'],
        env: { TOKEN: 'abc' },
      },
      { name: 'far', url: 'https://example.com/mcp', headers: { 'X-Key': 'k' } },
    ]);
    const added = await api.post('/api/servers', { ...servers[1], enabled: false });
    expect(added).toMatchObject({ status: 201, body: { name: 'far', source: 'store' } });
    expect((await api.get('/api/servers')).body.servers.map(({ name }: { name: string }) => name)).toContain('far');
    await api.delete('/api/servers/far');
  });

  test.each([
    ['VS Code', '{"servers": {"a": {"type": "stdio", "command": "x"}}, "inputs": []}'],
    ['YAML of our own', 'servers:\n  a:\n    command: x\n'],
    ['squidbot', 'tools:\n  mcp_servers:\n    a:\n      command: x\n'],
    ['only the entries', '"a": { "command": "x" }'],
    ['Windsurf', '{"mcpServers": {"a": {"serverUrl": "https://example.com/mcp"}}}'],
  ])('a pasted configuration is understood: %s', async (_kind, text) => {
    expect(await read(text)).toMatchObject({ servers: [{ name: 'a' }] });
  });

  test('a pasted configuration with one invalid server returns the others and the error', async () => {
    const { servers, problems } = await read('{"mcpServers": {"good": {"command": "x"}, "bad": {"command": 7}}}');
    expect(servers).toMatchObject([{ name: 'good' }]);
    expect(problems).toMatchObject([{ name: 'bad', message: expect.stringContaining('command') }]);
  });

  test('a pasted configuration retains its variables and shows where a value is needed', async () => {
    const env = { TOKEN: '${TOOLWHARF_TEST_SECRET}' };
    const { servers, problems } = await read(JSON.stringify({ mcpServers: { a: { command: 'x', env } } }));
    expect(servers).toMatchObject([{ env }]);
    expect(problems).toMatchObject([{ name: 'a', message: expect.stringContaining('env.TOKEN') }]);
    const url = 'https://example.com/${TOOLWHARF_TEST_SECRET}/mcp';
    const far = await read(JSON.stringify({ mcpServers: { a: { url } } }));
    expect(JSON.stringify(far)).not.toContain('of the gateway');
  });

  test('a pasted configuration retains every key of a server', async () => {
    const { servers, problems } = await read('servers:\n  a:\n    command: x\n    trusted: true\n');
    expect(problems).toEqual([]);
    expect(servers).toMatchObject([{ name: 'a', command: 'x', trusted: true }]);
  });

  test.each(['{"mcpServers": {', 'hello', '[1, 2]', '{}', '{"mcpServers": {}}', '{"mcpServers": 5}'])(
    'a pasted configuration that is invalid is rejected with a reason: %s',
    async (text) => {
      const { servers, problems } = await read(text);
      expect(servers).toEqual([]);
      expect(problems.length).toBeGreaterThan(0);
    },
  );

  test('an entry that was copied without the braces around it and with a trailing comma becomes a server', async () => {
    const { servers, problems } = await read(`
      "weather": { "url": "https://example.com/mcp" },
      "say \\"hi\\"": { "url": "https://example.org/mcp" },
    `);
    expect(problems).toEqual([]);
    expect(servers).toMatchObject([{ name: 'weather', url: 'https://example.com/mcp' }, { name: 'say "hi"' }]);
  });

  test('a pasted configuration is accepted only from callers who may add servers', async () => {
    const key = await api.key(['read', 'call']);
    expect((await api.post('/api/servers/import', { text: '{}' }, { key })).status).toBe(403);
  });
});

describe('the instructions for a known client', () => {
  interface Client {
    readonly id: string;
    readonly file?: string;
    readonly snippet: string;
    readonly language: string;
    readonly installLink?: string;
  }

  test('the instructions for a known client contain the gateway in the format of the client', async () => {
    const { clients } = (await api.get('/api/clients')).body as { clients: Client[] };
    expect(clients.map(({ id }) => id)).toEqual(clientIds);
    const isJson = ({ language }: Client) => language === 'json';
    const snippets = new Map(clients.filter(isJson).map(({ id, snippet }) => [id, JSON.parse(snippet)]));
    expect(clients.find(({ id }) => id === 'codex')).toMatchObject({ language: 'toml' });
    expect(clients.find(({ id }) => id === 'cursor')?.installLink).toMatch(/^cursor:/);
    const url = `${api.url}/mcp`;
    expect(snippets.get('claude-code')).toEqual({ mcpServers: { toolwharf: { type: 'http', url } } });
    expect(snippets.get('vscode')).toEqual({ servers: { toolwharf: { type: 'http', url } } });
    expect(snippets.get('windsurf')).toEqual({ mcpServers: { toolwharf: { serverUrl: url } } });
    expect(snippets.get('claude-desktop')).toEqual({
      mcpServers: { toolwharf: { command: '/bin/node', args: ['/app/main.js', 'stdio'] } },
    });
    expect(clients[0]?.file).toContain('.claude.json');
  });

  test('the instructions for a known client name a profile, and contain no local paths for remote callers', async () => {
    const key = await api.key(['read'], 'team');
    const { clients } = (await api.get('/api/clients?profile=team', { key })).body as { clients: Client[] };
    expect(clients.every(({ file }) => file === undefined)).toBe(true);
    expect(JSON.parse(clients[0]?.snippet ?? '')).toEqual({
      mcpServers: { 'toolwharf-team': { type: 'http', url: `${api.url}/mcp/team` } },
    });
    expect(JSON.parse(clients[1]?.snippet ?? '')).toEqual({
      mcpServers: { 'toolwharf-team': { command: 'toolwharf', args: ['stdio', '--profile', 'team'] } },
    });
    expect((await api.get('/api/clients', { key })).status).toBe(404);
    expect((await api.get('/api/clients?profile=none')).status).toBe(404);
  });

  test('the instructions for a known client contain a key if the gateway requires one', async () => {
    await using locked = await startApi({ servers: {}, gateway: { requireAuthentication: true } });
    const { body } = await locked.get('/api/clients', { key: locked.adminToken });
    const { clients } = body as { clients: Client[] };
    expect(body).toMatchObject({ url: `${locked.url}/mcp`, authentication: 'key' });
    expect(clients.some(({ installLink }) => installLink)).toBe(false);
    const headers = { Authorization: 'Bearer KEY' };
    expect(JSON.parse(clients[2]?.snippet ?? '')).toMatchObject({ mcpServers: { toolwharf: { headers } } });
    expect(JSON.stringify(clients)).not.toContain(locked.adminToken);
  });
});

describe('the session response', () => {
  test('the session response contains the path of the admin token on this machine only', async () => {
    expect((await api.get('/api/session')).body.tokenFile).toBe('/data/admin-token');
    expect((await api.get('/api/session', { key: api.adminToken })).body.tokenFile).toBeUndefined();
    const key = await api.key(['read']);
    expect((await api.get('/api/session', { key })).body.tokenFile).toBeUndefined();
    const away = await api.get('/api/session', { headers: { 'x-forwarded-for': '203.0.113.9' } });
    expect(away.body).toEqual({ authenticated: false, permissions: [], mayAddPrograms: false, showsApps: false });
  });
});

describe('a rejected definition change', () => {
  const target = () => api.get('/api/tools/mcp_shifting_target').then(({ body }) => body);
  const use = () => api.post('/api/tools/mcp_shifting_target/call', { arguments: { a: '1', b: '2' } });

  async function change() {
    const before = await target();
    await api.post('/api/tools/mcp_shifting_mutate/call', {});
    return waitFor(async () => {
      const now = await target();
      return now.definitionHash !== before.definitionHash && now;
    });
  }

  test('a rejected definition change denies the tool, also after later changes, until one is accepted', async () => {
    await waitFor(async () => (await api.get('/api/servers/shifting')).body.status.state === 'connected');
    const stale = (await target()).definitionHash;
    expect((await api.post('/api/tools/mcp_shifting_target/reject', { definitionHash: stale })).status).toBe(409);
    const changed = await change();
    expect(changed).toMatchObject({ changed: 'ask' });
    expect((await api.post('/api/tools/mcp_shifting_target/reject', { definitionHash: stale })).status).toBe(409);
    const { definitionHash } = changed;
    const rejected = await api.post('/api/tools/mcp_shifting_target/reject', { definitionHash });
    expect(rejected.body).toMatchObject({ changed: 'ask', rejected: true });
    await api.post('/api/tools/mcp_shifting_target/reject', { definitionHash });
    expect((await api.get('/api/rules')).body.rules).toMatchObject([
      { scope: 'tool', answer: 'deny', tool: 'target', definitionHash },
    ]);
    expect((await use()).body.error).toMatchObject({ code: 'CALL_DENIED' });

    const later = await change();
    expect(later).toMatchObject({ rejected: true });
    expect((await use()).body.error.code).toBe('CALL_DENIED');
    const accept = { definitionHash: later.definitionHash };
    const accepted = await api.post('/api/tools/mcp_shifting_target/accept', accept);
    expect(accepted.body.changed).toBeUndefined();
    expect(accepted.body.rejected).toBeUndefined();
    expect((await api.get('/api/rules')).body.rules).toEqual([]);
    expect((await use()).body.text).toContain('version 3');
  });

  test('a rejected definition change does not affect a rule that denies the tool', async () => {
    const { definitionHash } = await target();
    const createdAt = new Date().toISOString();
    const { serverAddress } = (await api.toolbox.approvals.pins()).find(({ tool }) => tool === 'target') ?? {};
    const rule = { id: randomBytes(8).toString('hex'), scope: 'tool', answer: 'deny', tool: 'target' } as const;
    await api.storage.rules.add({ ...rule, serverAddress, definitionHash, createdAt });
    for (let round = 0; round < 2; round++) {
      const changed = await change();
      await api.post('/api/tools/mcp_shifting_target/reject', { definitionHash: changed.definitionHash });
      await api.post('/api/tools/mcp_shifting_target/accept', { definitionHash: changed.definitionHash });
      expect((await api.get('/api/rules')).body.rules).toMatchObject([{ id: rule.id }]);
    }
    expect((await use()).body.error.code).toBe('CALL_DENIED');
    await api.storage.rules.remove(rule.id);
  });
});

test('every route of these groups was called', () => {
  const own = new Set(['importServers', 'listClients', 'rejectToolChange']);
  expect(unasked(({ operationId }) => own.has(operationId))).toEqual([]);
});
