import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startApi, type TestApi } from '../support/api.ts';
import { fixture } from '../support/fixtures.ts';
import {
  createTestBrowser,
  signInAs,
  startIdentityProvider,
  type TestIdentityProvider,
} from '../support/identity-provider.ts';
import { waitFor } from '../support/wait-for.ts';

let provider: TestIdentityProvider;
let api: TestApi;

beforeAll(async () => {
  provider = await startIdentityProvider();
  for (const [sub, groups] of Object.entries({
    root: ['admins'],
    rita: ['admins'],
    ann: ['approvers'],
    mia: ['staff'],
    max: ['staff'],
    kim: ['keepers', 'staff'],
  }))
    await provider.setPerson(sub, { name: sub, groups });
  api = await startApi({
    servers: { s: fixture('legacy') },
    toolbox: { approval: { ask: ['*_add'] } },
    gateway: {
      oidc: {
        ...provider.oidc,
        roles: { admin: ['admins'], approver: ['approvers'], keeper: ['keepers'], member: ['staff'] },
      },
    },
  });
  await provider.setOptions({ backchannelLogoutUri: `${api.url}/api/sign-in/backchannel-logout` });
});
afterAll(async () => {
  await api?.close();
  await provider?.[Symbol.asyncDispose]();
});

async function signedIn(login: string) {
  const browser = createTestBrowser();
  await signInAs(browser, api.url, login);
  const own = { headers: { cookie: browser.cookieFor(api.url), 'x-toolwharf': '1' } };
  const user = String((await api.get('/api/session', own)).body.caller.user);
  return { browser, own, user };
}

type Person = Awaited<ReturnType<typeof signedIn>>;
const permissionsOf = async ({ own }: Person): Promise<readonly string[]> =>
  (await api.get('/api/session', own)).body.permissions;
const ask = async ({ own }: Person, role: string, minutes = 60) =>
  api.post('/api/elevations', { role, minutes, reason: 'A server has to move' }, own);
const answer = ({ own }: Person, id: string, given: 'grant' | 'deny') =>
  api.post(`/api/elevations/${id}/answer`, { answer: given }, own);
const end = ({ own }: Person, id: string) => api.post(`/api/elevations/${id}/end`, undefined, own);
const operations = async () =>
  (await api.get('/api/calls?kind=administration&limit=200', { key: api.adminToken })).body.calls.map(
    ({ originalName }: { originalName: string }) => originalName,
  );

describe('roles of your own', () => {
  test('a role gets only permissions that its author has, and holds at once for people with its groups', async () => {
    const [root, kim] = [await signedIn('root'), await signedIn('kim')];
    expect(await permissionsOf(kim)).not.toContain('servers.write');
    const keeper = { name: 'keeper', title: 'Keeper', permissions: ['servers.write', 'roles.write'] };
    expect((await api.post('/api/roles', keeper, kim.own)).status).toBe(403);
    expect((await api.post('/api/roles', keeper, root.own)).body).toMatchObject({
      permissions: expect.arrayContaining(['servers.write', 'tools.read']),
      groups: ['keepers'],
    });
    expect(await permissionsOf(kim)).toContain('servers.write');
    // Kim may write roles, but none with more than Kim has, not even the one that Kim has.
    const more = { permissions: ['servers.write', 'roles.write', 'users.write'] };
    for (const wanted of [
      await api.put('/api/roles/keeper', more, kim.own),
      await api.post('/api/roles', { name: 'backdoor', permissions: ['keys.write'] }, kim.own),
    ])
      expect(wanted).toMatchObject({ status: 403, body: { error: { code: 'FORBIDDEN' } } });
    expect((await api.put('/api/roles/admin', more, root.own)).status).toBe(409);
    for (const name of ['admin', 'none', 'Keeper', 'x y'])
      expect((await api.post('/api/roles', { name, permissions: ['tools.read'] }, root.own)).status).toBe(400);
    expect((await api.put('/api/roles/keeper', { permissions: ['tools.write'] }, root.own)).status).toBe(200);
    expect(await permissionsOf(kim)).not.toContain('servers.write');
    expect((await api.delete('/api/roles/keeper', root.own)).status).toBe(204);
    expect(await permissionsOf(kim)).not.toContain('tools.write');
    expect(await operations()).toEqual(expect.arrayContaining(['createRole', 'updateRole', 'removeRole']));
  });

  test('a role that is edited while a call waits decides about the call', async () => {
    const [root, kim] = [await signedIn('root'), await signedIn('kim')];
    await api.post('/api/roles', { name: 'keeper', permissions: ['tools.call', 'calls.read'] }, root.own);
    const claims = { name: 'kim', groups: ['keepers'] };
    await provider.setPerson('kim', claims);
    const only = await signedIn('kim');
    expect(kim.user).toBe(only.user);
    // The connection may be closed with the permission.
    const calling = api
      .post('/api/tools/mcp_s_add/call', { arguments: { a: 1, b: 2 } }, only.own)
      .catch(() => undefined);
    const pending = async () => (await api.get('/api/approvals?status=pending', root.own)).body.approvals;
    await waitFor(async () => (await pending()).length === 1, { what: 'the approval' });
    const [approval] = await pending();
    expect(approval.caller).toMatchObject({ user: only.user, name: 'kim' });
    await api.put('/api/roles/keeper', { permissions: ['calls.read'] }, root.own);
    await api.post(`/api/approvals/${approval.id}/answer`, { answer: 'allow' }, root.own);
    const outcome = await calling;
    if (outcome) expect(outcome.body).toMatchObject({ error: { code: 'CALL_DENIED' } });
    const { calls } = (await api.get('/api/calls?tool=mcp_s_add', root.own)).body;
    await waitFor(
      async () => {
        const call = (await api.get(`/api/calls/${calls[0].id}`, root.own)).body;
        return call.status === 'error' || call.status === 'cancelled';
      },
      { what: 'the end of the call' },
    );
    await provider.setPerson('kim', { name: 'kim', groups: ['keepers', 'staff'] });
    await api.delete('/api/roles/keeper', root.own);
  });
});

describe('a role for an hour', () => {
  test('another person grants the role, it ends by itself, and the journal has each step', async () => {
    const [root, mia] = [await signedIn('root'), await signedIn('mia')];
    expect((await ask(mia, 'none')).status).toBe(404);
    expect((await ask(mia, 'member')).status).toBe(409);
    const { body: asked } = await ask(mia, 'approver');
    expect(asked).toMatchObject({ status: 'pending', isOwn: true, mayAnswer: false, askedBy: { name: 'mia' } });
    expect((await ask(mia, 'admin')).status).toBe(409);
    expect((await answer(mia, asked.id, 'grant')).status).toBe(403);
    expect(await permissionsOf(mia)).not.toContain('approvals.answer');
    expect((await answer(root, asked.id, 'grant')).body).toMatchObject({
      status: 'granted',
      answeredBy: { name: 'root' },
    });
    expect((await answer(root, asked.id, 'deny')).status).toBe(409);
    expect(await permissionsOf(mia)).toContain('approvals.answer');
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61 * 60_000 });
    try {
      expect(await permissionsOf(mia)).not.toContain('approvals.answer');
      await waitFor(async () => (await operations()).includes('endElevation'), { what: 'the recorded end' });
    } finally {
      vi.useRealTimers();
    }
    const { elevations } = (await api.get('/api/elevations', mia.own)).body;
    expect(elevations).toMatchObject([{ id: asked.id, status: 'ended' }]);
    const max = await signedIn('max');
    expect((await api.get('/api/elevations', max.own)).body.elevations).toEqual([]);
    expect((await end(max, asked.id)).status).toBe(404);
    expect(await operations()).toEqual(expect.arrayContaining(['requestElevation', 'answerElevation']));
  });

  test('people with a granted role pass nothing of it on: no grant, role or key', async () => {
    const [root, mia, max] = [await signedIn('root'), await signedIn('mia'), await signedIn('max')];
    const { body: asked } = await ask(mia, 'admin');
    await answer(root, asked.id, 'grant');
    expect(await permissionsOf(mia)).toContain('roles.grant');
    const { body: other } = await ask(max, 'admin');
    expect(await answer(mia, other.id, 'grant')).toMatchObject({ status: 403 });
    expect((await api.post('/api/roles', { name: 'mine', permissions: ['keys.write'] }, mia.own)).status).toBe(403);
    for (const rights of [['admin'], ['servers.write'], ['approvals.answer']])
      expect((await api.post('/api/keys', { name: 'k', rights }, mia.own)).status).toBe(403);
    const { key } = (await api.post('/api/keys', { name: 'k' }, mia.own)).body;
    const withKey = (await api.get('/api/session', { key })).body;
    expect(withKey.permissions).not.toContain('servers.write');
    expect((await api.post('/api/elevations', { role: 'admin', reason: 'x' }, { key })).status).toBe(403);
    expect((await end(root, asked.id)).body).toMatchObject({ status: 'ended' });
    expect(await permissionsOf(mia)).not.toContain('servers.write');
    await end(max, other.id);
  });

  test('an approver for an hour answers for others, and neither their own waiting call nor that of their key', async () => {
    const [root, mia, max] = [await signedIn('root'), await signedIn('mia'), await signedIn('max')];
    const { key } = (await api.post('/api/keys', { name: 'mia', expiresInDays: 1 }, mia.own)).body;
    const call = (how: object) => api.post('/api/tools/mcp_s_add/call', { arguments: { a: 1, b: 2 } }, how);
    const calls = [call(mia.own), call({ key }), call(max.own)];
    const pending = async () => (await api.get('/api/approvals?status=pending', root.own)).body.approvals;
    await waitFor(async () => (await pending()).length === 3, { what: 'the approvals' });
    const { body: asked } = await ask(mia, 'approver');
    await answer(root, asked.id, 'grant');
    const outcomes: number[] = [];
    for (const { id, caller } of await pending()) {
      const path = `/api/approvals/${id}/answer`;
      const { status } = await api.post(path, { answer: 'allow' }, mia.own);
      expect(status, caller.id).toBe(caller.user === max.user ? 200 : 403);
      outcomes.push(status);
      if (status !== 200) await api.post(path, { answer: 'allow' }, root.own);
    }
    expect(outcomes.sort()).toEqual([200, 403, 403]);
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 200, 200]);
    await end(mia, asked.id);
  });
});

describe('personal keys', () => {
  test('a key has at most the permissions of its person, and none when they are disabled or removed', async () => {
    const [root, max] = [await signedIn('root'), await signedIn('max')];
    expect((await api.post('/api/keys', { name: 'k', rights: ['admin'] }, max.own)).status).toBe(403);
    const made = (await api.post('/api/keys', { name: 'k', expiresInDays: 30 }, max.own)).body;
    expect(made).toMatchObject({ user: max.user, expiresAt: expect.any(String) });
    const { body } = await api.get('/api/session', { key: made.key });
    expect(body).toMatchObject({ profile: 'default', caller: { user: max.user, kind: 'client' } });
    expect((await api.post('/api/keys', { name: 'child' }, { key: made.key })).status).toBe(403);
    const mia = await signedIn('mia');
    expect((await api.get('/api/keys', mia.own)).body.keys.map(({ id }: { id: string }) => id)).not.toContain(made.id);
    expect((await api.delete(`/api/keys/${made.id}`, mia.own)).status).toBe(404);
    const stream = await fetch(`${api.url}/api/events`, { headers: { authorization: `Bearer ${made.key}` } });
    await api.post(`/api/users/${max.user}/disable`, undefined, root.own);
    expect((await api.get('/api/tools', { key: made.key })).status).toBe(401);
    await stream.text().catch(() => {});
    await api.post(`/api/users/${max.user}/enable`, undefined, root.own);
    expect((await api.get('/api/tools', { key: made.key })).status).toBe(200);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31 * 86_400_000 });
    try {
      expect((await api.get('/api/tools', { key: made.key })).status).toBe(401);
    } finally {
      vi.useRealTimers();
    }
    await api.delete(`/api/users/${max.user}`, root.own);
    expect((await api.get('/api/tools', { key: made.key })).status).toBe(401);
    expect((await signedIn('max')).user).not.toBe(max.user);
    expect((await api.get('/api/tools', { key: made.key })).status).toBe(401);
  });

  test('a key of an administrator loses what the administrator loses, and keys that it made end with it', async () => {
    const rita = await signedIn('rita');
    const { key: parent, id } = (await api.post('/api/keys', { name: 'p', rights: ['admin'] }, rita.own)).body;
    const { key: child } = (await api.post('/api/keys', { name: 'c', rights: ['admin'] }, { key: parent })).body;
    expect((await api.get('/api/users', { key: child })).status).toBe(200);
    await provider.setPerson('rita', { name: 'rita', groups: ['staff'] });
    await signedIn('rita');
    for (const key of [parent, child]) expect((await api.get('/api/users', { key })).status).toBe(403);
    await api.delete(`/api/keys/${id}`, { key: api.adminToken });
    expect((await api.get('/api/tools', { key: child })).status).toBe(401);
  });
});

describe('someone leaves', () => {
  test('the provider ends the sessions of a person at once, and a logout token works once', async () => {
    const [ann, again] = [await signedIn('ann'), await signedIn('ann')];
    const stream = await fetch(`${api.url}/api/events`, { headers: ann.own.headers });
    const form = await ann.browser.follow(`${api.url}/api/sign-out`);
    const page = await form.response?.text();
    const action = /action="([^"]+)"/.exec(page ?? '')?.[1] ?? '';
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(page ?? '')?.[1] ?? '';
    await ann.browser.open(action, { method: 'POST', body: new URLSearchParams({ xsrf, logout: 'yes' }) });
    await waitFor(async () => (await operations()).includes('endSessions'), { what: 'the logout of the provider' });
    expect((await api.get('/api/session', again.own)).body.authenticated).toBe(false);
    await stream.text().catch(() => {});
    expect((await api.get('/api/session', (await signedIn('ann')).own)).body.authenticated).toBe(true);
  });

  test('requests with a forged, wrong or missing logout token end nothing', async () => {
    const ann = await signedIn('ann');
    const post = (body: string, type = 'application/x-www-form-urlencoded') =>
      fetch(`${api.url}/api/sign-in/backchannel-logout`, { method: 'POST', body, headers: { 'content-type': type } });
    expect((await post('')).status).toBe(400);
    expect((await post('{}', 'application/json')).status).toBe(400);
    expect((await post('logout_token=a.b.c')).status).toBe(400);
    expect((await post(`logout_token=${'a'.repeat(20_000)}`)).status).toBe(400);
    expect((await api.get('/api/session', ann.own)).body.authenticated).toBe(true);
  });
});
