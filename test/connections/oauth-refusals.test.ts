import { createServer } from 'node:http';
import { inspect } from 'node:util';
import { describe, expect, test, vi } from 'vitest';
import { createLoopbackCallback } from '../../src/connections/authentication/loopback-callback.ts';
import type { OAuthCallback } from '../../src/connections/authentication/oauth-callback.ts';
import { createMemoryOAuthStore, oauthServerKey } from '../../src/connections/authentication/oauth-store.ts';

import {
  callEcho,
  connect,
  createBrowser,
  createTestOAuth,
  expectNoSecrets,
  failure,
  listen,
  type Stats,
  sharing,
  startServers,
  visit,
} from '../support/oauth.ts';

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
    let closed = 0;
    const asked = Promise.withResolvers<void>();
    const waiting = createTestOAuth(servers.mcp, {
      callback: {
        open: async () => ({
          redirectUrl: 'http://127.0.0.1:1/callback',
          authorize: (_url, { signal }) => {
            asked.resolve();
            return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
          },
          [Symbol.asyncDispose]: async () => void closed++,
        }),
      },
    }).oauth;
    const stop = new AbortController();
    const cancelled = waiting.authorize(stop.signal);
    await asked.promise;
    stop.abort(new Error('enough'));
    await expect(cancelled).rejects.toThrow('enough');
    await expect.poll(() => closed).toBe(1);

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

test('a sign-in that is called off before the question was ready shows it to nobody', async () => {
  const servers = await startServers();
  const stop = new AbortController();
  const shown: URL[] = [];
  const closed = Promise.withResolvers<void>();
  const { oauth } = createTestOAuth(servers.mcp, {
    callback: {
      open: async () => {
        stop.abort(new Error('enough'));
        return {
          redirectUrl: 'http://127.0.0.1:1/callback',
          authorize: async (url) => {
            shown.push(url);
            return visit(url);
          },
          [Symbol.asyncDispose]: async () => closed.resolve(),
        };
      },
    },
  });
  await expect(oauth.authorize(stop.signal)).rejects.toThrow('enough');
  await closed.promise;
  expect(shown).toEqual([]);
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
    ['wrong-issuer', /the issuer of another server/, { authorize: 0, code: 0 }],
    ['wrong-iss', /another authorization server/, { authorize: 1, code: 0 }],
    ['no-iss', /another authorization server/, { authorize: 1, code: 0 }],
    ['wrong-state', /another sign-in/, { authorize: 1, code: 0 }],
    ['wrong-resource', /does not match/, { authorize: 0, code: 0 }],
    ['plain-issuer', /plain http/, { authorize: 0, code: 0 }],
    ['plain-token', /plain http/, { authorize: 1, code: 0 }],
    ['odd-authorize', /not https/, { authorize: 0, code: 0 }],
    ['metadata-500', /HTTP 500/, { authorize: 0, code: 0 }],
    ['no-registration', /set clientId/, { authorize: 0, code: 0 }],
    ['register-400', /set clientId/, { authorize: 0, code: 0 }],
    ['token-500', /Try again later/, { authorize: 1, code: 1 }],
    ['token-garbage', /not OAuth/, { authorize: 1, code: 1 }],
    ['token-echo', /invalid_request/, { authorize: 1, code: 1 }],
    ['token-line-break', /cannot be sent/, { authorize: 1, code: 1 }],
  ];

  test.for(refusals)('%s: %s, with no secret in any error or log line', async ([mode, what, reaches]) => {
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
    'a refresh that ends with %s leaves no secret in any error or log line',
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
