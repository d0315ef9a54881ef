import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from '../support/api.ts';
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

const configure = () => ({
  servers: {},
  gateway: { oidc: { ...provider.oidc, roles: { admin: ['admins'], member: ['staff'] } } },
});

beforeAll(async () => {
  provider = await startIdentityProvider();
  await provider.setPerson('root', { name: 'Root', groups: ['admins'] });
  await provider.setPerson('mia', { name: 'Mia', groups: ['staff'] });
  await provider.setPerson('max', { name: 'Max', groups: ['staff'] });
  api = await startApi(configure());
});
afterAll(async () => {
  await api?.close();
  await provider?.[Symbol.asyncDispose]();
});

/** The headers with which a browser sends its session. */
function session(browser: TestBrowser): { headers: Record<string, string> } {
  return { headers: { cookie: browser.cookieFor(api.url), 'x-toolwharf': '1' } };
}

async function signedIn(login: string) {
  const browser = createTestBrowser();
  expect((await signInAs(browser, api.url, login)).href).toBe(`${api.url}/`);
  const { body } = await api.get('/api/session', session(browser));
  return { browser, own: session(browser), user: String(body.caller?.user) };
}

/** A browser that has begun to sign in, with the address to which the provider returns it. */
async function begun(login: string) {
  const browser = createTestBrowser();
  const { url } = await browser.follow(`${api.url}/api/sign-in`, ({ pathname }) => pathname.startsWith('/interaction'));
  return { browser, callback: await answerForm(browser, url, api.url, login) };
}

async function expectRefused(browser: TestBrowser, callback: URL, problem = 'expired'): Promise<void> {
  const response = await browser.open(callback.href);
  expect(response.headers.get('location')).toBe(`/?sign-in=${problem}`);
  expect(response.headers.getSetCookie().filter((cookie) => cookie.startsWith('toolwharf-session'))).toEqual([]);
}

test('an attacker cannot sign a victim in as the attacker (login CSRF)', async () => {
  const attacker = await begun('mia');
  await expectRefused(createTestBrowser(), attacker.callback);
  const victim = await begun('max');
  await expectRefused(victim.browser, attacker.callback);
  // The victim's own sign-in still works.
  expect((await victim.browser.open(victim.callback.href)).headers.get('location')).toBe('/');
});

test('an attacker cannot inject a stolen code into another sign-in: it belongs to another verifier', async () => {
  const [victim, attacker] = [await begun('root'), await begun('mia')];
  const injected = new URL(attacker.callback);
  injected.searchParams.set('code', String(victim.callback.searchParams.get('code')));
  await expectRefused(attacker.browser, injected, 'failed');
});

test('an attacker cannot use a response twice, even with a copy of the cookies', async () => {
  const { browser, callback } = await begun('max');
  const copy = createTestBrowser();
  copy.cookies.set(api.url, new Map(browser.cookies.get(api.url)));
  expect((await browser.open(callback.href)).headers.get('location')).toBe('/');
  const before = (await provider.counts())['/token'];
  await expectRefused(copy, callback);
  await expectRefused(browser, callback);
  expect((await provider.counts())['/token']).toBe(before);
});

test('an attacker cannot pass off a response of another provider (mix-up)', async () => {
  const { browser, callback } = await begun('max');
  callback.searchParams.set('iss', 'https://evil.example');
  await expectRefused(browser, callback, 'failed');
  const other = await begun('max');
  other.callback.searchParams.delete('iss');
  await expectRefused(other.browser, other.callback, 'failed');
});

test('an attacker cannot forge the cookie of a sign-in, nor use that of another gateway', async () => {
  const { browser, callback } = await begun('max');
  const jar = browser.cookies.get(api.url) ?? new Map<string, string>();
  const [name = '', value = ''] = [...jar].find(([key]) => key.startsWith('toolwharf-sign-in')) ?? [];
  await using other = await startApi(configure());
  const foreign = await fetch(`${other.url}/api/sign-in`, { redirect: 'manual' });
  const sealed = /=([^;]*)/.exec(foreign.headers.get('set-cookie') ?? '')?.[1] ?? '';
  for (const forged of ['', 'x', `${value}x`, value.slice(0, -2), sealed]) {
    jar.set(name, forged);
    await expectRefused(browser, callback);
  }
});

test('an attacker cannot plant a session: a sign-in opens a new one and ends the use of the planted one', async () => {
  const attacker = await signedIn('mia');
  const { browser, callback } = await begun('max');
  const jar = browser.cookies.get(api.url) ?? new Map<string, string>();
  const planted = [...(attacker.browser.cookies.get(api.url) ?? [])].find(([key]) =>
    key.startsWith('toolwharf-session'),
  );
  jar.set(planted?.[0] ?? '', planted?.[1] ?? '');
  await browser.open(callback.href);
  const { body } = await api.get('/api/session', session(browser));
  expect(body.caller.name).toBe('Max');
});

test('an attacker cannot lead a victim to another site after the sign-in', async () => {
  for (const path of ['//evil.example', '/\\evil.example', 'https://evil.example', '/.//evil.example']) {
    const browser = createTestBrowser();
    expect((await signInAs(browser, api.url, 'max', path)).href).toBe(`${api.url}/`);
  }
});

test('an attacker cannot sign people out from another site', async () => {
  const max = await signedIn('max');
  const headers = { cookie: max.own.headers.cookie ?? '', 'sec-fetch-site': 'cross-site' };
  const response = await fetch(`${api.url}/api/sign-out`, { headers, redirect: 'manual' });
  expect([response.status, response.headers.get('location')]).toEqual([303, '/']);
  expect((await api.get('/api/session', max.own)).body.authenticated).toBe(true);
});

test('an attacker cannot use the session of a user from another site', async () => {
  const root = await signedIn('root');
  const headers = {
    cookie: root.own.headers.cookie ?? '',
    origin: 'http://127.0.0.1:1',
    'sec-fetch-site': 'same-site',
  };
  expect((await api.get('/api/users', { headers })).status).toBe(401);
  expect((await api.post(`/api/users/${root.user}/enable`, undefined, { headers })).status).toBe(403);
});

test('a flood of callbacks is held off before the provider is asked', async () => {
  await using flooded = await startApi(configure());
  const { browser, callback } = await (async () => {
    const one = createTestBrowser();
    const { url } = await one.follow(`${flooded.url}/api/sign-in`, ({ pathname }) =>
      pathname.startsWith('/interaction'),
    );
    return { browser: one, callback: await answerForm(one, url, flooded.url, 'max') };
  })();
  const before = (await provider.counts())['/token'] ?? 0;
  let location: string | null = '';
  for (let attempt = 0; attempt < 150 && location !== '/?sign-in=too-many'; attempt++) {
    const started = await browser.open(`${flooded.url}/api/sign-in`);
    callback.searchParams.set(
      'state',
      new URL(String(started.headers.get('location'))).searchParams.get('state') ?? '',
    );
    location = (await browser.open(callback.href)).headers.get('location');
  }
  expect(location).toBe('/?sign-in=too-many');
  expect((await provider.counts())['/token']).toBeLessThanOrEqual(before + 100);
});
