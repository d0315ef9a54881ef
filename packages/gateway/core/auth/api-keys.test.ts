import { expect, test } from 'vitest';
import { permissionsOf } from '../../../contract/rights.ts';
import { silentLog } from '../../../toolwharf/kernel/log.ts';
import type { KeyStore } from '../../../toolwharf/storage/ports/key-store.ts';
import { openStorage } from '../storage/open-storage.ts';
import { createApiKey, createApiKeys } from './api-keys.ts';

test('a key has 256 random bits and only its hash is stored', () => {
  const { key, record } = createApiKey({ name: 'ci', profile: 'p', rights: ['read', 'read', 'call'] });
  expect(key).toMatch(/^tw_[A-Za-z0-9_-]{43}$/);
  expect(Buffer.from(key.slice(3), 'base64url')).toHaveLength(32);
  expect(JSON.stringify(record)).not.toContain(key.slice(3));
  expect(record).toMatchObject({ name: 'ci', profile: 'p', rights: ['read', 'call'] });
  expect(createApiKey({ name: 'ci', rights: ['read'] }).key).not.toBe(key);
});

test('a revoked key is rejected from the next request on', async () => {
  const storage = await openStorage({ kind: 'memory' });
  const store = storage.keys;
  const keys = createApiKeys({ store, access: storage, log: silentLog });
  const { key, record } = createApiKey({ name: 'ci', rights: ['call'] });
  await store.add(record);
  const identity = {
    caller: { id: `key:${record.id}`, kind: 'client', name: 'ci' },
    permissions: permissionsOf(['call']),
    via: 'key',
  };
  expect(await keys.find(key)).toEqual(identity);
  expect(await keys.findById(record.id)).toEqual(identity);
  await store.revoke(record.id, new Date().toISOString());
  expect(await keys.find(key)).toBeUndefined();
  expect(await keys.findById(record.id)).toBeUndefined();
});

test('text that is not shaped like a key causes no store lookup', async () => {
  const storage = await openStorage({ kind: 'memory' });
  const store = storage.keys;
  const keys = createApiKeys({
    access: storage,
    store: { ...store, findByHash: () => Promise.reject(new Error('asked')) },
    log: silentLog,
  });
  for (const text of ['', 'tw_', 'tw_short', `xx_${'a'.repeat(43)}`, `tw_${'a'.repeat(44)}`, `tw_${'!'.repeat(43)}`])
    expect(await keys.find(text)).toBeUndefined();
});

test('the last use of a key is written at most once per minute', async () => {
  const storage = await openStorage({ kind: 'memory' });
  const memory = storage.keys;
  const touches: string[] = [];
  const store: KeyStore = {
    ...memory,
    touch: async (id, at) => {
      touches.push(at);
      await memory.touch(id, at);
    },
  };
  let now = Date.parse('2026-01-01T00:00:00Z');
  const keys = createApiKeys({ store, access: storage, log: silentLog, now: () => now });
  const { key, record } = createApiKey({ name: 'busy', rights: ['read'] });
  await store.add(record);
  for (let use = 0; use < 1_000; use++) await keys.find(key);
  expect(touches).toEqual(['2026-01-01T00:00:00.000Z']);
  now += 60_000;
  await keys.find(key);
  await expect.poll(async () => (await store.get(record.id))?.lastUsedAt).toBe('2026-01-01T00:01:00.000Z');
});
