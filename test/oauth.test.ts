import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { OAuthAuthentication } from '../src/config/config.ts';
import { createLoopbackCallback } from '../src/connections/authentication/loopback-callback.ts';
import { createOAuth, type OAuth, type OAuthOptions } from '../src/connections/authentication/oauth.ts';
import type { OAuthCallback } from '../src/connections/authentication/oauth-callback.ts';
import {
  createMemoryOAuthStore,
  type OAuthStore,
  oauthServerKey,
} from '../src/connections/authentication/oauth-store.ts';
import { createPoolFetch } from '../src/connections/http/pool-fetch.ts';
import { systemClock } from '../src/kernel/clock.ts';
import { ToolwharfError } from '../src/kernel/errors.ts';
import { createLog } from '../src/kernel/log.ts';

interface Stats {
  readonly metadata: number;
  readonly register: number;
  readonly authorize: number;
  readonly code: number;
  readonly refresh: number;
  readonly refused: number;
  readonly reuse: number;
  readonly calls: number;
  readonly secrets: readonly string[];
  readonly scopes: readonly (string | null)[];
  readonly resources: readonly (string | null)[];
  readonly redirects: readonly string[];
  readonly clients: readonly string[];
}

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** The authorization server and the MCP server that trusts it, as a process of their own. */
async function startServers(mode = '', env: Record<string, string> = {}) {
  const file = new URL('fixtures/authorization-server.mjs', import.meta.url).pathname;
  const child: ChildProcess = spawn(process.execPath, [file], {
    env: { ...env, MODE: mode },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  cleanups.push(async () => {
    child.stdin?.end();
    if (child.exitCode === null) await once(child, 'exit');
  });
  const [line] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  const { issuer, mcp, sse } = JSON.parse(String(line)) as { issuer: string; mcp: string; sse: string };
  const control = (path: string) => fetch(new URL(`/control/${path}`, mcp), { method: 'POST' });
  return {
    issuer,
    mcp,
    sse,
    stats: async () => (await (await fetch(new URL('/control/stats', mcp))).json()) as Stats,
    setMode: (to: string) => control(`mode?to=${to}`),
    expire: () => control('expire'),
  };
}

/** A person who signs in at once: follows the address and reads where the browser would be sent. */
function createBrowser(change: (params: URLSearchParams) => void = () => {}): OAuthCallback {
  return {
    open: async () => ({
      redirectUrl: 'http://127.0.0.1:1/callback',
      authorize: async (url) => {
        const params = await visit(url);
        change(params);
        return params;
      },
      [Symbol.asyncDispose]: async () => {},
    }),
  };
}

async function visit(url: string | URL): Promise<URLSearchParams> {
  const response = await fetch(url, { redirect: 'manual' });
  return new URL(response.headers.get('location') ?? '').searchParams;
}

interface Setup extends Partial<OAuthOptions> {
  readonly spec?: Partial<OAuthAuthentication>;
}

function createTestOAuth(serverUrl: string, { spec, ...options }: Setup = {}) {
  const pool = createPoolFetch();
  const lines: string[] = [];
  const oauth = createOAuth(
    { type: 'oauth', ...spec },
    {
      serverName: 'guarded',
      serverUrl,
      store: createMemoryOAuthStore(),
      fetch: pool.fetch,
      log: createLog((entry) => lines.push(inspect(entry))),
      ...options,
    },
  );
  cleanups.push(() => {
    oauth.close();
    return pool.close();
  });
  return { oauth, lines };
}

async function connect(serverUrl: string, oauth: OAuth, kind: 'http' | 'sse' = 'http'): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const init = { authProvider: oauth.authProvider, fetch: oauth.fetch };
  const url = new URL(serverUrl);
  await client.connect(
    kind === 'http' ? new StreamableHTTPClientTransport(url, init) : new SSEClientTransport(url, init),
  );
  cleanups.push(() => client.close());
  return client;
}

async function failure(work: Promise<unknown>): Promise<ToolwharfError> {
  const cause = await work.then(
    () => new Error('it succeeded'),
    (reason: unknown) => reason,
  );
  expect(cause).toBeInstanceOf(ToolwharfError);
  return cause as ToolwharfError;
}

const callEcho = (client: Client) => client.callTool({ name: 'echo', arguments: {} });

describe('signing in', () => {
  test('finds the authorization server, registers, proves the code is ours (PKCE) and signs in [R3]', async () => {
    const servers = await startServers();
    const { oauth } = createTestOAuth(servers.mcp, { callback: createBrowser() });
    const client = await connect(servers.mcp, oauth);

    expect((await callEcho(client)).content).toEqual([{ type: 'text', text: 'echo' }]);
    const stats = await servers.stats();
    expect(stats).toMatchObject({ register: 1, authorize: 1, code: 1, refresh: 0 });
    expect(stats.scopes).toEqual(['read']);
    expect(stats.resources).toEqual([servers.mcp]);
  });

  test('works over the old SSE transport too', async () => {
    const servers = await startServers();
    const { oauth } = createTestOAuth(servers.sse, { callback: createBrowser() });
    const client = await connect(servers.sse, oauth, 'sse');
    await servers.expire();

    await callEcho(client);
    expect(await servers.stats()).toMatchObject({ authorize: 1, refresh: 1, calls: 1 });
  });

  test('a browser that comes back to the loopback address ends the sign-in', async () => {
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

  test('the second sign-in reuses the registration, because the loopback port is kept', async () => {
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

  test('a configured client is used as it is and its secret is not stored', async () => {
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
    const kept = [await store.get(key, 'client'), await store.get(key, 'tokens'), await store.get(key, 'discovery')];
    expect(JSON.stringify(kept)).not.toContain('configured-SECRET');
  });

  test('a client metadata document takes the place of a registration where the server accepts one', async () => {
    const servers = await startServers('cimd');
    const clientMetadataUrl = 'https://client.example/toolwharf.json';
    const { oauth } = createTestOAuth(servers.mcp, { callback: createBrowser(), spec: { clientMetadataUrl } });
    await callEcho(await connect(servers.mcp, oauth));

    expect(await servers.stats()).toMatchObject({ register: 0, clients: [clientMetadataUrl] });
  });

  test('many connections that are refused at once put one question to the person', async () => {
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

describe('staying signed in', () => {
  test('50 calls that find the token expired cause one refresh, and all of them succeed [R3]', async () => {
    const servers = await startServers();
    const { oauth } = createTestOAuth(servers.mcp, { callback: createBrowser() });
    const client = await connect(servers.mcp, oauth);
    await servers.expire();

    const results = await Promise.all(Array.from({ length: 50 }, () => callEcho(client)));
    expect(results.every((result) => result.isError !== true)).toBe(true);
    expect(await servers.stats()).toMatchObject({ refresh: 1, reuse: 0, authorize: 1, calls: 50 });
  });

  test('two connections that share a store refresh once between them', async () => {
    const servers = await startServers();
    const store = createMemoryOAuthStore();
    const one = await connect(servers.mcp, createTestOAuth(servers.mcp, { store, callback: createBrowser() }).oauth);
    const two = await connect(servers.mcp, createTestOAuth(servers.mcp, { store, callback: createBrowser() }).oauth);
    await servers.expire();

    await Promise.all([one, two, one, two].map(callEcho));
    expect(await servers.stats()).toMatchObject({ refresh: 1, reuse: 0, authorize: 1 });
  });

  test('a token that another process has renewed meanwhile is taken from the store, not renewed again', async () => {
    const servers = await startServers();
    const store = createMemoryOAuthStore();
    const ours = await connect(servers.mcp, createTestOAuth(servers.mcp, { store, callback: createBrowser() }).oauth);
    const theirs = await connect(servers.mcp, createTestOAuth(servers.mcp, { store: sharing(store) }).oauth);
    await servers.expire();

    await callEcho(theirs);
    await callEcho(ours);
    expect(await servers.stats()).toMatchObject({ refresh: 1, reuse: 0, authorize: 1, calls: 2 });
  });

  test('a server that no longer says whom it trusts is believed to trust whom it named before', async () => {
    const servers = await startServers();
    const { oauth } = createTestOAuth(servers.mcp, { callback: createBrowser() });
    const client = await connect(servers.mcp, oauth);
    await servers.setMode('silent');
    await servers.expire();

    await callEcho(client);
    expect(await servers.stats()).toMatchObject({ refresh: 1, authorize: 1, calls: 1 });
  });

  test('a token is renewed before it ends, so no call is refused', async () => {
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

  test('a refresh token that is no longer good leads to one new sign-in', async () => {
    const servers = await startServers();
    const { oauth } = createTestOAuth(servers.mcp, { callback: createBrowser() });
    const client = await connect(servers.mcp, oauth);
    await servers.expire();
    await servers.setMode('refresh-denied');

    await Promise.all(Array.from({ length: 10 }, () => callEcho(client)));
    expect(await servers.stats()).toMatchObject({ refresh: 1, authorize: 2, register: 1 });
  });

  test('an authorization server in trouble is not a reason to ask a person, and loses no sign-in', async () => {
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

  test('a server that refuses even new tokens is not worth a second question', async () => {
    const servers = await startServers('refuse-all');
    const { oauth } = createTestOAuth(servers.mcp, { callback: createBrowser() });
    await expect(connect(servers.mcp, oauth)).rejects.toThrow('401 after re-authentication');
    const error = await failure(connect(servers.mcp, oauth));

    expect(error.code).toBe('OAUTH_FAILED');
    expect(await servers.stats()).toMatchObject({ authorize: 1, refresh: 0 });
  });

  test('tokens are for the address they were got for: another one starts anew', async () => {
    const servers = await startServers();
    const store = createMemoryOAuthStore();
    await connect(servers.mcp, createTestOAuth(servers.mcp, { store, callback: createBrowser() }).oauth);
    const sent: string[] = [];
    const other = createServer((request, response) => {
      sent.push(String(request.headers.authorization));
      response.writeHead(404).end();
    });
    const url = await listen(other);
    const { oauth } = createTestOAuth(`${url}/mcp`, { store, callback: createBrowser() });

    await expect(connect(`${url}/mcp`, oauth)).rejects.toThrow();
    expect(sent).toEqual(['undefined']);
  });

  test('a server that moves to another authorization server gets a new sign-in there, and the old tokens stay unseen', async () => {
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

describe('asking for more', () => {
  test('a call that needs a wider scope asks for it once and then runs', async () => {
    const servers = await startServers();
    const { oauth } = createTestOAuth(servers.mcp, { callback: createBrowser() });
    const client = await connect(servers.mcp, oauth);
    await callEcho(client);

    await Promise.all(Array.from({ length: 5 }, () => client.callTool({ name: 'admin', arguments: {} })));
    expect((await servers.stats()).scopes).toEqual(['read', 'read admin']);
  });

  test('a server that is never satisfied does not make us ask again and again', async () => {
    const servers = await startServers('never-enough');
    const { oauth } = createTestOAuth(servers.mcp, { callback: createBrowser() });
    const client = await connect(servers.mcp, oauth);
    const call = () => failure(client.callTool({ name: 'admin', arguments: {} }));

    expect([(await call()).code, (await call()).code, (await call()).code]).toEqual(Array(3).fill('OAUTH_FAILED'));
    expect(await servers.stats()).toMatchObject({ authorize: 2 });
  });
});

describe('where nobody can be asked at once', () => {
  test('without a callback the error carries the address, the same one for a while, and finish() ends the sign-in', async () => {
    const servers = await startServers();
    const { oauth } = createTestOAuth(servers.mcp, { redirectUrl: 'https://toolwharf.example/oauth/callback' });
    const first = await failure(connect(servers.mcp, oauth));
    const second = await failure(connect(servers.mcp, oauth));

    expect(first).toMatchObject({ code: 'OAUTH_REQUIRED', data: { server: 'guarded', reached: false } });
    expect(second.data.authorizationUrl).toBe(first.data.authorizationUrl);
    const params = await visit(first.data.authorizationUrl as string);
    await oauth.finish(params);
    await callEcho(await connect(servers.mcp, oauth));
    expect(await failure(oauth.finish(params))).toMatchObject({ code: 'OAUTH_FAILED' });
  });

  test('the sign-in may be finished by another process that shares the store', async () => {
    const servers = await startServers();
    const store = createMemoryOAuthStore();
    const redirectUrl = 'https://toolwharf.example/oauth/callback';
    const error = await failure(connect(servers.mcp, createTestOAuth(servers.mcp, { store, redirectUrl }).oauth));
    const params = await visit(error.data.authorizationUrl as string);

    await createTestOAuth(servers.mcp, { store: sharing(store), redirectUrl }).oauth.finish(params);
    await callEcho(await connect(servers.mcp, createTestOAuth(servers.mcp, { store, redirectUrl }).oauth));
  });

  test('with no way back at all the error says so', async () => {
    const servers = await startServers();
    const error = await failure(connect(servers.mcp, createTestOAuth(servers.mcp).oauth));
    expect(error).toMatchObject({ code: 'OAUTH_REQUIRED', message: expect.stringContaining('redirectUrl') });
    expect(error.data).not.toHaveProperty('authorizationUrl');
  });

  test('a person may think longer than a request may wait: the request fails, the question stays, authorize() joins it', async () => {
    const servers = await startServers();
    const thinking = Promise.withResolvers<void>();
    let asked = 0;
    const callback: OAuthCallback = {
      open: async () => ({
        redirectUrl: 'http://127.0.0.1:1/callback',
        authorize: async (url) => {
          asked++;
          await thinking.promise;
          return visit(url);
        },
        [Symbol.asyncDispose]: async () => {},
      }),
    };
    const { oauth } = createTestOAuth(servers.mcp, { callback, waitMs: 50 });
    const error = await failure(connect(servers.mcp, oauth));
    expect(error).toMatchObject({
      code: 'OAUTH_REQUIRED',
      data: { authorizationUrl: expect.stringContaining('/authorize?') },
    });

    const joined = Promise.all([oauth.authorize(), oauth.authorize()]);
    thinking.resolve();
    await joined;
    await oauth.authorize();
    await callEcho(await connect(servers.mcp, oauth));
    expect(asked).toBe(1);
  });

  test('authorize() that is cancelled stops the question, and a person who declined is not bothered by retries', async () => {
    const servers = await startServers('deny');
    let asked = 0;
    const waiting = createTestOAuth(servers.mcp, {
      callback: {
        open: async () => ({
          redirectUrl: 'http://127.0.0.1:1/callback',
          authorize: (_url, { signal }) =>
            new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
          [Symbol.asyncDispose]: async () => void asked++,
        }),
      },
    }).oauth;
    const stop = new AbortController();
    const cancelled = waiting.authorize(stop.signal);
    await vi.waitFor(async () => expect(await servers.stats()).toMatchObject({ register: 1 }));
    stop.abort(new Error('enough'));
    await expect(cancelled).rejects.toThrow('enough');
    await vi.waitFor(() => expect(asked).toBe(1));

    const { oauth } = createTestOAuth(servers.mcp, { callback: createBrowser() });
    const declined = await failure(connect(servers.mcp, oauth));
    expect(declined).toMatchObject({ code: 'OAUTH_FAILED', message: expect.stringContaining('access_denied') });
    await failure(connect(servers.mcp, oauth));
    expect(await servers.stats()).toMatchObject({ authorize: 1 });
    await servers.setMode('');
    await oauth.authorize();
    await callEcho(await connect(servers.mcp, oauth));
  });
});

test('close() stops waiting for people and frees the loopback port', async () => {
  const servers = await startServers();
  const opened = Promise.withResolvers<URL>();
  const callback = createLoopbackCallback({ open: (url) => opened.resolve(url) });
  const { oauth } = createTestOAuth(servers.mcp, { callback });
  const waiting = failure(oauth.authorize());
  const redirectUrl = (await opened.promise).searchParams.get('redirect_uri') as string;
  oauth.close();

  expect(await waiting).toMatchObject({ code: 'OAUTH_FAILED', message: expect.stringContaining('disconnected') });
  await expect.poll(() => fetch(redirectUrl).catch(() => 'closed')).toBe('closed');
});

describe('what is refused', () => {
  const refusals: readonly [mode: string, what: RegExp, reaches: Partial<Stats>][] = [
    ['wrong-issuer', /another issuer/, { authorize: 0, code: 0 }],
    ['wrong-iss', /another authorization server/, { authorize: 1, code: 0 }],
    ['no-iss', /another authorization server/, { authorize: 1, code: 0 }],
    ['wrong-state', /another sign-in/, { authorize: 1, code: 0 }],
    ['wrong-resource', /does not match/, { authorize: 0, code: 0 }],
    ['plain-issuer', /plain http/, { authorize: 0, code: 0 }],
    ['plain-token', /plain http/, { authorize: 1, code: 0 }],
    ['odd-authorize', /another kind than https/, { authorize: 0, code: 0 }],
    ['metadata-500', /HTTP 500/, { authorize: 0, code: 0 }],
    ['no-registration', /set clientId/, { authorize: 0, code: 0 }],
    ['register-400', /set clientId/, { authorize: 0, code: 0 }],
    ['token-500', /Try again later/, { authorize: 1, code: 1 }],
    ['token-garbage', /not OAuth/, { authorize: 1, code: 1 }],
    ['token-echo', /invalid_request/, { authorize: 1, code: 1 }],
    ['token-line-break', /can not be sent/, { authorize: 1, code: 1 }],
  ];

  test.for(refusals)('%s: %s, with no secret in any error or log line [R17]', async ([mode, what, reaches]) => {
    const servers = await startServers(mode);
    using warn = vi.spyOn(console, 'warn');
    const { oauth, lines } = createTestOAuth(servers.mcp, { callback: createBrowser() });
    const error = await failure(connect(servers.mcp, oauth));

    expect(error).toMatchObject({
      code: 'OAUTH_FAILED',
      message: expect.stringMatching(what),
      data: { server: 'guarded', reached: false },
    });
    const stats = await servers.stats();
    expect(stats).toMatchObject(reaches);
    expectNoSecrets(stats, [inspect(error, { depth: 10, showHidden: true }), ...lines]);
    expect(warn).not.toHaveBeenCalled();
  });

  test.for(['token-500', 'token-garbage', 'token-echo', 'refresh-denied'])(
    'a refresh that ends with %s leaves no secret in any error or log line [R17]',
    async (mode) => {
      const servers = await startServers();
      using warn = vi.spyOn(console, 'warn');
      const { oauth, lines } = createTestOAuth(servers.mcp, { callback: createBrowser() });
      const client = await connect(servers.mcp, oauth);
      await servers.expire();
      await servers.setMode(mode);
      const outcome = await callEcho(client).catch((cause) => cause);

      const stats = await servers.stats();
      expect(stats.refresh).toBe(1);
      expectNoSecrets(stats, [inspect(outcome, { depth: 10, showHidden: true }), ...lines]);
      expect(warn).not.toHaveBeenCalled();
    },
  );

  test('a server elsewhere can not send us to an address on this machine', async () => {
    let asked = 0;
    const local = await listen(createServer((_request, response) => void response.end(String(asked++))));
    const metadata = `${local}/.well-known/oauth-protected-resource`;
    const { oauth } = createTestOAuth('https://mcp.example/mcp', {
      callback: createBrowser(),
      fetch: async (url) => {
        if (String(url) !== 'https://mcp.example/mcp') return fetch(url);
        return new Response('', {
          status: 401,
          headers: { 'www-authenticate': `Bearer resource_metadata="${metadata}"` },
        });
      },
    });

    const error = await failure(connect('https://mcp.example/mcp', oauth));
    expect(error).toMatchObject({ code: 'OAUTH_FAILED', message: expect.stringContaining('on this machine') });
    expect(asked).toBe(0);
  });

  test('a redirect to another origin carries no credentials there, nor anything else [R3]', async () => {
    const servers = await startServers();
    const visitors: unknown[] = [];
    const thief = await listen(
      createServer((request, response) => {
        visitors.push(request.headers);
        response.end('{}');
      }),
    );
    const store = createMemoryOAuthStore();
    const redirecting = await listen(
      createServer((_request, response) => void response.writeHead(307, { location: `${thief}/mcp` }).end()),
    );
    await store.set(oauthServerKey('guarded', `${redirecting}/mcp`), 'tokens', {
      access_token: 'at-SECRET',
      token_type: 'Bearer',
      issuer: servers.issuer,
    });
    const { oauth } = createTestOAuth(`${redirecting}/mcp`, { store, callback: createBrowser() });

    await expect(connect(`${redirecting}/mcp`, oauth)).rejects.toThrow(/not followed/);
    await expect(connect(`${redirecting}/mcp`, oauth, 'sse')).rejects.toThrow(/not followed/);
    expect(visitors).toEqual([]);
  });

  test('a token endpoint that redirects to another origin gets the code nowhere [R3]', async () => {
    const visitors: unknown[] = [];
    const thief = await listen(
      createServer((request, response) => {
        visitors.push(request.headers);
        response.end('{}');
      }),
    );
    const servers = await startServers('token-redirect', { ELSEWHERE: `${thief}/token` });
    const { oauth } = createTestOAuth(servers.mcp, { callback: createBrowser() });

    expect(await failure(connect(servers.mcp, oauth))).toMatchObject({ code: 'OAUTH_FAILED' });
    expect(await servers.stats()).toMatchObject({ code: 1 });
    expect(visitors).toEqual([]);
  });

  test('forget() leaves nothing behind', async () => {
    const servers = await startServers();
    const store = createMemoryOAuthStore();
    const { oauth } = createTestOAuth(servers.mcp, { store, callback: createBrowser() });
    await connect(servers.mcp, oauth);
    await oauth.forget();

    expect(await oauth.authProvider.token()).toBeUndefined();
    const key = oauthServerKey('guarded', servers.mcp);
    const kinds = ['tokens', 'client', 'pending', 'discovery'] as const;
    expect(await Promise.all(kinds.map((kind) => store.get(key, kind)))).toEqual(Array(4).fill(undefined));
  });
});

function expectNoSecrets(stats: Stats, texts: readonly string[]): void {
  expect(stats.secrets.length > 0 || stats.code === 0).toBe(true);
  for (const text of texts) {
    expect(text).not.toContain('SECRET');
    for (const secret of stats.secrets) expect(text).not.toContain(secret);
  }
}

/** The same records behind another object, as another process would have them. */
function sharing(store: OAuthStore): OAuthStore {
  return {
    get: (key, kind) => store.get(key, kind),
    set: (key, kind, value) => store.set(key, kind, value),
    delete: (key, kind) => store.delete(key, kind),
  };
}

async function listen(server: ReturnType<typeof createServer>): Promise<string> {
  cleanups.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
