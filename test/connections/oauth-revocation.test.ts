import { createServer } from 'node:http';
import { describe, expect, test } from 'vitest';
import { createRevocations } from '../../packages/toolwharf/connections/authentication/oauth-revocation.ts';
import {
  createMemoryOAuthStore,
  oauthServerKey,
} from '../../packages/toolwharf/connections/authentication/oauth-store.ts';
import { createPoolFetch } from '../../packages/toolwharf/connections/http/pool-fetch.ts';
import { createLog } from '../../packages/toolwharf/kernel/log.ts';
import {
  connect,
  createBrowser,
  createTestOAuth,
  expectNoSecrets,
  listen,
  type Setup,
  sharing,
  startServers,
} from '../support/oauth.ts';

/** Signs in, and deletes the sign-in. Returns the requests for revocation and the log. */
async function signOut(mode = '', setup: Setup = {}) {
  const servers = await startServers(mode);
  const store = createMemoryOAuthStore();
  const { oauth, lines } = createTestOAuth(servers.mcp, { store, callback: createBrowser(), ...setup });
  await connect(servers.mcp, oauth);
  await oauth.forget();
  expect(await store.get(oauthServerKey('guarded', servers.mcp), 'tokens')).toBeUndefined();
  await oauth.revoking();
  const stats = await servers.stats();
  expectNoSecrets(stats, lines);
  const { revocations, validTokens } = stats;
  return { revocations, validTokens, log: lines.filter((line) => /revo[ck]/.test(line)).join() };
}

describe('a sign-in that is deleted', () => {
  test('the refresh token is revoked, with the authentication of the token endpoint, and ends the access token', async () => {
    const { revocations, validTokens, log } = await signOut();
    expect(revocations).toEqual([{ kind: 'rt', hint: 'refresh_token', method: 'basic', client: 'client-1' }]);
    expect(validTokens).toBe(0);
    expect(log).toContain('oauth.revoked');
  });

  test('the access token is revoked if there is no refresh token, or if the server revokes no refresh tokens', async () => {
    const access = { kind: 'at', hint: 'access_token', method: 'basic' };
    expect(await signOut('no-refresh')).toMatchObject({ revocations: [access], validTokens: 0 });
    const { revocations, validTokens } = await signOut('revoke-access-only');
    expect(revocations).toMatchObject([{ kind: 'rt' }, access]);
    expect(validTokens).toBe(0);
  });

  test('configured and public clients identify themselves as at the token endpoint', async () => {
    const configured = { spec: { clientId: 'ours', clientSecret: 'ours-SECRET' } };
    expect((await signOut('', configured)).revocations).toMatchObject([{ method: 'basic', client: 'ours' }]);
    const published = { spec: { clientMetadataUrl: 'https://toolwharf.example/client.json' } };
    expect((await signOut('cimd', published)).revocations).toMatchObject([
      { method: 'none', client: 'https://toolwharf.example/client.json' },
    ]);
  });

  test('nothing is sent to a server that offers no revocation, or offers it without encryption', async () => {
    const unsupported = await signOut('no-revocation');
    expect(unsupported.revocations).toEqual([]);
    expect(unsupported.log).toContain('oauth.not-revocable');
    const plain = await signOut('plain-revocation', { security: { allowInsecure: true } });
    expect(plain.revocations).toEqual([]);
    expect(plain.log).toContain('is not secure');
  });

  test('a failed revocation is logged, and the sign-in is deleted all the same', async () => {
    const { revocations, validTokens, log } = await signOut('revoke-503');
    expect([revocations.length, validTokens]).toEqual([1, 1]);
    expect(log).toMatch(/oauth\.not-revoked'.*it answered with HTTP status 503/s);
  });

  test('processes that delete the same sign-in at the same time revoke it once', async () => {
    const servers = await startServers();
    const store = createMemoryOAuthStore();
    const all = [store, sharing(store), sharing(store)].map(
      (shared) => createTestOAuth(servers.mcp, { store: shared, callback: createBrowser() }).oauth,
    );
    for (const oauth of all) await connect(servers.mcp, oauth);
    await Promise.all(all.map((oauth) => oauth.forget()));
    await Promise.all(all.map((oauth) => oauth.revoking()));
    expect((await servers.stats()).revocations).toHaveLength(1);
  });

  test('tokens that are refreshed while the sign-in is deleted are not stored, and revoked too', async () => {
    const servers = await startServers();
    const store = createMemoryOAuthStore();
    const pool = createPoolFetch();
    const other = createTestOAuth(servers.mcp, { store: sharing(store) }).oauth;
    const { oauth } = createTestOAuth(servers.mcp, {
      store,
      callback: createBrowser(),
      async fetch(input, init) {
        const response = await pool.fetch(input, init);
        if (String(init?.body).includes('grant_type=refresh_token')) await other.forget();
        return response;
      },
    });
    const client = await connect(servers.mcp, oauth);
    await servers.expire();
    await servers.setMode('deny');
    await client.callTool({ name: 'echo', arguments: {} }).catch(() => {});
    await Promise.all([oauth.revoking(), other.revoking()]);
    const { revocations, refresh } = await servers.stats();
    expect([revocations.map(({ kind }) => kind), refresh]).toEqual([['rt', 'rt'], 1]);
    expect(await store.get(oauthServerKey('guarded', servers.mcp), 'tokens')).toBeUndefined();
    await pool.close();
  });
});

test('a revocation that gets no answer ends after its time limit', async () => {
  const url = await listen(createServer(() => {}));
  const pool = createPoolFetch();
  const lines: string[] = [];
  const revocations = createRevocations({
    ...{ server: 'guarded', serverUrl: new URL(`${url}/mcp`), security: {}, timeoutMs: 50 },
    fetch: pool.fetch,
    log: createLog(({ event, message }) => lines.push(`${event} ${message}`)),
  });
  revocations.start({
    tokens: { access_token: 'a', token_type: 'Bearer', issuer: url },
    client: { client_id: 'ours', issuer: url },
    discovery: {
      authorizationServerUrl: url,
      authorizationServerMetadata: {
        issuer: url,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        revocation_endpoint: `${url}/revoke`,
        response_types_supported: ['code'],
      },
    },
  });
  await revocations.running();
  expect(revocations.running()).toBeUndefined();
  expect(lines).toEqual([expect.stringMatching(/^oauth\.not-revoked .*it did not answer/)]);
  await pool.close();
});
