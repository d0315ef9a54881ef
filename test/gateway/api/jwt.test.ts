import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from '../../support/api.ts';
import { fixture } from '../../support/fixtures.ts';

let api: TestApi;
let privateKey: CryptoKey;
let jwk: object;
let isDown = false;
const provider = createServer({ keepAliveTimeout: 600_000 }, (_request, response) => {
  if (isDown) response.writeHead(503).end();
  else response.end(JSON.stringify({ keys: [{ ...jwk, kid: 'k', alg: 'ES256' }] }));
});
const issuer = 'https://id.example.com';

beforeAll(async () => {
  const pair = await generateKeyPair('ES256', { extractable: true });
  privateKey = pair.privateKey;
  jwk = await exportJWK(pair.publicKey);
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  api = await startApi(configured());
});
afterAll(async () => {
  await api.close();
  await new Promise((resolve) => provider.close(resolve));
});

const configured = () => ({
  servers: { files: fixture('legacy') },
  profiles: { narrow: { allow: ['files/echo'] } },
  gateway: {
    requireAuthentication: true,
    jwt: {
      issuer,
      audience: 'toolwharf',
      jwksUrl: `http://127.0.0.1:${(provider.address() as AddressInfo).port}/jwks`,
      profileClaim: 'profile',
      adminClaim: 'roles',
      adminValue: 'admin',
    },
  },
});

const token = (claims: Record<string, unknown>, expires = '1m') =>
  new SignJWT({ sub: 'ada', ...claims })
    .setProtectedHeader({ alg: 'ES256', kid: 'k' })
    .setIssuer(issuer)
    .setAudience('toolwharf')
    .setExpirationTime(expires)
    .sign(privateKey);

test('a JWT has access to the profile that its claim names', async () => {
  const key = await token({ profile: 'narrow', name: 'Ada' });
  const { tools } = (await api.get('/api/tools', { key })).body;
  expect(tools.map(({ name }: { name: string }) => name)).toEqual(['mcp_files_echo']);
  expect((await api.get('/api/keys', { key })).status).toBe(403);
  const called = await api.post('/api/tools/mcp_files_echo/call', { arguments: { text: 'x' } }, { key });
  const record = await api.get(`/api/calls/${called.body.callId}`, { key });
  expect(record.body.caller).toMatchObject({ id: 'jwt:ada', kind: 'person', name: 'Ada' });
  expect((await api.post('/api/session', undefined, { key })).status).toBe(403);
});

test('a JWT of an administrator has access to everything', async () => {
  const key = await token({ roles: ['user', 'admin'] });
  expect((await api.get('/api/session', { key })).body).toMatchObject({
    via: 'jwt',
    permissions: expect.arrayContaining(['servers.write', 'users.write']),
  });
  expect((await api.get('/api/keys', { key })).status).toBe(200);
});

test('a JWT that has expired, or names no profile or an unknown one, has no access', async () => {
  expect((await api.get('/api/tools', { key: await token({ profile: 'narrow' }, '-1m') })).status).toBe(401);
  expect((await api.get('/api/tools', { key: await token({}) })).status).toBe(401);
  expect((await api.get('/api/tools', { key: await token({ profile: 'none' }) })).status).toBe(403);
});

test('while the signing keys of the provider cannot be read, JWTs fail with that reason and API keys work', async () => {
  isDown = true;
  await using other = await startApi(configured());
  const { status, body } = await other.get('/api/tools', { key: await token({ profile: 'narrow' }) });
  expect({ status, code: body.error.code }).toEqual({ status: 502, code: 'SERVER_UNREACHABLE' });
  expect((await other.get('/api/tools', { key: await other.key(['read']) })).status).toBe(200);
});
