import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApi, type TestApi, unasked } from '../support/api.ts';
import { fixture } from '../support/fixtures.ts';
import {
  answerForm,
  createTestBrowser,
  signInAs,
  startIdentityProvider,
  type TestBrowser,
  type TestIdentityProvider,
} from '../support/identity-provider.ts';

let provider: TestIdentityProvider;
let api: TestApi;

const roles = { admin: ['tools-admins'], approver: ['tools-approvers'], member: ['staff'] };

function configure(more: object = {}) {
  return {
    servers: { s: fixture('legacy') },
    toolbox: { approval: { ask: ['*_add'] } },
    profiles: { finance: { servers: ['s'], allow: ['s/echo'] } },
    gateway: { oidc: { ...provider.oidc, name: 'Example ID', roles, profiles: { finance: ['finance'] } }, ...more },
  };
}

beforeAll(async () => {
  provider = await startIdentityProvider();
  await provider.setPerson('root', { name: 'Root', email: 'root@example.com', groups: ['tools-admins', 'staff'] });
  await provider.setPerson('ann', { name: 'Ann', email: 'ann@example.com', groups: ['tools-approvers'] });
  await provider.setPerson('mia', { name: 'Mia', email: 'mia@example.com', groups: ['staff', 'finance'] });
  await provider.setPerson('max', { name: 'Max', groups: ['staff'] });
  await provider.setPerson('eve', { name: 'Eve', groups: ['other'] });
  api = await startApi(configure());
});
afterAll(async () => {
  await api?.close();
  await provider?.[Symbol.asyncDispose]();
});

/** The headers with which a browser sends the session of a gateway. */
function session(browser: TestBrowser, gateway: string = api.url): { headers: Record<string, string> } {
  return { headers: { cookie: browser.cookieFor(gateway), 'x-toolwharf': '1' } };
}

async function signedIn(login: string, path = '/') {
  const browser = createTestBrowser();
  const url = await signInAs(browser, api.url, login, path);
  expect(url.href).toBe(new URL(path, api.url).href);
  const { body } = await api.get('/api/session', session(browser));
  return { browser, own: session(browser), session: body, user: String(body.caller?.user) };
}

describe('the sign-in of people', () => {
  test('a person who signs in gets a session with the role and profile of their groups, and returns to their page', async () => {
    const mia = await signedIn('mia', '/tools?search=echo#first');
    expect(mia.session).toMatchObject({
      authenticated: true,
      via: 'sign-in',
      roles: ['member'],
      profile: 'finance',
      permissions: expect.arrayContaining(['tools.call', 'keys.own', 'elevations.request']),
      caller: { id: `user:${mia.user}`, kind: 'person', name: 'Mia', user: mia.user },
    });
    const ann = await signedIn('ann');
    expect(ann.session).toMatchObject({
      roles: ['approver'],
      profile: 'default',
      permissions: expect.arrayContaining(['approvals.answer']),
    });
    const root = await signedIn('root');
    expect(root.session).toMatchObject({
      roles: ['admin', 'member'],
      permissions: expect.arrayContaining(['servers.write']),
    });
    const { body } = await api.get('/api/users', root.own);
    // Those who signed in within one second have no order.
    const byName = (one: { name: string }, other: { name: string }) => (one.name < other.name ? -1 : 1);
    expect(body.users.toSorted(byName)).toMatchObject([
      { name: 'Ann', roles: ['approver'] },
      { name: 'Mia', email: 'mia@example.com', roles: ['member'], profile: 'finance', groups: ['staff', 'finance'] },
      { name: 'Root', roles: ['admin', 'member'] },
    ]);
    expect((await api.get('/api/users', ann.own)).status).toBe(403);
  });

  test('a person keeps their user at the next sign-in, and calls are recorded as theirs', async () => {
    const [first, second] = [await signedIn('max'), await signedIn('max')];
    expect(second.user).toBe(first.user);
    const called = await api.post('/api/tools/mcp_s_echo/call', { arguments: { text: 'hi' } }, second.own);
    expect(called.status).toBe(200);
    const { body } = await api.get('/api/calls', second.own);
    expect(body.calls[0].caller).toMatchObject({
      id: `user:${first.user}`,
      kind: 'person',
      name: 'Max',
      user: first.user,
    });
    const acts = await api.get('/api/calls?kind=administration', { key: api.adminToken });
    const signIns = acts.body.calls.filter(({ originalName }: { originalName: string }) => originalName === 'signIn');
    expect(signIns[0]).toMatchObject({
      caller: { user: first.user },
      arguments: { roles: ['member'] },
      status: 'success',
    });
  });

  test('a person without a group of any role has no access and is not stored', async () => {
    const browser = createTestBrowser();
    expect((await signInAs(browser, api.url, 'eve')).href).toBe(`${api.url}/?sign-in=no-access`);
    expect((await api.get('/api/session', session(browser))).body.authenticated).toBe(false);
    expect((await api.get('/api/calls', session(browser))).status).toBe(401);
    const { body } = await api.get('/api/users', { key: api.adminToken });
    expect(body.users.map(({ name }: { name: string }) => name)).not.toContain('Eve');
  });

  test('a person who declines at the provider gets no session', async () => {
    const browser = createTestBrowser();
    const { url } = await browser.follow(`${api.url}/api/sign-in`, ({ pathname }) =>
      pathname.startsWith('/interaction'),
    );
    const callback = await answerForm(browser, url, api.url);
    const response = await browser.open(callback.href);
    expect(response.headers.get('location')).toBe('/?sign-in=denied');
    expect((await api.get('/api/session', session(browser))).body.authenticated).toBe(false);
  });

  test('the app offers the provider by its name, and nobody on this machine is an administrator any more', async () => {
    const { body } = await api.get('/api/session');
    expect(body).toMatchObject({ authenticated: false, permissions: [], signIn: { name: 'Example ID' } });
    expect((await api.get('/api/servers')).status).toBe(401);
  });

  test('a sign-in sets cookies that scripts and other sites cannot use', async () => {
    const browser = createTestBrowser();
    const started = await browser.open(`${api.url}/api/sign-in?return=/`);
    expect(started.headers.get('set-cookie')).toMatch(/^toolwharf-sign-in-\d+=tw1\..*; HttpOnly; SameSite=Lax$/);
    const query = new URL(String(started.headers.get('location'))).searchParams;
    expect(Object.fromEntries(query)).toMatchObject({ code_challenge_method: 'S256', response_type: 'code' });
    for (const secret of ['state', 'nonce', 'code_challenge']) expect(query.get(secret)?.length).toBeGreaterThan(40);
    const { url } = await browser.follow(String(started.headers.get('location')), ({ pathname }) =>
      pathname.startsWith('/interaction'),
    );
    const callback = await answerForm(browser, url, api.url, 'max');
    const cookies = (await browser.open(callback.href)).headers.getSetCookie();
    expect(cookies.find((cookie) => cookie.startsWith('toolwharf-session'))).toMatch(/HttpOnly; SameSite=Strict$/);
    expect(cookies.find((cookie) => cookie.startsWith('toolwharf-sign-in'))).toContain('Max-Age=0');
  });

  test('a gateway with an https address sets cookies of that host only', async () => {
    await using secure = await startApi(configure({ url: 'https://tools.example.com' }));
    const response = await fetch(`${secure.url}/api/sign-in?here=1`, { redirect: 'manual' });
    expect(response.headers.get('set-cookie')).toMatch(/^__Host-toolwharf-sign-in=.*; Path=\/; .*; Secure$/);
    const query = new URL(String(response.headers.get('location'))).searchParams;
    expect(query.get('redirect_uri')).toBe('https://tools.example.com/api/sign-in/callback');
    // Browsers that used another name of the gateway go to its address first.
    const elsewhere = await fetch(`${secure.url}/api/sign-in?return=/calls`, { redirect: 'manual' });
    expect(elsewhere.headers.get('location')).toBe('https://tools.example.com/api/sign-in?here=1&return=%2Fcalls');
  });
});

describe('sessions of users', () => {
  /** The event stream of a session; `ended` resolves when the gateway ends it. */
  async function openStream({ headers }: { headers: Record<string, string> }) {
    const response = await fetch(`${api.url}/api/events`, { headers });
    expect(response.status).toBe(200);
    return {
      ended: response.text().then(
        () => true,
        () => true,
      ),
    };
  }

  test('a session ends at once with its streams when the user is disabled, and does not return when they are enabled', async () => {
    const [root, max, mia] = [await signedIn('root'), await signedIn('max'), await signedIn('mia')];
    const stream = await openStream(max.own);
    const other = await openStream(mia.own);
    const disabled = await api.post(`/api/users/${max.user}/disable`, undefined, root.own);
    expect(disabled.body).toMatchObject({ id: max.user, disabledAt: expect.any(String) });
    expect(await stream.ended).toBe(true);
    expect((await api.get('/api/calls', max.own)).status).toBe(401);
    expect((await api.get('/api/calls', mia.own)).status).toBe(200);
    const again = createTestBrowser();
    expect((await signInAs(again, api.url, 'max')).href).toBe(`${api.url}/?sign-in=disabled`);
    expect((await api.post(`/api/users/${max.user}/disable`, undefined, root.own)).status).toBe(409);
    expect((await api.post(`/api/users/${max.user}/enable`, undefined, root.own)).body.disabledAt).toBeUndefined();
    expect((await api.post(`/api/users/${max.user}/enable`, undefined, root.own)).status).toBe(409);
    expect((await api.get('/api/calls', max.own)).status).toBe(401);
    expect((await signedIn('max')).user).toBe(max.user);
    const acts = (await api.get('/api/calls?kind=administration', root.own)).body.calls;
    expect(acts.map(({ originalName }: { originalName: string }) => originalName)).toEqual(
      expect.arrayContaining(['disableUser', 'enableUser']),
    );
    await api.delete(`/api/users/${mia.user}`, root.own);
    expect(await other.ended).toBe(true);
  });

  test('a session ends when the user is removed, with their conversations, and the next sign-in creates another user', async () => {
    const [root, max] = [await signedIn('root'), await signedIn('max')];
    const { body: conversation } = await api.post('/api/conversations', {}, max.own);
    expect((await api.delete(`/api/users/${max.user}`, root.own)).status).toBe(204);
    expect((await api.delete(`/api/users/${max.user}`, root.own)).status).toBe(404);
    expect((await api.get('/api/calls', max.own)).status).toBe(401);
    expect((await api.get(`/api/conversations/${conversation.id}`, root.own)).status).toBe(404);
    expect((await signedIn('max')).user).not.toBe(max.user);
  });

  test('a session ends when a later sign-in finds another role, which counts at once', async () => {
    const root = await signedIn('root');
    await provider.setPerson('zoe', { name: 'Zoe', groups: ['tools-admins'] });
    const zoe = await signedIn('zoe');
    const stream = await openStream(zoe.own);
    expect((await api.get('/api/users', zoe.own)).status).toBe(200);
    await provider.setPerson('zoe', { name: 'Zoe', groups: ['staff'] });
    const demoted = await signedIn('zoe');
    expect(demoted.session).toMatchObject({ roles: ['member'], caller: { user: zoe.user } });
    expect(await stream.ended).toBe(true);
    expect((await api.get('/api/users', zoe.own)).status).toBe(401);
    await provider.setPerson('zoe', { name: 'Zoe', groups: [] });
    expect((await signInAs(createTestBrowser(), api.url, 'zoe')).href).toBe(`${api.url}/?sign-in=no-access`);
    expect((await api.get('/api/calls', demoted.own)).status).toBe(401);
    const { body } = await api.get('/api/users', root.own);
    expect(body.users.find(({ id }: { id: string }) => id === zoe.user)).toMatchObject({ roles: [] });
  });

  test('administrators cannot disable or remove themselves', async () => {
    const root = await signedIn('root');
    expect((await api.post(`/api/users/${root.user}/disable`, undefined, root.own)).status).toBe(409);
    expect((await api.delete(`/api/users/${root.user}`, root.own)).status).toBe(409);
    expect((await api.post('/api/users/nobody/disable', undefined, root.own)).status).toBe(404);
    expect((await api.post('/api/users/nobody/enable', undefined, root.own)).status).toBe(404);
  });

  test('a session ends with the sign-out, at the provider too', async () => {
    const max = await signedIn('max');
    const stream = await openStream(max.own);
    const response = await max.browser.open(`${api.url}/api/sign-out`);
    const url = new URL(String(response.headers.get('location')));
    expect(url.origin).toBe(provider.issuer);
    expect(url.searchParams.get('post_logout_redirect_uri')).toBe(`${api.url}/`);
    expect(await stream.ended).toBe(true);
    expect((await api.get('/api/session', max.own)).body.authenticated).toBe(false);
    const confirm = await max.browser.open(url.href);
    const form = await confirm.text();
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(form)?.[1] ?? '';
    const action = /action="([^"]+)"/.exec(form)?.[1] ?? '';
    const body = new URLSearchParams({ xsrf, logout: 'yes' });
    const done = await max.browser.open(action, { method: 'POST', body });
    expect(done.headers.get('location')).toBe(`${api.url}/`);
    // The provider asks for the person again.
    const { url: next } = await max.browser.follow(`${api.url}/api/sign-in`, ({ pathname }) =>
      pathname.startsWith('/interaction'),
    );
    expect(next.pathname).toMatch(/^\/interaction\//);
  });
});

describe('the roles', () => {
  test('approvers answer for others, never for themselves, and read all calls; members see their own', async () => {
    const [ann, max, zed] = [await signedIn('ann'), await signedIn('max'), await signedIn('max')];
    const calling = api.post('/api/tools/mcp_s_add/call', { arguments: { a: 1, b: 2 } }, max.own);
    const pending = async (own: { headers: Record<string, string> }) =>
      (await api.get('/api/approvals?status=pending', own)).body.approvals;
    await expect.poll(async () => (await pending(ann.own)).length, { timeout: 120_000 }).toBe(1);
    const [approval] = await pending(ann.own);
    expect(approval).toMatchObject({ mayAnswer: true, audiences: [], caller: { user: max.user } });
    expect((await pending(zed.own))[0]).toMatchObject({ mayAnswer: false });
    const answer = (own: { headers: Record<string, string> }, body: object) =>
      api.post(`/api/approvals/${approval.id}/answer`, body, own);
    expect((await answer(max.own, { answer: 'allow' })).status).toBe(403);
    expect((await answer(ann.own, { answer: 'allow', scope: 'tool' })).status).toBe(403);
    expect((await answer(ann.own, { answer: 'allow' })).status).toBe(200);
    expect((await calling).body).toMatchObject({ callId: expect.any(String) });
    const ownCall = api.post('/api/tools/mcp_s_add/call', { arguments: { a: 3, b: 4 } }, ann.own);
    await expect.poll(async () => (await pending(ann.own)).length, { timeout: 120_000 }).toBe(1);
    const [own] = await pending(ann.own);
    expect(own.mayAnswer).toBe(false);
    expect((await api.post(`/api/approvals/${own.id}/answer`, { answer: 'allow' }, ann.own)).status).toBe(403);
    const deny = await api.post(`/api/approvals/${own.id}/answer`, { answer: 'deny' }, { key: api.adminToken });
    expect(deny.status).toBe(200);
    await ownCall;
    const seenBy = async (who: { headers: Record<string, string> }) =>
      new Set(
        (await api.get('/api/calls', who)).body.calls.map(({ caller }: { caller: { user: string } }) => caller.user),
      );
    expect(await seenBy(max.own)).toEqual(new Set([max.user]));
    expect(await seenBy(ann.own)).toContain(max.user);
    const [call] = (await api.get(`/api/calls?caller=user:${max.user}`, ann.own)).body.calls;
    expect((await api.get(`/api/calls/${call.id}`, ann.own)).status).toBe(200);
    expect((await api.post(`/api/calls/${call.id}/cancel`, undefined, ann.own)).status).toBe(404);
    expect(
      (await api.get('/api/calls?kind=administration', ann.own)).body.calls.every(
        ({ caller }: { caller: { user: string } }) => caller.user === ann.user,
      ),
    ).toBe(true);
  });

  test('administrators read the conversations of users, and do not write in them', async () => {
    const [root, max, ann] = [await signedIn('root'), await signedIn('max'), await signedIn('ann')];
    const { body } = await api.post('/api/conversations', {}, max.own);
    const path = `/api/conversations/${body.id}`;
    expect((await api.get(path, root.own)).status).toBe(200);
    expect((await api.get(path, ann.own)).status).toBe(404);
    expect((await api.post(`${path}/messages`, { text: 'hi' }, root.own)).status).toBe(403);
    expect((await api.post(`${path}/resume`, undefined, { key: api.adminToken })).status).toBe(403);
    expect((await api.put(path, { title: 'x' }, root.own)).status).toBe(403);
    expect((await api.post(`${path}/messages`, { text: 'hi' }, max.own)).status).toBe(200);
    expect((await api.delete(path, root.own)).status).toBe(204);
  });

  test('a conversation that began with more access than its owner has now does not continue', async () => {
    await provider.setPerson('ivy', { name: 'Ivy', groups: ['tools-admins'] });
    const ivy = await signedIn('ivy');
    const { body } = await api.post('/api/conversations', {}, ivy.own);
    await provider.setPerson('ivy', { name: 'Ivy', groups: ['staff'] });
    const member = await signedIn('ivy');
    await api.post(`/api/conversations/${body.id}/messages`, { text: 'hi' }, member.own);
    const last = async () => (await api.get(`/api/conversations/${body.id}`, member.own)).body.messages.at(-1);
    await expect.poll(async () => (await last()).status, { timeout: 120_000 }).toBe('error');
    expect((await last()).problem).toContain('Your access has changed');
  });
});

test('every route of users was called', () => {
  expect(unasked(({ group }) => group === 'users')).toEqual([]);
});

describe('without the provider', () => {
  test('a sign-in fails with a clear reason while the provider is down, and other credentials keep working', async () => {
    const down = { ...provider.oidc, issuer: 'http://127.0.0.1:9' };
    await using lost = await startApi({ servers: {}, gateway: { oidc: down } });
    const response = await fetch(`${lost.url}/api/sign-in`, { redirect: 'manual' });
    expect(response.headers.get('location')).toBe('/?sign-in=unavailable');
    expect(lost.log.some(({ event }) => event === 'sign-in.unavailable')).toBe(true);
    expect((await lost.get('/api/servers', { key: lost.adminToken })).status).toBe(200);
  });

  test('a gateway without a provider has no sign-in, and one person at this machine needs none', async () => {
    await using plain = await startApi({ servers: {} });
    expect((await fetch(`${plain.url}/api/sign-in`, { redirect: 'manual' })).status).toBe(404);
    const { body } = await plain.get('/api/session');
    expect(body).toMatchObject({ via: 'loopback', permissions: expect.arrayContaining(['users.write']) });
    expect(body.signIn).toBeUndefined();
  });
});
