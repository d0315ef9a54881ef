import { expect, test } from 'vitest';
import { silentLog } from '../../../toolwharf/kernel/log.ts';
import type { UserClaims } from '../../../toolwharf/storage/ports/user-store.ts';
import { openStorage } from '../storage/open-storage.ts';
import { assertActive } from './admit-caller.ts';
import { assertOwnerAccess, createUsers } from './users.ts';

const claims: UserClaims = {
  issuer: 'https://id.example.com',
  subject: 'ada',
  name: 'Ada',
  groups: [],
  roles: ['member'],
  claimsAt: '2026-11-01T00:00:00.000Z',
};

test('a call that waited is denied if its user lost access, also if an assistant made it for them', async () => {
  const storage = await openStorage({ kind: 'memory' });
  await storage.users.save('u1', claims);
  const person = { caller: { id: 'user:u1', kind: 'person', user: 'u1' } } as const;
  const assistant = { caller: { id: 'assistant:a', kind: 'assistant', conversation: 'c', user: 'u1' } } as const;
  for (const identity of [person, assistant]) await assertActive(identity, storage);
  await storage.users.disable('u1', claims.claimsAt);
  for (const identity of [person, assistant])
    await expect(assertActive(identity, storage)).rejects.toMatchObject({ code: 'CALL_DENIED' });
  await storage.users.enable('u1');
  await assertActive(person, storage);
  await storage.users.save('u1', { ...claims, roles: [] });
  await expect(assertActive(assistant, storage)).rejects.toMatchObject({ code: 'CALL_DENIED' });
  await storage.users.remove('u1');
  await expect(assertActive(person, storage)).rejects.toMatchObject({ code: 'CALL_DENIED' });
});

test('a conversation continues while its owner may use its profile', async () => {
  const storage = await openStorage({ kind: 'memory' });
  const { users } = storage;
  await users.save('u1', claims);
  const own = (profile?: string) => assertOwnerAccess({ owner: 'user:u1', profile }, storage);
  await own('default');
  await expect(own('team')).rejects.toMatchObject({ code: 'CALL_DENIED' });
  // Administrators use everything.
  await expect(own(undefined)).rejects.toMatchObject({ code: 'CALL_DENIED' });
  await users.save('u1', { ...claims, roles: ['admin'] });
  for (const profile of ['default', 'team', undefined]) await own(profile);
  await assertOwnerAccess({ owner: 'key:k', profile: 'team' }, storage);
});

test('the last request of a user is recorded, and a session of an earlier version has no identity', async () => {
  const { users: store, roles } = await openStorage({ kind: 'memory' });
  await store.save('u1', claims);
  const users = createUsers({ store, roles, log: silentLog });
  expect(await users.findForSession('u1', 1)).toMatchObject({ roles: ['member'], profile: 'default' });
  await expect.poll(async () => (await store.get('u1'))?.lastSeenAt).toBeDefined();
  await store.save('u1', { ...claims, profile: 'team' });
  expect(await users.findForSession('u1', 1)).toBeUndefined();
  expect(await users.findForSession('u1', 2)).toMatchObject({ profile: 'team' });
  expect(await users.findForSession('u2', 1)).toBeUndefined();
});
