import { expect, test } from 'vitest';
import { startApi } from '../support/api.ts';
import { freePort, startServers, visit } from '../support/oauth.ts';
import { connectClient } from '../support/open-gateway.ts';

/** A gateway with one server at which people sign in with OAuth, and the keys of two people. */
async function setUp() {
  const servers = await startServers();
  const guarded = { url: servers.mcp, authentication: { type: 'oauth' }, credentials: 'per-user' } as const;
  const api = await startApi({ servers: { guarded } }, { port: await freePort() });
  const [alice, bob] = [await api.key(['read', 'call']), await api.key(['read', 'call'])];

  /** Starts a sign-in, as the browser of a person does. */
  async function start(key: string) {
    const { body, headers, status } = await api.post('/api/accounts', { server: 'guarded' }, { key });
    expect(status).toBe(201);
    const [cookie = ''] = (headers.get('set-cookie') ?? '').split(';');
    return { id: String(body.id), url: String(body.signInUrl), cookie };
  }

  /** Signs in at the authorization server and returns to the gateway with these cookies. */
  async function signIn(url: string, cookie: string) {
    const back = `${api.url}/api/oauth/callback?${await visit(url)}`;
    return fetch(back, { headers: { cookie }, redirect: 'manual' });
  }

  const states = async (key: string) => (await api.get('/api/accounts', { key })).body.accounts;
  const echo = async (key: string) => {
    await using client = await connectClient(`${api.url}/mcp`, { key });
    return await client.text('guarded__echo');
  };
  return { servers, api, alice, bob, start, signIn, states, echo };
}

test('people sign in to their own accounts with OAuth: each has tokens of their own, and one registration serves all', async () => {
  const { servers, api, alice, bob, start, signIn, states, echo } = await setUp();
  await using _gateway = api;
  const first = await start(alice);
  const returned = await signIn(first.url, first.cookie);
  expect([returned.status, returned.headers.get('location')]).toEqual([303, '/accounts?connected=guarded']);
  expect(await states(alice)).toMatchObject([{ state: 'connected', isDefault: true }]);
  expect(await echo(alice)).toBe('echo');
  expect(await echo(bob)).toContain('You have no account');

  const second = await start(bob);
  await signIn(second.url, second.cookie);
  expect(await echo(bob)).toBe('echo');
  expect(await servers.stats()).toMatchObject({ register: 1, authorize: 2, code: 2, calls: 2 });

  // Each refreshes its own token.
  await servers.expire();
  expect([await echo(alice), await echo(bob)]).toEqual(['echo', 'echo']);
  expect(await servers.stats()).toMatchObject({ refresh: 2, reuse: 0, authorize: 2 });

  // One person leaves, and their tokens are revoked; the tokens of the other stay valid.
  await api.delete(`/api/accounts/${first.id}`, { key: alice });
  await expect.poll(async () => (await servers.stats()).revocations).toMatchObject([{ kind: 'rt', method: 'basic' }]);
  expect((await servers.stats()).validTokens).toBe(1);
  await servers.expire();
  expect(await echo(bob)).toBe('echo');
  expect(await echo(alice)).toContain('You have no account');
  for (const secret of (await servers.stats()).secrets) {
    expect(api.answers.join()).not.toContain(secret);
    expect(JSON.stringify(api.log)).not.toContain(secret);
  }
});

test('a sign-in can be finished only in the browser that started it: nobody gets the account of a person whom they sent the URL', async () => {
  const { api, alice, bob, start, signIn, states, echo } = await setUp();
  await using _gateway = api;
  // Alice sends her sign-in URL to Bob, who signs in at the service.
  const attack = await start(alice);
  const withoutCookie = await signIn(attack.url, '');
  expect(withoutCookie.status).toBe(403);
  expect(await withoutCookie.text()).toContain('started in another browser');
  const ofBob = await start(bob);
  expect((await signIn(attack.url, ofBob.cookie)).status).toBe(403);
  expect(await states(alice)).toMatchObject([{ state: 'pending' }]);
  // Bob's own sign-in is not affected, and its state is worthless to Alice.
  expect((await signIn(ofBob.url, attack.cookie)).status).toBe(403);
  expect((await signIn(ofBob.url, ofBob.cookie)).status).toBe(303);
  expect(await states(bob)).toMatchObject([{ state: 'connected' }]);
  expect(await echo(alice)).toContain('You have no account');
  expect(await echo(bob)).toBe('echo');
  // A redirect cannot be used twice, and an unknown one is not found.
  const forged = await fetch(`${api.url}/api/oauth/callback?state=forged&code=x`, {
    headers: { cookie: ofBob.cookie },
  });
  expect(forged.status).toBe(404);
});
