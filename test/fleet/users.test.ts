import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  answerForm,
  createTestBrowser,
  startIdentityProvider,
  type TestIdentityProvider,
} from '../support/identity-provider.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { waitFor } from '../support/wait-for.ts';
import { type Replicas, startReplicas } from './replicas.ts';

// The address of the balancer, which these tests replace: they choose the replica of each request.
const address = 'http://127.0.0.1:65000';

let provider: TestIdentityProvider;
let postgres: TestPostgres;
let replicas: Replicas;
beforeAll(async () => {
  provider = await startIdentityProvider();
  await provider.setPerson('max', { name: 'Max', groups: ['staff'] });
  postgres = await startPostgres();
  replicas = await startReplicas(postgres, {
    servers: {},
    gateway: { url: address, oidc: { ...provider.oidc, roles: { admin: ['admins'], member: ['staff'] } } },
  });
});
afterAll(async () => {
  await replicas?.[Symbol.asyncDispose]();
  await postgres?.stop();
  await provider?.[Symbol.asyncDispose]();
});

/** The cookies that one replica set, as the browser sends them to the other: the port is part of their names. */
function cookiesFor(url: string, cookies: ReadonlyMap<string, string> | undefined): string {
  const { port } = new URL(url);
  return [...(cookies ?? [])].map(([name, value]) => `${name.replace(/\d+$/, port)}=${value}`).join('; ');
}

/** Begins a sign-in at one replica and finishes it at the other; returns the cookies of the session. */
async function signIn(login: string): Promise<ReadonlyMap<string, string>> {
  const [one, two] = replicas.all;
  const browser = createTestBrowser();
  const { url } = await browser.follow(`${one.url}/api/sign-in?here=1`, ({ pathname }) =>
    pathname.startsWith('/interaction'),
  );
  const callback = await answerForm(browser, url, address, login);
  const response = await fetch(`${two.url}${callback.pathname}${callback.search}`, {
    headers: { cookie: cookiesFor(two.url, browser.cookies.get(one.url)) },
    redirect: 'manual',
  });
  expect(response.headers.get('location')).toBe('/');
  // A response that one replica has used is worthless at the other.
  const again = await browser.open(`${one.url}${callback.pathname}${callback.search}`);
  expect(again.headers.get('location')).toMatch(/^\/\?sign-in=(expired|failed)$/);
  const pairs = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0]?.split('=') ?? []);
  return new Map(pairs.map(([name = '', value = '']) => [name, value]));
}

test('a sign-in that one replica begins is finished by another, and disabling the user ends the streams on all', async () => {
  const [one, two] = replicas.all;
  const cookies = await signIn('max');
  const at = (url: string) => ({ headers: { cookie: cookiesFor(url, cookies), 'x-toolwharf': '1' } });
  const { body: session } = await one.get('/api/session', at(one.url));
  expect(session).toMatchObject({ via: 'sign-in', caller: { name: 'Max' } });
  const streams = await Promise.all(replicas.all.map(({ url }) => fetch(`${url}/api/events`, at(url))));
  expect(streams.map(({ status }) => status)).toEqual([200, 200]);
  const ended = Promise.all(
    streams.map((stream) =>
      stream.text().then(
        () => true,
        () => true,
      ),
    ),
  );
  const disabled = await one.post(`/api/users/${session.caller.user}/disable`, undefined, { key: replicas.adminToken });
  expect(disabled.status).toBe(200);
  expect(await ended).toEqual([true, true]);
  expect((await two.get('/api/calls', at(two.url))).status).toBe(401);
  await two.post(`/api/users/${session.caller.user}/enable`, undefined, { key: replicas.adminToken });
  expect((await one.get('/api/calls', at(one.url))).status).toBe(401);
});

test('a role that a sign-in at one replica changes ends the sessions on the other', async () => {
  const [one, two] = replicas.all;
  const cookies = await signIn('max');
  const at = (url: string) => ({ headers: { cookie: cookiesFor(url, cookies), 'x-toolwharf': '1' } });
  const stream = await fetch(`${one.url}/api/events`, at(one.url));
  expect(stream.status).toBe(200);
  await provider.setPerson('max', { name: 'Max', groups: ['admins'] });
  const admin = await signIn('max');
  await stream.text().catch(() => {});
  expect((await one.get('/api/calls', at(one.url))).status).toBe(401);
  const own = { headers: { cookie: cookiesFor(two.url, admin), 'x-toolwharf': '1' } };
  await waitFor(async () => (await two.get('/api/users', own)).status === 200, {
    what: 'the rights of an administrator',
  });
});
