import { createServer } from 'node:http';
import { describe, expect, test } from 'vitest';
import { createLoopbackCallback } from '../../packages/toolwharf/connections/authentication/loopback-callback.ts';
import {
  createMemoryOAuthStore,
  oauthServerKey,
} from '../../packages/toolwharf/connections/authentication/oauth-store.ts';
import { systemClock } from '../../packages/toolwharf/kernel/clock.ts';
import {
  callEcho,
  connect,
  createBrowser,
  createTestOAuth,
  failure,
  listen,
  sharing,
  startServers,
  visit,
} from '../support/oauth.ts';
import { openToolbox } from '../support/toolbox.ts';

describe('an OAuth sign-in', () => {
  test('an OAuth sign-in discovers the authorization server, registers the client and uses PKCE [R3]', async () => {
    const servers = await startServers();
    const { oauth } = createTestOAuth(servers.mcp, { callback: createBrowser() });
    const client = await connect(servers.mcp, oauth);

    expect((await callEcho(client)).content).toEqual([{ type: 'text', text: 'echo' }]);
    const stats = await servers.stats();
    expect(stats).toMatchObject({ register: 1, authorize: 1, code: 1, refresh: 0 });
    expect(stats.scopes).toEqual(['read']);
    expect(stats.resources).toEqual([servers.mcp]);
  });

  test('an OAuth sign-in works over the SSE transport', async () => {
    const servers = await startServers();
    const { oauth } = createTestOAuth(servers.sse, { callback: createBrowser() });
    const client = await connect(servers.sse, oauth, 'sse');
    await servers.expire();

    await callEcho(client);
    expect(await servers.stats()).toMatchObject({ authorize: 1, refresh: 1, calls: 1 });
  });

  test('an OAuth sign-in is completed by a browser that returns to the loopback address', async () => {
    const servers = await startServers();
    const pages: string[] = [];
    const callback = createLoopbackCallback({
      open: async (url) => void fetch(url).then(async (response) => pages.push(await response.text())),
    });
    const { oauth } = createTestOAuth(servers.mcp, { callback });
    await callEcho(await connect(servers.mcp, oauth));

    const { redirects } = await servers.stats();
    expect(redirects[0]).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/oauth\/callback$/);
    expect(pages).toEqual([expect.stringContaining('You can close this window')]);
    await expect(fetch(redirects[0] as string)).rejects.toThrow();
  });

  test('an OAuth sign-in reuses the registration the second time, because the loopback port stays the same', async () => {
    const servers = await startServers('no-refresh');
    const callback = createLoopbackCallback({ open: async (url) => void fetch(url) });
    const { oauth } = createTestOAuth(servers.mcp, { callback });
    const client = await connect(servers.mcp, oauth);
    await callEcho(client);
    await servers.expire();
    await callEcho(client);

    const { register, redirects } = await servers.stats();
    expect(register).toBe(1);
    expect(redirects[1]).toBe(redirects[0]);
  });

  test('an OAuth sign-in uses a configured client unchanged and does not store its secret', async () => {
    const servers = await startServers('no-registration');
    const store = createMemoryOAuthStore();
    const { oauth } = createTestOAuth(servers.mcp, {
      store,
      callback: createBrowser(),
      spec: { clientId: 'ours', clientSecret: '${OURS}', scope: 'read write' },
      resolve: (value) => (value === '${OURS}' ? 'configured-SECRET' : value),
    });
    await callEcho(await connect(servers.mcp, oauth));

    const { register, clients, scopes } = await servers.stats();
    expect({ register, clients, scopes }).toEqual({ register: 0, clients: ['ours'], scopes: ['read write'] });
    const key = oauthServerKey('guarded', servers.mcp);
    const records = [await store.get(key, 'client'), await store.get(key, 'tokens'), await store.get(key, 'discovery')];
    expect(JSON.stringify(records)).not.toContain('configured-SECRET');
  });

  test('an OAuth sign-in uses a client metadata document instead of a registration if the server accepts one', async () => {
    const servers = await startServers('cimd');
    const clientMetadataUrl = 'https://client.example/toolwharf.json';
    const { oauth } = createTestOAuth(servers.mcp, { callback: createBrowser(), spec: { clientMetadataUrl } });
    await callEcho(await connect(servers.mcp, oauth));

    expect(await servers.stats()).toMatchObject({ register: 0, clients: [clientMetadataUrl] });
  });

  test('an OAuth sign-in is requested once for many connections that are rejected at the same time', async () => {
    const servers = await startServers();
    const store = createMemoryOAuthStore();
    const clients = await Promise.all(
      Array.from({ length: 10 }, () =>
        connect(servers.mcp, createTestOAuth(servers.mcp, { store, callback: createBrowser() }).oauth),
      ),
    );

    await Promise.all(clients.map(callEcho));
    expect(await servers.stats()).toMatchObject({ register: 1, authorize: 1, code: 1, calls: 10 });
  });
});

describe('an OAuth token', () => {
  test('an OAuth token is refreshed once for 50 calls after it has expired, and all of them succeed [R3]', async () => {
    const servers = await startServers();
    const { oauth } = createTestOAuth(servers.mcp, { callback: createBrowser() });
    const client = await connect(servers.mcp, oauth);
    await servers.expire();

    const results = await Promise.all(Array.from({ length: 50 }, () => callEcho(client)));
    expect(results.every((result) => result.isError !== true)).toBe(true);
    expect(await servers.stats()).toMatchObject({ refresh: 1, reuse: 0, authorize: 1, calls: 50 });
  });

  test('an OAuth token is refreshed once for two connections that share a store', async () => {
    const servers = await startServers();
    const store = createMemoryOAuthStore();
    const one = await connect(servers.mcp, createTestOAuth(servers.mcp, { store, callback: createBrowser() }).oauth);
    const two = await connect(servers.mcp, createTestOAuth(servers.mcp, { store, callback: createBrowser() }).oauth);
    await servers.expire();

    await Promise.all([one, two, one, two].map(callEcho));
    expect(await servers.stats()).toMatchObject({ refresh: 1, reuse: 0, authorize: 1 });
  });

  test('an OAuth token that another process has refreshed is read from the store', async () => {
    const servers = await startServers();
    const store = createMemoryOAuthStore();
    const ours = await connect(servers.mcp, createTestOAuth(servers.mcp, { store, callback: createBrowser() }).oauth);
    const theirs = await connect(servers.mcp, createTestOAuth(servers.mcp, { store: sharing(store) }).oauth);
    await servers.expire();

    await callEcho(theirs);
    await callEcho(ours);
    expect(await servers.stats()).toMatchObject({ refresh: 1, reuse: 0, authorize: 1, calls: 2 });
  });

  test('an OAuth token is refreshed at the known authorization server if the resource server no longer names it', async () => {
    const servers = await startServers();
    const { oauth } = createTestOAuth(servers.mcp, { callback: createBrowser() });
    const client = await connect(servers.mcp, oauth);
    await servers.setMode('silent');
    await servers.expire();

    await callEcho(client);
    expect(await servers.stats()).toMatchObject({ refresh: 1, authorize: 1, calls: 1 });
  });

  test('an OAuth token is refreshed before it expires, so no call is rejected', async () => {
    const servers = await startServers();
    let ahead = 0;
    const clock = { ...systemClock, now: () => Date.now() + ahead };
    const { oauth } = createTestOAuth(servers.mcp, { callback: createBrowser(), clock });
    const client = await connect(servers.mcp, oauth);
    const before = await servers.stats();
    ahead = 3_550_000;

    await Promise.all(Array.from({ length: 10 }, () => callEcho(client)));
    expect(await servers.stats()).toMatchObject({ refresh: 1, refused: before.refused, authorize: 1 });
  });

  test('an OAuth token is replaced by one new sign-in if its refresh token is invalid', async () => {
    const servers = await startServers();
    const { oauth } = createTestOAuth(servers.mcp, { callback: createBrowser() });
    const client = await connect(servers.mcp, oauth);
    await servers.expire();
    await servers.setMode('refresh-denied');

    await Promise.all(Array.from({ length: 10 }, () => callEcho(client)));
    expect(await servers.stats()).toMatchObject({ refresh: 1, authorize: 2, register: 1 });
  });

  test('an OAuth token is retained without a new sign-in while the authorization server fails', async () => {
    const servers = await startServers();
    const { oauth } = createTestOAuth(servers.mcp, { callback: createBrowser() });
    const client = await connect(servers.mcp, oauth);
    await servers.expire();
    await servers.setMode('token-500');
    const errors = await Promise.all(Array.from({ length: 10 }, () => failure(callEcho(client))));

    expect(new Set(errors.map((error) => error.code))).toEqual(new Set(['OAUTH_FAILED']));
    expect(await servers.stats()).toMatchObject({ refresh: 1, authorize: 1 });
    await servers.setMode('');
    await callEcho(client);
    expect(await servers.stats()).toMatchObject({ refresh: 2, authorize: 1 });
  });

  test('an OAuth token that is rejected right after the sign-in does not cause a second sign-in', async () => {
    const servers = await startServers('refuse-all');
    const { oauth } = createTestOAuth(servers.mcp, { callback: createBrowser() });
    await expect(connect(servers.mcp, oauth)).rejects.toThrow('401 after re-authentication');
    const error = await failure(connect(servers.mcp, oauth));

    expect(error.code).toBe('OAUTH_FAILED');
    expect(await servers.stats()).toMatchObject({ authorize: 1, refresh: 0 });
  });

  test('an OAuth token is sent only to the URL it was issued for', async () => {
    const servers = await startServers();
    const store = createMemoryOAuthStore();
    await connect(servers.mcp, createTestOAuth(servers.mcp, { store, callback: createBrowser() }).oauth);
    const sent: string[] = [];
    const other = createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
      sent.push(String(request.headers.authorization));
      response.writeHead(404).end();
    });
    const url = await listen(other);
    const { oauth } = createTestOAuth(`${url}/mcp`, { store, callback: createBrowser() });

    await expect(connect(`${url}/mcp`, oauth)).rejects.toThrow();
    expect(sent).toEqual(['undefined']);
  });

  test('an OAuth token is not sent to another authorization server, and a new sign-in takes place there', async () => {
    const old = await startServers();
    const next = await startServers();
    const store = createMemoryOAuthStore();
    await connect(old.mcp, createTestOAuth(old.mcp, { store, callback: createBrowser() }).oauth);
    const key = oauthServerKey('guarded', old.mcp);
    const movedKey = oauthServerKey('guarded', next.mcp);
    for (const kind of ['tokens', 'client', 'discovery'] as const) {
      const record = await store.get(key, kind);
      if (record) await store.set(movedKey, kind, record as never);
    }

    const { oauth } = createTestOAuth(next.mcp, { store, callback: createBrowser() });
    await callEcho(await connect(next.mcp, oauth));
    expect(await next.stats()).toMatchObject({ register: 1, authorize: 1, refresh: 0 });
    expect((await store.get(movedKey, 'tokens'))?.issuer).toBe(next.issuer);
  });
});

describe('a call that needs a wider scope', () => {
  test('a call that needs a wider scope requests the scope once and then runs', async () => {
    const servers = await startServers();
    const { oauth } = createTestOAuth(servers.mcp, { callback: createBrowser() });
    const client = await connect(servers.mcp, oauth);
    await callEcho(client);

    await Promise.all(Array.from({ length: 5 }, () => client.callTool({ name: 'admin', arguments: {} })));
    expect((await servers.stats()).scopes).toEqual(['read', 'read admin']);
  });

  test.each([
    ['returns the registered scope', 'registered-scope'],
    ['does not return the registered scope', 'unnamed-scope'],
  ])(
    'a client registers again for a wider scope, and retains its tokens until the sign-in is complete, if the authorization server %s',
    async (_case, mode) => {
      const servers = await startServers(mode);
      const store = createMemoryOAuthStore();
      const redirectUrl = 'http://127.0.0.1:1/callback';
      await using toolbox = await openToolbox(
        { servers: { guarded: { url: servers.mcp, authentication: { type: 'oauth' } } } },
        { oauth: { redirectUrl, store } },
      );
      const status = () => toolbox.servers.get('guarded')?.status;
      await toolbox.servers.finishSignIn(await visit(status()?.signInUrl as string));
      const asked = await toolbox.call('mcp_guarded_admin', {});
      expect(asked.failure).toMatchObject({ code: 'OAUTH_REQUIRED', data: { authorizationUrl: expect.any(String) } });
      expect(await servers.stats()).toMatchObject({ register: 2 });
      // The wider scope is pending: what was granted before goes on, also after its token has expired.
      await servers.expire();
      expect(await toolbox.call('mcp_guarded_echo', {})).toMatchObject({ isError: false });
      expect(status()?.state).toBe('connected');
      const url = asked.failure?.data?.authorizationUrl as string;
      await toolbox.servers.finishSignIn(await visit(url));
      expect(await toolbox.call('mcp_guarded_admin', {})).toMatchObject({ isError: false });
    },
  );

  test('a call that needs a wider scope does not request it repeatedly from a server that is never satisfied', async () => {
    const servers = await startServers('never-enough');
    const { oauth } = createTestOAuth(servers.mcp, { callback: createBrowser() });
    const client = await connect(servers.mcp, oauth);
    const call = () => failure(client.callTool({ name: 'admin', arguments: {} }));

    expect([(await call()).code, (await call()).code, (await call()).code]).toEqual(Array(3).fill('OAUTH_FAILED'));
    expect(await servers.stats()).toMatchObject({ authorize: 2 });
  });
});

test('a toolbox without a browser reports where to sign in and connects after the sign-in [R3]', async () => {
  const { mcp } = await startServers();
  const redirectUrl = 'http://127.0.0.1:1/callback';
  await using toolbox = await openToolbox(
    { servers: { guarded: { url: mcp, authentication: { type: 'oauth' } } } },
    { oauth: { redirectUrl } },
  );
  const { code, signInUrl } = toolbox.servers.get('guarded')?.status ?? {};
  expect(code).toBe('OAUTH_REQUIRED');
  expect(await toolbox.servers.finishSignIn(new URLSearchParams({ state: 'foreign', code: 'x' }))).toBeUndefined();
  const info = await toolbox.servers.finishSignIn(await visit(signInUrl as string));
  expect(info).toMatchObject({ name: 'guarded', status: { state: 'connected' } });
  expect((await toolbox.call('mcp_guarded_echo', {})).isError).toBe(false);
});

test.each([
  ['over Streamable HTTP', 'mcp', {}],
  ['over SSE', 'sse', {}],
  ['with a session for each caller', 'mcp', { isolation: 'session' }],
] as const)(
  'a server %s whose grant was revoked needs a sign-in again: its status shows the URL, and calls work after it [R3]',
  async (_case, path, settings) => {
    const servers = await startServers();
    await using toolbox = await openToolbox(
      { servers: { guarded: { url: servers[path], authentication: { type: 'oauth' }, ...settings } } },
      { oauth: { redirectUrl: 'http://127.0.0.1:1/callback' } },
    );
    const host = { client: { era: 'modern', caller: { id: 'ada' } } } as const;
    const call = () => toolbox.start('mcp_guarded_echo', {}, { host }).result;
    const status = () => toolbox.servers.get('guarded')?.status;
    await toolbox.servers.finishSignIn(await visit(status()?.signInUrl as string));
    expect(status()?.state).toBe('connected');
    expect(await call()).toMatchObject({ isError: false });
    await servers.setMode('refresh-denied');
    await servers.expire();
    for (let round = 0; round < 2; round++) {
      const { failure } = await call();
      expect(failure).toMatchObject({ code: 'OAUTH_REQUIRED', data: { authorizationUrl: expect.any(String) } });
      expect(status()).toMatchObject({ state: 'error', code: 'OAUTH_REQUIRED', signInUrl: expect.any(String) });
    }
    await servers.setMode('');
    await toolbox.servers.finishSignIn(await visit(status()?.signInUrl as string));
    expect(await call()).toMatchObject({ isError: false });
    expect(status()?.state).toBe('connected');
  },
);

test('a server that requires credentials, and has none configured, is reported with the setting for a sign-in', async () => {
  const { mcp } = await startServers();
  await using toolbox = await openToolbox({ servers: { guarded: { url: mcp } } });
  expect(toolbox.servers.get('guarded')?.status).toMatchObject({
    state: 'error',
    cause: 'unauthorized',
    reason: expect.stringContaining('authentication: { type: oauth }'),
  });
});
