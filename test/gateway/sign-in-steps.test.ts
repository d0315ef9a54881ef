import { expect, test } from 'vitest';
import { startApi, type TestApi } from '../support/api.ts';
import { expectNoSecrets, freePort, startServers, visit } from '../support/oauth.ts';
import { waitFor } from '../support/wait-for.ts';

type Step = {
  kind: string;
  request?: { body?: Record<string, unknown>; url: string };
  response?: { status: number; body?: unknown };
};

const path = '/api/servers/guarded/sign-in';

async function openGuarded(mcp: string, oauth: object = {}) {
  const port = await freePort();
  const servers = { guarded: { url: mcp, authentication: { type: 'oauth' as const, ...oauth } } };
  return startApi({ servers }, { port });
}

async function readSignIn(api: TestApi) {
  const { body } = await api.get(path, { key: api.adminToken });
  return body;
}

async function signIn(api: TestApi): Promise<void> {
  const url = await waitFor(async () => (await api.get('/api/servers/guarded')).body.status.signInUrl as string);
  await fetch(`${api.url}/api/oauth/callback?${await visit(url)}`);
}

test('each step of a sign-in and a renewal is shown with its request and response, without secrets', async () => {
  const { mcp, stats, expire } = await startServers();
  await using api = await openGuarded(mcp);
  const waiting = await waitFor(async () => {
    const state = await readSignIn(api);
    return state.attempts[0]?.outcome === 'waiting' && state;
  });
  expect(waiting.usesOAuth).toBe(true);
  expect(waiting.attempts[0]).toMatchObject({ reason: 'sign-in', error: expect.stringContaining('sign in') });

  await signIn(api);
  const { attempts, tokens, client } = await readSignIn(api);
  const [attempt] = attempts;
  expect(attempt.outcome).toBe('signed-in');
  const kinds = attempt.steps.map(({ kind }: Step) => kind);
  for (const kind of ['challenge', 'resource-metadata', 'server-metadata', 'authorization', 'redirect', 'token'])
    expect(kinds).toContain(kind);
  expect(attempts.flatMap(({ steps }: { steps: Step[] }) => steps.map(({ kind }) => kind))).toContain('registration');
  const step = (kind: string): Step => attempt.steps.find((one: Step) => one.kind === kind);
  expect(step('token')).toMatchObject({
    request: {
      method: 'POST',
      body: { grant_type: 'authorization_code', code: '[redacted]', code_verifier: '[redacted]' },
    },
    response: { status: 200, body: { access_token: '[redacted]', token_type: expect.any(String) } },
  });
  expect(step('authorization').request?.url).toContain('state=[redacted]');
  expect(step('redirect')).toMatchObject({ received: { code: '[redacted]', state: '[redacted]' } });
  expect(tokens).toMatchObject({ issuer: expect.any(String), canRenew: true });
  expect(client).toMatchObject({ isRegistered: true, clientId: expect.any(String) });

  await expire();
  await api.post('/api/servers/guarded/refresh', undefined, { key: api.adminToken });
  const renewed = await waitFor(async () => {
    const [latest] = (await readSignIn(api)).attempts;
    return latest.outcome === 'renewed' && latest;
  });
  expect(renewed).toMatchObject({ reason: 'renewal' });
  expect(renewed.steps.find(({ kind }: Step) => kind === 'refresh')).toMatchObject({
    request: { body: { grant_type: 'refresh_token', refresh_token: '[redacted]' } },
    response: { status: 200 },
  });
  expectNoSecrets(await stats(), [JSON.stringify(await readSignIn(api))]);
});

test('a failed sign-in shows a remedy, and signing out allows a new sign-in', async () => {
  const { mcp, setMode } = await startServers('deny');
  await using api = await openGuarded(mcp);
  await signIn(api);
  const [failed] = (await readSignIn(api)).attempts;
  expect(failed).toMatchObject({ outcome: 'failed', error: expect.stringMatching(/access_denied .*\. Sign in again/) });

  await setMode('');
  await api.post('/api/servers/guarded/connect', undefined, { key: api.adminToken });
  await signIn(api);
  expect((await readSignIn(api)).tokens).toBeDefined();
  expect((await api.delete(path, { key: api.adminToken })).status).toBe(204);
  const after = await readSignIn(api);
  expect([after.tokens, after.attempts[0].outcome]).toEqual([undefined, 'waiting']);
});

test('only administrators see sign-ins, and a server without OAuth has none', async () => {
  const { mcp } = await startServers();
  await using api = await startApi({ servers: { guarded: { url: mcp } } });
  const key = await api.key(['read', 'call']);
  expect((await api.get(path, { key })).status).toBe(403);
  expect((await api.delete(path, { key })).status).toBe(403);
  expect(await readSignIn(api)).toEqual({ usesOAuth: false, attempts: [] });
});
