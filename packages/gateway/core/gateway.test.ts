import { expect, test } from 'vitest';
import { createApiKey } from './auth/api-keys.ts';
import { assertSafeToListen } from './gateway.ts';
import { openStorage } from './storage/open-storage.ts';

const jwt = { issuer: 'https://id.example.com', audience: 'a', jwksUrl: 'https://id.example.com/jwks' };

test('a loopback address needs no authentication, but an address that other machines can reach does', async () => {
  const keys = (await openStorage({ kind: 'memory' })).keys;
  const none = { settings: {}, keys };
  await assertSafeToListen('127.0.0.1', none);
  for (const host of ['0.0.0.0', '::', '192.168.1.5', 'tools.example.com']) {
    await expect(assertSafeToListen(host, none)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    await assertSafeToListen(host, { ...none, adminToken: 'x' });
    await assertSafeToListen(host, { ...none, settings: { jwt } });
  }
});

test('an API key counts as authentication until it is revoked', async () => {
  const keys = (await openStorage({ kind: 'memory' })).keys;
  const { record } = createApiKey({ name: 'k', rights: ['read'] });
  await keys.add(record);
  await assertSafeToListen('0.0.0.0', { settings: {}, keys });
  await keys.revoke(record.id, new Date().toISOString());
  await expect(assertSafeToListen('0.0.0.0', { settings: {}, keys })).rejects.toThrow('create an API key');
});
