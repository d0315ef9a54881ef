import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openConfig } from '../../packages/toolwharf/config/open-config.ts';
import {
  createMemoryOAuthStore,
  type OAuthStore,
  oauthServerKey,
} from '../../packages/toolwharf/connections/authentication/oauth-store.ts';
import { systemClock } from '../../packages/toolwharf/kernel/clock.ts';
import { createLog, type Log, silentLog } from '../../packages/toolwharf/kernel/log.ts';
import { createMutex } from '../../packages/toolwharf/kernel/mutex.ts';
import { startToolbox } from '../../packages/toolwharf/toolbox.ts';
import { createTestOAuth } from '../support/oauth.ts';
import { type MachineServers, machineKey, startMachineServers } from '../support/oidc-machines.ts';

const pem = machineKey.privateKey.export({ format: 'pem', type: 'pkcs8' }) as string;

let servers: MachineServers;
beforeAll(async () => {
  servers = await startMachineServers();
});
afterAll(() => servers[Symbol.asyncDispose]());
beforeEach(() => {
  servers.tokens.length = 0;
});

interface Options {
  readonly store?: OAuthStore;
  readonly env?: Record<string, string>;
  readonly log?: Log;
}

async function open(
  authentication: object,
  { store = createMemoryOAuthStore(), env = {}, log = silentLog }: Options = {},
) {
  const server = { url: servers.mcp, authentication: { type: 'oauth', ...authentication }, retryAttempts: 0 };
  const config = { servers: { guarded: server }, toolbox: { naming: 'plain' } };
  return startToolbox(await openConfig(config as never), { oauth: { store }, env, log });
}

const secret = { grant: 'client-credentials', clientId: 'machine', clientSecret: '${MACHINE_SECRET}' };
const env = { MACHINE_SECRET: 'machine-SECRET' };

describe('a program that signs in to a server', () => {
  test('a program signs in with client credentials, and its token is renewed after the server refuses it', async () => {
    const store = createMemoryOAuthStore();
    await using toolbox = await open(secret, { env, store });
    expect((await toolbox.call('whoami', {})).text).toBe('machine');
    expect(servers.tokens).toEqual([{ grant: 'client_credentials', client: 'machine', status: 200 }]);
    servers.expire();
    const results = await Promise.all(Array.from({ length: 20 }, () => toolbox.call('whoami', {})));
    expect(results.map(({ text }) => text)).toEqual(Array(20).fill('machine'));
    expect(servers.tokens).toHaveLength(2);
    const records = await store.get(oauthServerKey('guarded', servers.mcp), 'client');
    expect(records).toEqual({ client_id: 'machine', issuer: servers.issuer });
  });

  test('a stored token of a program is used again after a restart', async () => {
    const store = createMemoryOAuthStore();
    for (let start = 0; start < 2; start++) {
      await using toolbox = await open(secret, { env, store });
      expect((await toolbox.call('whoami', {})).text).toBe('machine');
    }
    expect(servers.tokens).toHaveLength(1);
  });

  test('a program proves itself with a private key, which is never sent and never shown', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'machine-')), 'key.pem');
    await writeFile(file, pem);
    const authentication = { grant: 'client-credentials', clientId: 'signer', privateKey: `\${file:${file}}` };
    const messages: string[] = [];
    const log = createLog(({ message }) => messages.push(message));
    await using toolbox = await open(authentication, { log });
    expect((await toolbox.call('whoami', {})).text).toBe('signer');
    const state = await toolbox.servers.signInState('guarded');
    const [attempt] = state?.attempts ?? [];
    expect(attempt?.outcome).toBe('signed-in');
    const token = attempt?.steps.find(({ kind }) => kind === 'token');
    expect(token?.request?.body).toMatchObject({ grant_type: 'client_credentials', client_assertion: '[redacted]' });
    expect(JSON.stringify(state)).not.toContain(pem.split('\n')[1]);
    for (const issued of servers.seen) expect(JSON.stringify(state)).not.toContain(issued);

    // The authorization server checks the signature before it says that it revokes no tokens of this kind.
    await toolbox.servers.forgetSignIn('guarded');
    await toolbox[Symbol.asyncDispose]();
    expect(messages).toContainEqual(expect.stringContaining('it answered unsupported_token_type'));
  });

  test('an ID token of the company is exchanged for a grant, and the grant for an access token', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'machine-')), 'id-token');
    await writeFile(file, servers.idToken);
    await using toolbox = await open(
      {
        grant: 'enterprise',
        clientId: 'machine',
        clientSecret: '${MACHINE_SECRET}',
        identityProvider: servers.idp,
        identityProviderClientId: 'toolwharf-at-idp',
        idToken: `\${file:${file}}`,
      },
      { env },
    );
    expect((await toolbox.call('whoami', {})).text).toBe('machine');
    expect(servers.tokens.map(({ grant }) => grant.split(':').at(-1))).toEqual(['token-exchange', 'jwt-bearer']);
    const shown = JSON.stringify(await toolbox.servers.signInState('guarded'));
    expect(shown).not.toContain(servers.idToken);
    // The file is read for each exchange: a rotated token is noticed, and a refused one is named without quoting it.
    await writeFile(file, 'not-an-ID-TOKEN');
    servers.expire();
    const { failure } = await toolbox.call('whoami', {});
    expect(failure).toMatchObject({ code: 'OAUTH_FAILED' });
    expect(failure?.message).toContain('the identity provider answered invalid_grant');
    expect(failure?.message).not.toContain('not-an-ID-TOKEN');
  });

  test('a program signs in with the token of its workload, which is read anew for each request', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'machine-')), 'token');
    /** A token for the authorization server, as a platform writes it for a workload. */
    const rotate = async () => {
      const form = new URLSearchParams({
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        requested_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
        subject_token: servers.idToken,
        audience: servers.issuer,
        resource: servers.mcp,
      });
      const response = await fetch(`${servers.idp}/token`, { method: 'POST', body: form });
      await writeFile(file, String(((await response.json()) as { access_token: string }).access_token));
    };
    await rotate();
    const authentication = { grant: 'jwt-bearer', clientId: 'machine', clientSecret: '${MACHINE_SECRET}' };
    await using toolbox = await open({ ...authentication, assertion: `\${file:${file}}` }, { env });
    expect((await toolbox.call('whoami', {})).text).toBe('machine');
    const first = await readFile(file, 'utf8');
    await rotate();
    servers.expire();
    expect((await toolbox.call('whoami', {})).text).toBe('machine');
    const shown = JSON.stringify(await toolbox.servers.signInState('guarded'));
    for (const token of [first, await readFile(file, 'utf8')]) expect(shown).not.toContain(token);
  });

  test('a wrong secret fails with advice, and is not sent again for every request', async () => {
    await using toolbox = await open({ ...secret, clientSecret: 'wrong-SECRET' });
    const { reason } = toolbox.servers.get('guarded')?.status ?? {};
    expect(reason).toContain('invalid_client');
    expect(reason).not.toContain('wrong-SECRET');
    expect(servers.tokens.every(({ status }) => status === 401)).toBe(true);
  });

  test('credentials go only to the authorization server that is configured, or that got them first', async () => {
    await using toolbox = await open({ ...secret, issuer: 'https://other.example.com' }, { env });
    expect(toolbox.servers.get('guarded')?.status.reason).toContain('issuer names another one');
    const store = createMemoryOAuthStore();
    const key = oauthServerKey('guarded', servers.mcp);
    await store.set(key, 'client', { client_id: 'machine', issuer: 'https://first.example.com' });
    await using bound = await open(secret, { env, store });
    expect(bound.servers.get('guarded')?.status.reason).toContain('https://first.example.com');
    expect(servers.tokens).toEqual([]);
  });

  test('two replicas get one token between them', async () => {
    const memory = createMemoryOAuthStore();
    const inTurn = createMutex();
    // Each replica has its own store object on the same records, and they share the lock.
    const replica = (): OAuthStore => ({ ...memory, withLock: (_key, work) => inTurn(work) });
    await using one = await open(secret, { env, store: replica() });
    await using other = await open(secret, { env, store: replica() });
    expect(servers.tokens).toHaveLength(1);
    servers.expire();
    await Promise.all([one, other, one, other].map((toolbox) => toolbox.call('whoami', {})));
    expect(servers.tokens).toHaveLength(2);
  });
});

test('a token of a program is renewed shortly before it expires, without a refused request', async () => {
  let later = 0;
  const clock = { ...systemClock, now: () => Date.now() + later };
  const spec = { grant: 'client-credentials' as const, clientId: 'machine', clientSecret: 'machine-SECRET' };
  const { oauth } = createTestOAuth(servers.mcp, { spec, clock });
  await oauth.authorize();
  const first = await oauth.authProvider.token();
  expect(await oauth.authProvider.token()).toBe(first);
  later = 3_590_000;
  expect(await oauth.authProvider.token()).not.toBe(first);
  expect(servers.tokens.map(({ status }) => status)).toEqual([200, 200]);
});
