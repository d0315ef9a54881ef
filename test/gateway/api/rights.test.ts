import { request as httpRequest } from 'node:http';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Permission, permissionsOf } from '../../../packages/contract/rights.ts';
import { createAuthenticate } from '../../../packages/gateway/core/auth/authenticate.ts';
import { openGateway } from '../../../packages/gateway/core/gateway.ts';
import { openStorage } from '../../../packages/gateway/core/storage/open-storage.ts';
import { allRoutes } from '../../../packages/gateway/features/all-routes.ts';
import { features } from '../../../packages/gateway/features/index.ts';
import { silentLog } from '../../../packages/toolwharf/kernel/log.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { fixture } from '../../support/fixtures.ts';

const config = {
  servers: { files: fixture('legacy'), other: fixture('modern') },
  profiles: { narrow: { servers: ['files'], allow: ['files/echo', 'files/add'], deny: ['files/add'] } },
};

let api: TestApi;
let locked: TestApi;
let keys: Readonly<Record<string, string>>;

beforeAll(async () => {
  api = await startApi(config);
  locked = await startApi({ ...config, gateway: { requireAuthentication: true } });
  keys = { read: await locked.key(['read']), call: await locked.key(['call']) };
});
afterAll(() => Promise.all([api.close(), locked.close()]));

/** One path of each route, with parameters that match nothing. */
const addresses = allRoutes
  .filter(({ right }) => right !== 'public')
  .map(({ operationId, method, path, right, streams }) => ({
    operationId,
    right,
    streams,
    method: method.toUpperCase(),
    path: path.replaceAll(/\{\w+\}/g, 'none'),
  }));

describe('the route', () => {
  test.each(addresses)('$operationId accepts only callers with the right $right', async (address) => {
    const { method, path, right, streams } = address;
    for (const [set, key] of Object.entries(keys)) {
      const isAllowed = permissionsOf([set]).has(right as Permission);
      if (streams && isAllowed) continue;
      const { status, body } = await locked.request(method, path, { key });
      if (isAllowed) expect([401, 403]).not.toContain(status);
      else expect({ status, code: body.error.code }).toEqual({ status: 403, code: 'FORBIDDEN' });
    }
    const anonymous = await locked.request(method, path);
    expect({ status: anonymous.status, code: anonymous.body.error.code }).toEqual({
      status: 401,
      code: 'UNAUTHORIZED',
    });
    expect(anonymous.headers.get('www-authenticate')).toBe('Bearer realm="toolwharf"');
  });
});

describe('a caller', () => {
  test('a caller on this machine without a key has all rights', async () => {
    expect((await api.get('/api/session')).body).toMatchObject({
      via: 'loopback',
      caller: { id: 'local' },
      permissions: expect.arrayContaining(['tools.read', 'tools.call', 'keys.write']),
    });
    expect((await api.get('/api/keys')).status).toBe(200);
    expect((await api.post('/api/tools/mcp_files_echo/call', { arguments: { text: 'x' } })).status).toBe(200);
  });

  test('a caller without a credential cannot create administrators', async () => {
    const made = await api.post('/api/keys', { name: 'boss', rights: ['admin'] });
    expect(made).toMatchObject({ status: 403, body: { error: { code: 'FORBIDDEN' } } });
  });

  test('a caller behind a proxy on this machine is not treated as local', async () => {
    for (const name of ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip'])
      expect((await api.get('/api/servers', { headers: { [name]: '203.0.113.9' } })).status).toBe(401);
  });

  test('a caller on this machine has no rights where authentication is required', async () => {
    expect((await locked.get('/api/session')).body).toEqual({
      authenticated: false,
      permissions: [],
      mayAddPrograms: false,
      showsApps: false,
    });
    expect((await locked.get('/api/servers')).status).toBe(401);
    expect((await locked.post('/api/session')).status).toBe(401);
    expect((await locked.get('/api/servers', { key: locked.adminToken })).status).toBe(200);
  });

  test('a caller with a wrong key is rejected, even where no key is needed', async () => {
    for (const key of ['tw_wrong', `tw_${'a'.repeat(43)}`, 'a.b.c', `${api.adminToken}x`]) {
      const { status, headers } = await api.get('/api/servers', { key });
      expect(status).toBe(401);
      expect(headers.get('www-authenticate')).toContain('error="invalid_token"');
    }
    expect((await api.get('/api/servers', { headers: { authorization: 'Basic YTpi' } })).status).toBe(401);
  });

  test('a caller with a revoked key is rejected at once on every endpoint', async () => {
    const key = await api.key(['read', 'call']);
    expect((await api.get('/api/tools', { key })).status).toBe(200);
    const { keys } = (await api.get('/api/keys')).body;
    await api.delete(`/api/keys/${keys.at(-1).id}`);
    expect((await api.get('/api/tools', { key })).status).toBe(401);
    const mcp = await fetch(`${api.url}/mcp`, { method: 'POST', headers: { authorization: `Bearer ${key}` } });
    expect(mcp.status).toBe(401);
  });

  test('a caller with a key updates the last use of that key', async () => {
    const key = await api.key(['read']);
    await api.get('/api/tools', { key });
    expect((await api.get('/api/keys')).body.keys.at(-1).lastUsedAt).toEqual(expect.any(String));
  });

  test('a caller with a key without the right to call has no access to MCP', async () => {
    const key = await api.key(['read']);
    const { status } = await fetch(`${api.url}/mcp`, { method: 'POST', headers: { authorization: `Bearer ${key}` } });
    expect(status).toBe(403);
  });
});

describe('a key with a profile', () => {
  let key = '';
  beforeAll(async () => {
    key = await api.key(['read', 'call'], 'narrow');
  });

  test('a key with a profile lists only that profile over REST', async () => {
    const names = (list: readonly { readonly name: string }[]) => list.map(({ name }) => name);
    expect(names((await api.get('/api/tools', { key })).body.tools)).toEqual(['mcp_files_echo']);
    expect(names((await api.get('/api/servers', { key })).body.servers)).toEqual(['files']);
    expect(names((await api.get('/api/profiles', { key })).body.profiles)).toEqual(['narrow']);
    expect((await api.get('/api/profiles', { key })).body.profiles[0]).not.toHaveProperty('deny');
    const [files] = (await api.get('/api/servers', { key })).body.servers;
    for (const member of ['place', 'record']) expect(files).not.toHaveProperty(member);
    expect((await api.get('/api/health', { key })).body.servers.total).toBe(1);
    expect((await api.get('/metrics', { key })).status).toBe(403);
    expect((await api.get('/readyz', { key })).body).toEqual({ ready: true });
  });

  test('a key with a profile uses only that profile over REST', async () => {
    const call = (tool: string) =>
      api.post(`/api/tools/${tool}/call`, { arguments: { text: 'x', a: 1, b: 2 } }, { key });
    expect((await call('mcp_files_echo')).status).toBe(200);
    for (const hidden of ['mcp_files_add', 'mcp_files_write', 'mcp_other_echo', 'files__add']) {
      expect(await call(hidden)).toMatchObject({ status: 404, body: { error: { code: 'TOOL_NAME_INVALID' } } });
      expect((await api.get(`/api/tools/${hidden}`, { key })).status).toBe(404);
    }
    for (const path of ['', '/tools', '/resources', '/prompts', '/resources/read?uri=memo%3A%2F%2Fone'])
      expect((await api.get(`/api/servers/other${path}`, { key })).status).toBe(404);
    expect((await api.post('/api/servers/other/prompts/greet', {}, { key })).status).toBe(404);
  });

  test.each(['legacy', 'auto'] as const)(
    'a key with a profile lists and uses only that profile over MCP (%s)',
    async (mode) => {
      const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
      const requestInit = { headers: { authorization: `Bearer ${key}` } };
      await client.connect(new StreamableHTTPClientTransport(new URL(`${api.url}/mcp`), { requestInit }));
      try {
        expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['files__echo']);
        for (const name of ['files__add', 'other__echo', 'mcp_files_add'])
          await expect(client.callTool({ name, arguments: { a: 1, b: 2, text: 'x' } })).rejects.toThrow('Unknown tool');
        const result = await client.callTool({ name: 'files__echo', arguments: { text: 'seen' } });
        expect(result.content).toEqual([{ type: 'text', text: 'seen' }]);
      } finally {
        await client.close();
      }
    },
  );

  test('a key with a profile sees only that profile in assistants', async () => {
    const remote = { transport: 'http', url: 'http://127.0.0.1:1/', enabled: false };
    const { id: stored } = (await api.post('/api/servers', { ...remote, name: 'stored' })).body;
    const path = `/api/assistants/${crypto.randomUUID()}`;
    await api.put(path, { name: 'Scribe', serverIds: ['files', 'other', stored], trustedTools: ['*_secret'] });
    const shown = await api.get(path, { key });
    expect(shown.body).toEqual({
      id: expect.any(String),
      name: 'Scribe',
      description: '',
      model: { provider: 'demo', model: 'demo' },
      maxSteps: 20,
      serverIds: ['files'],
      expose: 'all',
      toolApproval: 'always-ask',
      revision: 1,
    });
    expect((await api.get('/api/assistants', { key })).body.assistants).toContainEqual(shown.body);
    await api.delete(path);
    await api.delete('/api/servers/stored');
  });

  test('a key with a profile has no access to other profiles', async () => {
    const open = (path: string) =>
      fetch(`${api.url}${path}`, { method: 'POST', headers: { authorization: `Bearer ${key}` } });
    expect((await open('/mcp/default')).status).toBe(404);
    expect((await open('/mcp/narrow')).status).not.toBe(404);
  });
});

describe('a session of the web app', () => {
  const cookieOf = (headers: Headers) => headers.get('set-cookie')?.split(';')[0] ?? '';

  test('a session of the web app is opened with the admin token and has its rights in a cookie', async () => {
    const opened = await locked.post('/api/session', undefined, { key: locked.adminToken });
    expect(opened.headers.get('set-cookie')).toMatch(/HttpOnly; SameSite=Strict$/);
    const cookie = cookieOf(opened.headers);
    expect((await locked.get('/api/keys', { headers: { cookie } })).status).toBe(200);
    const create = (headers: Record<string, string>) =>
      locked.post('/api/keys', { name: 'x' }, { headers: { cookie, ...headers } });
    expect((await create({})).body.error).toMatchObject({ code: 'FORBIDDEN' });
    expect((await create({ origin: 'http://localhost:1' })).status).toBe(403);
    expect((await create({ origin: locked.url })).status).toBe(201);
    expect((await create({ 'x-toolwharf': '1' })).status).toBe(201);
    expect((await locked.delete('/api/session', { headers: { cookie } })).status).toBe(403);
    expect((await locked.delete('/api/session', { headers: { cookie, origin: locked.url } })).status).toBe(204);
    expect((await locked.get('/api/keys', { headers: { cookie } })).status).toBe(401);
  });

  test('a session of the web app that was opened with a key has the rights of the key and ends with it', async () => {
    const key = await locked.key(['read'], 'narrow');
    const cookie = cookieOf((await locked.post('/api/session', undefined, { key })).headers);
    const withCookie = { headers: { cookie } };
    expect((await locked.get('/api/session', withCookie)).body).toMatchObject({
      via: 'key',
      profile: 'narrow',
      permissions: [...permissionsOf(['read'])],
    });
    expect((await locked.get('/api/keys', withCookie)).status).toBe(403);
    const { keys } = (await locked.get('/api/keys', { key: locked.adminToken })).body;
    await locked.delete(`/api/keys/${keys.at(-1).id}`, { key: locked.adminToken });
    expect((await locked.get('/api/servers', withCookie)).status).toBe(401);
  });

  test('a session of the web app that was opened on this machine is not valid from another machine', async () => {
    const cookie = cookieOf((await api.post('/api/session')).headers);
    expect((await api.get('/api/session', { headers: { cookie } })).body.via).toBe('loopback');
    expect((await api.get('/api/servers', { headers: { cookie, 'x-forwarded-for': '203.0.113.9' } })).status).toBe(401);
  });

  test('a session of the web app that is forged is ignored', async () => {
    const cookie = cookieOf((await api.post('/api/session')).headers).replace(/=.*/, '=forged.session');
    expect((await api.get('/api/session', { headers: { cookie } })).body.via).toBe('loopback');
    expect((await locked.get('/api/servers', { headers: { cookie } })).status).toBe(401);
  });
});

describe('a page of another site', () => {
  /** `fetch` does not allow a custom host header. */
  const send = (method: string, path: string, headers: Record<string, string>) =>
    new Promise<number>((resolve, reject) => {
      const sent = httpRequest(new URL(path, api.url), { method, headers }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      sent.on('error', reject).end();
    });

  test('a page of another site is rejected by its origin and by its host header', async () => {
    expect(await send('GET', '/api/servers', { origin: 'https://evil.example' })).toBe(403);
    expect(await send('GET', '/api/servers', { host: 'evil.example' })).toBe(403);
    expect(await send('POST', '/mcp', { host: 'evil.example:80' })).toBe(403);
    expect(await send('GET', '/metrics', { host: 'evil.example' })).toBe(403);
    expect(await send('GET', '/api/servers', {})).toBe(200);
  });

  test('a page of another site on this machine cannot change the gateway with the cookie of its user', async () => {
    const origin = 'http://localhost:3000';
    expect(await send('POST', '/api/servers/files/disconnect', { origin })).toBe(403);
    expect(await send('POST', '/api/keys', { origin, 'content-type': 'text/plain' })).toBe(403);
    expect((await api.get('/api/servers/files')).body.status.state).toBe('connected');
  });
});

test('the listen address is accepted as a host name', async () => {
  await using elsewhere = await startApi({ servers: {} }, { host: '127.0.0.2' });
  expect(elsewhere.url).toContain('127.0.0.2');
  expect((await elsewhere.get('/api/servers')).status).toBe(200);
});

describe('an address that other machines can reach', () => {
  const open = async (host: string, options: object = {}) =>
    openGateway(
      { servers: {} },
      {
        storage: await openStorage({ kind: 'memory' }),
        log: silentLog,
        sessionKey: Buffer.alloc(32),
        host,
        port: 0,
        createAuthenticate,
        features,
        ...options,
      },
    );

  test('an address that other machines can reach is not opened without authentication', async () => {
    await expect(open('0.0.0.0')).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });

  test('always needs authentication, also from this machine', async () => {
    const adminToken = `twadmin_${'a'.repeat(43)}`;
    await using gateway = await open('0.0.0.0', { adminToken });
    const url = `http://127.0.0.1:${new URL(gateway.url).port}/api/servers`;
    expect((await fetch(url)).status).toBe(401);
    expect((await fetch(url, { headers: { authorization: `Bearer ${adminToken}` } })).status).toBe(200);
  });
});
