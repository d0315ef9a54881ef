import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRegistry } from '../../packages/gateway/features/registry/registry.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { fixture } from '../support/fixtures.ts';
import { connectClient } from '../support/open-gateway.ts';

let api: TestApi;
let open: TestApi;
const config = (publishServers: boolean) => ({
  servers: {
    files: { ...fixture('legacy'), env: { TOKEN: 'server-SECRET' }, description: 'Files of the team' },
    'web search': fixture('legacy'),
    off: { ...fixture('legacy'), enabled: false },
  },
  profiles: { readers: { servers: ['files'] } },
  gateway: { publishServers },
});
beforeAll(async () => {
  [api, open] = await Promise.all([
    startApi({ ...config(false), gateway: { requireAuthentication: true } }),
    startApi(config(true)),
  ]);
});
afterAll(() => Promise.all([api?.close(), open?.close()]));

const namesOf = (body: { servers: readonly { server: { name: string } }[] }) =>
  body.servers.map(({ server }) => server.name);

describe('the registry of the gateway', () => {
  test('the registry lists the servers that are on and that the profile shows, without their secrets', async () => {
    const all = await open.get('/v0.1/servers');
    expect(namesOf(all.body)).toEqual(['1.0.0.127/files', '1.0.0.127/web-search']);
    expect(all.body.servers[0]).toMatchObject({
      server: {
        title: 'files',
        description: 'Files of the team',
        version: expect.any(String),
        remotes: [{ type: 'streamable-http', url: `${open.url}/mcp/default?server=files` }],
      },
      _meta: { 'io.modelcontextprotocol.registry/official': { status: 'active', isLatest: true } },
    });
    const readers = await open.get('/mcp/readers/registry/v0.1/servers');
    expect(namesOf(readers.body)).toEqual(['1.0.0.127/files']);
    expect(open.answers.join()).not.toContain('SECRET');
    expect(open.answers.join()).not.toContain('legacy.mjs');
  });

  test('the registry has pages, search and versions, and the own search of Toolwharf reads it', async () => {
    const first = await open.get('/v0.1/servers?limit=1');
    expect(first.body.metadata).toEqual({ count: 1, nextCursor: '1.0.0.127/files' });
    const second = await open.get(`/v0.1/servers?limit=1&cursor=${encodeURIComponent(first.body.metadata.nextCursor)}`);
    expect(namesOf(second.body)).toEqual(['1.0.0.127/web-search']);
    expect(second.body.metadata.nextCursor).toBeUndefined();
    expect(namesOf((await open.get('/v0.1/servers?search=SEARCH')).body)).toEqual(['1.0.0.127/web-search']);
    expect(namesOf((await open.get('/v0.1/servers?updated_since=2999-01-01T00:00:00Z')).body)).toEqual([]);
    expect((await open.get('/v0.1/servers?limit=x')).status).toBe(400);
    const id = encodeURIComponent('1.0.0.127/files');
    const { body } = await open.get(`/v0.1/servers/${id}/versions/latest`);
    expect((await open.get(`/v0.1/servers/${id}/versions/${body.server.version}`)).body).toEqual(body);
    expect((await open.get(`/v0.1/servers/${id}/versions`)).body.servers).toEqual([body]);
    expect((await open.get(`/v0.1/servers/${id}/versions/0.0.1`)).status).toBe(404);
    expect((await open.get(`/v0.1/servers/${encodeURIComponent('1.0.0.127/off')}/versions/latest`)).status).toBe(404);
    const registry = createRegistry(open.url);
    const page = await registry.search({ limit: 10, signal: AbortSignal.timeout(120_000) });
    expect(page.servers.map(({ installOptions }) => installOptions[0]?.kind)).toEqual(['address', 'address']);
    await registry.close();
  });

  test('editors of any origin can read it, with the headers of CORS, and nothing else of the gateway', async () => {
    const headers = { origin: 'vscode-file://vscode-app' };
    const expected = { origin: '*', methods: 'GET, OPTIONS', allowed: 'Authorization, Content-Type' };
    for (const method of ['GET', 'OPTIONS']) {
      const { status, headers: sent } = await open.request(method, '/v0.1/servers', { headers });
      expect(status).toBe(method === 'GET' ? 200 : 204);
      expect({
        origin: sent.get('access-control-allow-origin'),
        methods: sent.get('access-control-allow-methods'),
        allowed: sent.get('access-control-allow-headers'),
      }).toEqual(expected);
    }
    expect((await open.get('/api/servers', { headers })).status).toBe(403);
    expect((await open.request('POST', '/v0.1/servers', { headers })).status).toBe(403);
  });

  test('without publishServers it needs a key, and shows the profile of the key only', async () => {
    expect((await api.get('/v0.1/servers')).status).toBe(401);
    const key = await api.key(['read'], 'readers');
    expect(namesOf((await api.get('/v0.1/servers', { key })).body)).toEqual(['1.0.0.127/files']);
    expect((await api.get('/mcp/default/registry/v0.1/servers', { key })).status).toBe(404);
    // A page of another origin does not read with the identity of the visitor.
    expect((await api.get('/v0.1/servers', { headers: { origin: 'https://evil.example' } })).status).toBe(401);
    expect((await open.get('/.well-known/mcp/server-card.json')).body).toContain('"url":"');
    const card = await fetch(`${api.url}/.well-known/mcp/server-card.json`);
    expect(card.headers.get('content-type')).toBe('application/mcp-server-card+json');
    expect(await card.json()).toMatchObject({ remotes: [{ type: 'streamable-http', url: `${api.url}/mcp` }] });
  });
});

describe('the endpoint of one server', () => {
  test('the endpoint of an entry has the tools of that server only, and others do not exist there', async () => {
    await using client = await connectClient(`${open.url}/mcp/default?server=files`);
    const names = await client.names();
    expect(names.length).toBeGreaterThan(0);
    await using whole = await connectClient(`${open.url}/mcp/default`);
    const all = await whole.names();
    expect(all.length).toBe(2 * names.length);
    const [other] = all.filter((name) => !names.includes(name));
    await expect(client.client.callTool({ name: String(other), arguments: {} })).rejects.toThrow();
    // Both endpoints keep their lists while they alternate.
    expect(await client.names()).toEqual(names);
  });

  test('a server that the profile does not show has no endpoint', async () => {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    for (const path of ['/mcp/readers?server=web+search', '/mcp?server=unknown'])
      expect((await open.post(path, body)).status).toBe(404);
  });
});
