import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { permissionsOf } from '../../../contract/rights.ts';
import type { JwtConfig } from '../../../contract/settings/gateway-config.ts';
import { everyPermission } from './identity.ts';
import { createJwtVerifier, looksLikeJwt } from './jwt.ts';

let requestCount = 0;
let base = '';
const keys = new Map<string, { privateKey: CryptoKey; publicKey: CryptoKey }>();
const provider = createServer(async (request, response) => {
  requestCount++;
  if (request.url === '/broken') return void response.writeHead(500).end();
  if (request.url === '/moved') return void response.writeHead(302, { location: '/jwks' }).end();
  const published = await Promise.all(
    [...keys].map(async ([kid, { publicKey }]) => ({ ...(await exportJWK(publicKey)), kid })),
  );
  response.end(JSON.stringify({ keys: published }));
});

beforeAll(async () => {
  for (const alg of ['RS256', 'PS256', 'ES256', 'EdDSA'])
    keys.set(alg, await generateKeyPair(alg, { extractable: true }));
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => provider.close(resolve)));

const config = (rest: Partial<JwtConfig> = {}): JwtConfig => ({
  issuer: 'https://id.example.com',
  audience: 'toolwharf',
  jwksUrl: `${base}/jwks`,
  ...rest,
});

interface Claims {
  readonly [name: string]: unknown;
}

function token(claims: Claims = {}, alg = 'ES256', key = keys.get(alg)?.privateKey as CryptoKey): Promise<string> {
  const now = Math.floor(Date.now() / 1_000);
  const all = { iss: 'https://id.example.com', aud: 'toolwharf', sub: 'ada', exp: now + 60, ...claims };
  return new SignJWT(all).setProtectedHeader({ alg, kid: alg }).sign(key);
}

describe('a token', () => {
  test.each(['RS256', 'PS256', 'ES256', 'EdDSA'])('a token signed with %s identifies its subject', async (alg) => {
    const identity = await createJwtVerifier(config()).verify(await token({ name: 'Ada L.' }, alg));
    expect(identity).toEqual({
      caller: { id: 'jwt:ada', kind: 'person', name: 'Ada L.' },
      profile: 'default',
      permissions: permissionsOf(['read', 'call']),
      via: 'jwt',
    });
  });

  const past = Math.floor(Date.now() / 1_000) - 60;
  test.each([
    ['of another issuer', { iss: 'https://evil.example' }],
    ['for another audience', { aud: 'other' }],
    ['that has expired', { exp: past }],
    ['without an expiry', { exp: undefined }],
    ['that is not valid yet', { nbf: past + 3_600 }],
    ['without a subject', { sub: undefined }],
  ])('%s is rejected', async (_case, claims) => {
    expect(await createJwtVerifier(config()).verify(await token(claims))).toBeUndefined();
  });

  test('a token that is unsigned, signed with a shared secret, or signed with an unknown key is rejected', async () => {
    const verifier = createJwtVerifier(config());
    const body = (await token()).split('.')[1] ?? '';
    const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${body}.`;
    expect(await verifier.verify(none)).toBeUndefined();
    const shared = await new SignJWT({ sub: 'ada' })
      .setProtectedHeader({ alg: 'HS256', kid: 'ES256' })
      .setIssuer('https://id.example.com')
      .setAudience('toolwharf')
      .setExpirationTime('1m')
      .sign(new TextEncoder().encode('a shared secret that is long enough'));
    expect(await verifier.verify(shared)).toBeUndefined();
    const foreign = await generateKeyPair('ES256');
    expect(await verifier.verify(await token({}, 'ES256', foreign.privateKey))).toBeUndefined();
    expect(await verifier.verify('a.b.c')).toBeUndefined();
  });
});

describe('the claims of a token', () => {
  const named = { profileClaim: 'team', adminClaim: 'realm_access.roles', adminValue: 'tool-admin' };

  test('the claims of a token select the profile, and a token without the configured profile claim is rejected', async () => {
    const verifier = createJwtVerifier(config(named));
    expect(await verifier.verify(await token({ team: 'research' }))).toMatchObject({
      profile: 'research',
      permissions: permissionsOf(['read', 'call']),
    });
    expect(await verifier.verify(await token({ team: ['research', 'other'] }))).toMatchObject({ profile: 'research' });
    expect(await verifier.verify(await token())).toBeUndefined();
    expect(await verifier.verify(await token({ team: 7 }))).toBeUndefined();
  });

  test('the claims of a token grant administration by their exact value, also in a nested claim', async () => {
    const verifier = createJwtVerifier(config(named));
    const admin = await verifier.verify(await token({ realm_access: { roles: ['user', 'tool-admin'] } }));
    expect(admin).toMatchObject({ permissions: everyPermission });
    expect(admin?.profile).toBeUndefined();
    const almost = await verifier.verify(await token({ team: 't', realm_access: { roles: ['tool-admins'] } }));
    expect(almost?.permissions.has('servers.write')).toBe(false);
    const flat = await verifier.verify(await token({ 'realm_access.roles': 'tool-admin' }));
    expect(flat?.permissions).toEqual(everyPermission);
  });
});

test('the signing keys are fetched once for many tokens', async () => {
  const verifier = createJwtVerifier(config());
  const before = requestCount;
  for (let use = 0; use < 5; use++) expect(await verifier.verify(await token())).toBeDefined();
  expect(requestCount - before).toBe(1);
});

test('unreachable signing keys are reported as a failure of the provider, and redirects are not followed', async () => {
  for (const path of ['/broken', '/moved']) {
    const verifier = createJwtVerifier(config({ jwksUrl: `${base}${path}` }));
    await expect(verifier.verify(await token())).rejects.toMatchObject({ code: 'SERVER_UNREACHABLE' });
  }
  const unreachable = createJwtVerifier(config({ jwksUrl: 'http://127.0.0.1:1/jwks' }));
  await expect(unreachable.verify(await token())).rejects.toMatchObject({ code: 'SERVER_UNREACHABLE' });
});

test('API keys and other texts are not mistaken for JWTs', () => {
  expect(looksLikeJwt('aa.bb.cc')).toBe(true);
  expect(looksLikeJwt('tw_abc')).toBe(false);
  expect(looksLikeJwt('a.b')).toBe(false);
});
