import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApi, type TestApi } from '../support/api.ts';
import { startHttp } from '../support/fixtures.ts';
import { serveHttpApi } from '../support/serve-http-api.ts';
import { openToolbox } from '../support/toolbox.ts';
import { patienceMs } from '../support/wait-for.ts';
import { startHostile } from './hostile-server.ts';

// SSRF through MCP gateways: CVE-2025-65513 and others sent requests to the gateway's private network for anyone who supplied an address.

const inside = [
  'http://127.0.0.1:9/mcp',
  'http://localhost:9/mcp',
  'http://a.localhost:9/mcp',
  'http://127.1:9/mcp',
  'http://2130706433:9/mcp',
  'http://0x7f000001:9/mcp',
  'http://0177.0.0.1:9/mcp',
  'http://[::1]:9/mcp',
  'http://[::ffff:127.0.0.1]:9/mcp',
  'http://0.0.0.0:9/mcp',
  'https://10.0.0.1/mcp',
  'https://172.16.5.4/mcp',
  'https://192.168.0.1/mcp',
  'https://100.64.0.1/mcp',
  'https://169.254.169.254/latest/meta-data/',
  'https://[fe80::1]/mcp',
  'https://[fd00:ec2::254]/mcp',
  'https://[64:ff9b::a9fe:a9fe]/mcp',
  'https://224.0.0.1/mcp',
  'https://100.100.100.200/latest/meta-data/',
];

describe('SSRF through server URLs, OAuth metadata, redirects and custom endpoints', () => {
  let api: TestApi;
  let key: string;
  beforeAll(async () => {
    api = await startApi({ servers: {}, gateway: { allowPrivateAddresses: false } });
    key = api.adminToken;
  });
  afterAll(() => api.close());

  test.each(inside)('a server at %s is neither added nor contacted, even with allowInsecure', async (url) => {
    const server = { name: 'inside', transport: 'http', url, allowInsecure: true, retryAttempts: 0 };
    const added = await api.post('/api/servers', server, { key });
    expect({ status: added.status, code: added.body.error.code }).toEqual({ status: 403, code: 'FORBIDDEN' });
    expect(added.body.error.message).toContain('gateway.allowPrivateAddresses is off');
    expect((await api.post('/api/servers/test', server, { key })).status).toBe(403);
    expect(api.toolbox.servers.get('inside')).toBeUndefined();
  });

  test.each(inside)('an API at %s, or with its document there, is neither added nor contacted', async (place) => {
    const outside = 'https://api.example.com';
    const common = { name: 'inside', transport: 'api', allowInsecure: true, retryAttempts: 0 };
    const endpoints = [{ name: 'go', path: '/go' }];
    for (const server of [
      { ...common, url: place, endpoints },
      { ...common, url: outside, openapi: place },
    ]) {
      expect((await api.post('/api/servers', server, { key })).status).toBe(403);
      expect((await api.post('/api/servers/test', server, { key })).status).toBe(403);
    }
    expect(api.toolbox.servers.get('inside')).toBeUndefined();
  });

  test('arguments of an API call cannot leave the base path', async () => {
    await using served = await serveHttpApi();
    await using toolbox = await openToolbox({
      servers: { a: { url: `${served.url}/v1`, endpoints: [{ name: 'go', path: '/files/{name}' }] } },
    });
    for (const name of [
      '..',
      '../../admin',
      '%2e%2e/%2e%2e',
      '..%2f..%2fadmin',
      'a\\..\\b',
      '//evil.example/',
      '?x=1',
      '#x',
      '\r\nHost: evil',
    ])
      await toolbox.call('mcp_a_go', { name });
    // The others are not sent at all.
    expect(served.requests).toHaveLength(4);
    for (const { path, headers } of served.requests) {
      expect(path).toMatch(/^\/v1\/files\/[^/?#]+$/);
      expect(headers.host).toBe(new URL(served.url).host);
    }
  });

  test.each(inside.slice(0, 5))('a model provider at %s is neither added nor contacted', async (baseUrl) => {
    const provider = { name: 'Inside', kind: 'openai-compatible', baseUrl, allowInsecure: true };
    expect((await api.post('/api/providers', provider, { key })).status).toBe(403);
    expect((await api.post('/api/providers/test', provider, { key })).status).toBe(403);
  });

  test('a stored server cannot be moved to a private address', async () => {
    const server = {
      name: 'mover',
      transport: 'http',
      url: 'https://203.0.113.7.invalid/mcp',
      retryAttempts: 0,
      enabled: false,
    };
    expect((await api.post('/api/servers', server, { key })).status).toBe(201);
    const moved = await api.put('/api/servers/mover', { ...server, url: 'http://127.0.0.1:9/mcp' }, { key });
    expect(moved.status).toBe(403);
  });

  test('servers stored with a private address are not contacted once the setting is off', async () => {
    await using victim = await startHostile();
    const { storage } = api;
    const now = new Date().toISOString();
    await storage.servers.put({
      id: crypto.randomUUID(),
      name: 'before',
      transport: 'http',
      url: victim.url,
      headers: {},
      authentication: { type: 'none' },
      allowInsecure: false,
      timeout: patienceMs,
      retryAttempts: 0,
      enabled: true,
      createdAt: now,
      updatedAt: now,
    } as never);
    await using second = await startApi({ servers: {}, gateway: { allowPrivateAddresses: false } }, { storage });
    const { status, body } = await second.post('/api/servers/before/connect', undefined, { key: second.adminToken });
    expect({ status, code: body.error.code }).toEqual({ status: 502, code: 'SERVER_UNREACHABLE' });
    expect(body.error.message).toContain('an address of this machine');
    expect(victim.seen).toEqual([]);
  });

  test('servers in the configuration file may have private addresses', async () => {
    await using server = await startHttp('legacy-http');
    await using own = await startApi({
      servers: { inside: { url: server.url } },
      gateway: { allowPrivateAddresses: false },
    });
    await own.toolbox.servers.connect('inside');
    expect(own.toolbox.servers.get('inside')?.status.state).toBe('connected');
  });

  test('only a gateway on loopback accepts servers with private addresses by default', async () => {
    await using victim = await startHostile();
    const server = { name: 'here', transport: 'http', url: victim.url, retryAttempts: 0 };
    await using local = await startApi({ servers: {} });
    expect((await local.post('/api/servers', server)).status).toBe(201);
    const before = victim.seen.length;
    await using wide = await startApi({ servers: {}, gateway: { allowedHosts: ['127.0.0.1'] } }, { host: '0.0.0.0' });
    const address = wide.url.replace('0.0.0.0', '127.0.0.1');
    const response = await fetch(`${address}/api/servers`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${wide.adminToken}` },
      body: JSON.stringify(server),
    });
    expect(response.status).toBe(403);
    expect(victim.seen.length).toBe(before);
  });

  test.each([301, 302, 303, 307, 308])('a redirect (%i) to another origin is not followed', async (status) => {
    await using inner = await startHostile();
    await using outer = await startHostile({
      intercept: (_, response) => {
        response.writeHead(status, { location: inner.url }).end();
        return true;
      },
    });
    await using local = await startApi({ servers: {} });
    const server = { name: 'turning', transport: 'auto', url: outer.url, retryAttempts: 0, timeout: patienceMs };
    const { body } = await local.post('/api/servers/test', server);
    expect(body.ok).toBe(false);
    expect(outer.seen.length).toBeGreaterThan(0);
    expect(inner.seen).toEqual([]);
  });

  test('no message is sent to another origin that an SSE server names', async () => {
    await using inner = await startHostile();
    await using outer = await startHostile({
      intercept: ({ method }, response) => {
        if (method !== 'GET') return false;
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(`event: endpoint\ndata: ${inner.url}\n\n`);
        return true;
      },
    });
    await using local = await startApi({ servers: {} });
    const server = {
      name: 'pointing',
      transport: 'sse',
      url: outer.url,
      retryAttempts: 0,
      timeout: 2_000,
      headers: { 'x-key': 'k' },
    };
    const { body } = await local.post('/api/servers/test', server);
    expect(body.ok).toBe(false);
    expect(inner.seen).toEqual([]);
  });

  test('no OAuth metadata is fetched for a server whose address is rejected', async () => {
    await using victim = await startHostile();
    const server = {
      name: 'oauth',
      transport: 'http',
      url: `${victim.origin}/x`,
      authentication: { type: 'oauth' },
      retryAttempts: 0,
    };
    expect((await api.post('/api/servers/test', server, { key })).status).toBe(403);
    expect(victim.seen).toEqual([]);
  });

  test.each(['https://169.254.169.254', 'https://[fd00:ec2::254]', 'https://[fe80::1]'])(
    'an authorization server at %s is not contacted, even for a server in the configuration file',
    async (issuer) => {
      await using server = await startHostile({
        intercept: ({ method, path, headers }, response) => {
          const origin = `http://${headers.host}`;
          if (path.startsWith('/.well-known/oauth-protected-resource')) {
            response.setHeader('content-type', 'application/json');
            response.end(JSON.stringify({ resource: `${origin}/mcp`, authorization_servers: [issuer] }));
            return true;
          }
          if (method === 'GET') return false;
          const challenge = `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`;
          response.writeHead(401, { 'www-authenticate': challenge }).end();
          return true;
        },
      });
      const spec = { url: server.url, authentication: { type: 'oauth' } } as const;
      await using local = await startApi({ servers: { file: spec } });
      const failed = await local.post('/api/servers/file/connect');
      expect(failed.body.error.message).toContain('a link-local address');
      const added = { name: 'added', transport: 'http', ...spec, retryAttempts: 0 };
      const { body } = await local.post('/api/servers/test', added);
      expect(JSON.stringify(body.problems)).toContain('a link-local address');
      expect(server.seen.some(({ path }) => path.startsWith('/.well-known/'))).toBe(true);
    },
  );
});
