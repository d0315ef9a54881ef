import { createServer } from 'node:http';
import { inspect } from 'node:util';
import { describe, expect, test, vi } from 'vitest';
import { createLoopbackCallback } from '../../packages/toolwharf/connections/authentication/loopback-callback.ts';
import type { OAuthCallback } from '../../packages/toolwharf/connections/authentication/oauth-callback.ts';
import {
  createMemoryOAuthStore,
  type OAuthStore,
  oauthServerKey,
} from '../../packages/toolwharf/connections/authentication/oauth-store.ts';
import { systemClock } from '../../packages/toolwharf/kernel/clock.ts';

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

describe('a sign-in without an immediate answer', () => {
  test('a pending sign-in reports the same authorization URL for a while if there is no callback, and finish() completes it', async () => {
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

  test('a pending sign-in can be completed by another process that shares the store', async () => {
    const servers = await startServers();
    const store = createMemoryOAuthStore();
    const redirectUrl = 'https://toolwharf.example/oauth/callback';
    const error = await failure(connect(servers.mcp, createTestOAuth(servers.mcp, { store, redirectUrl }).oauth));
    const params = await visit(error.data.authorizationUrl as string);

    await createTestOAuth(servers.mcp, { store: sharing(store), redirectUrl }).oauth.finish(params);
    await callEcho(await connect(servers.mcp, createTestOAuth(servers.mcp, { store, redirectUrl }).oauth));
  });

  test('unfinished sign-ins leave no records behind', async () => {
    const servers = await startServers();
    const records = new Set<string>();
    const store = createMemoryOAuthStore();
    const counting: OAuthStore = {
      ...store,
      set: (key, kind, value, id) => {
        if (id !== undefined) records.add(id);
        return store.set(key, kind, value, id);
      },
      delete: (key, kind, id) => {
        if (id !== undefined) records.delete(id);
        return store.delete(key, kind, id);
      },
    };
    let ahead = 0;
    const clock = { ...systemClock, now: () => Date.now() + ahead };
    const redirectUrl = 'https://toolwharf.example/oauth/callback';
    const urls = new Set<unknown>();
    for (; urls.size < 4; ahead += 3_600_000) {
      const { oauth } = createTestOAuth(servers.mcp, { store: counting, redirectUrl, clock });
      urls.add((await failure(connect(servers.mcp, oauth))).data.authorizationUrl);
    }
    expect(records.size).toBe(1);
  });

  test('a pending sign-in without a callback and a redirect URL is reported as such', async () => {
    const servers = await startServers();
    const error = await failure(connect(servers.mcp, createTestOAuth(servers.mcp).oauth));
    expect(error).toMatchObject({ code: 'OAUTH_REQUIRED', message: expect.stringContaining('redirectUrl') });
    expect(error.data?.authorizationUrl).toBeUndefined();
  });

  test('a pending sign-in that takes longer than the request fails the request, stays open and can be joined by authorize()', async () => {
    const servers = await startServers();
    const decision = Promise.withResolvers<void>();
    let requestCount = 0;
    const callback: OAuthCallback = {
      open: async () => ({
        redirectUrl: 'http://127.0.0.1:1/callback',
        authorize: async (url) => {
          requestCount++;
          await decision.promise;
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
    decision.resolve();
    await joined;
    await oauth.authorize();
    await callEcho(await connect(servers.mcp, oauth));
    expect(requestCount).toBe(1);
  });

  test('a pending sign-in stops when authorize() is cancelled, and is not repeated by retries after a person declined it', async () => {
    const servers = await startServers('deny');
    let closed = 0;
    const prompted = Promise.withResolvers<void>();
    const waiting = createTestOAuth(servers.mcp, {
      callback: {
        open: async () => ({
          redirectUrl: 'http://127.0.0.1:1/callback',
          authorize: (_url, { signal }) => {
            prompted.resolve();
            return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
          },
          [Symbol.asyncDispose]: async () => void closed++,
        }),
      },
    }).oauth;
    const stop = new AbortController();
    const cancelled = waiting.authorize(stop.signal);
    await prompted.promise;
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

test('a sign-in that is cancelled before the authorization URL is ready is not shown', async () => {
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

test('close() stops waiting for a sign-in and frees the loopback port', async () => {
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

describe('an OAuth sign-in rejects invalid responses', () => {
  const rejections: readonly [mode: string, what: RegExp, reaches: Partial<Stats>][] = [
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

  test.for(rejections)('%s: %s, with no secret in any error or log line', async ([mode, what, reaches]) => {
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

  test('a remote server cannot redirect discovery to an address on this machine', async () => {
    let requestCount = 0;
    const local = await listen(
      createServer({ keepAliveTimeout: 600_000 }, (_request, response) => void response.end(String(requestCount++))),
    );
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
    expect(requestCount).toBe(0);
  });

  test('a redirect to another origin is not followed and receives no credentials [R3]', async () => {
    const servers = await startServers();
    const received: unknown[] = [];
    const otherOrigin = await listen(
      createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
        received.push(request.headers);
        response.end('{}');
      }),
    );
    const store = createMemoryOAuthStore();
    const redirecting = await listen(
      createServer(
        { keepAliveTimeout: 600_000 },
        (_request, response) => void response.writeHead(307, { location: `${otherOrigin}/mcp` }).end(),
      ),
    );
    await store.set(oauthServerKey('guarded', `${redirecting}/mcp`), 'tokens', {
      access_token: 'at-SECRET',
      token_type: 'Bearer',
      issuer: servers.issuer,
    });
    const { oauth } = createTestOAuth(`${redirecting}/mcp`, { store, callback: createBrowser() });

    await expect(connect(`${redirecting}/mcp`, oauth)).rejects.toThrow(/not followed/);
    await expect(connect(`${redirecting}/mcp`, oauth, 'sse')).rejects.toThrow(/not followed/);
    expect(received).toEqual([]);
  });

  test('a token endpoint that redirects to another origin does not forward the code [R3]', async () => {
    const received: unknown[] = [];
    const otherOrigin = await listen(
      createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
        received.push(request.headers);
        response.end('{}');
      }),
    );
    const servers = await startServers('token-redirect', { ELSEWHERE: `${otherOrigin}/token` });
    const { oauth } = createTestOAuth(servers.mcp, { callback: createBrowser() });

    expect(await failure(connect(servers.mcp, oauth))).toMatchObject({ code: 'OAUTH_FAILED' });
    expect(await servers.stats()).toMatchObject({ code: 1 });
    expect(received).toEqual([]);
  });

  test('forget() deletes all stored records', async () => {
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
