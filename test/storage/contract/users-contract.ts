import { describe, expect, test } from 'vitest';
import type { UserClaims } from '../../../packages/toolwharf/storage/ports/user-store.ts';
import type { StorageKind } from '../kinds.ts';
import { at } from '../records.ts';

const ada: UserClaims = {
  issuer: 'https://id.example.com',
  subject: 'ada',
  name: 'Ada',
  email: 'ada@example.com',
  groups: ['staff', 'tools-admins'],
  roles: ['admin'],
  claimsAt: at(1),
};

/** The contract of the store of users. */
export function usersContract(kind: StorageKind): void {
  describe(`users in ${kind.name}`, () => {
    test('a user is created once per issuer and subject, and later claims keep the id', async () => {
      using workspace = await kind.createWorkspace();
      await using storage = await workspace.open();
      const { users } = storage;
      const first = await users.save('u1', ada);
      expect(first).toEqual({ id: 'u1', ...ada, sessionVersion: 1, createdAt: at(1) });
      const renamed = { ...ada, name: undefined, email: 'a@example.com', groups: ['tools-admins'], claimsAt: at(5) };
      expect(await users.save('u2', renamed)).toEqual({ ...first, ...renamed });
      const other = await users.save('u3', { ...ada, issuer: 'https://other.example.com', claimsAt: at(2) });
      expect(other.id).toBe('u3');
      expect(await users.list()).toEqual([{ ...first, ...renamed }, other]);
      expect(await users.get('u1')).toEqual({ ...first, ...renamed });
      expect(await users.get('u2')).toBeUndefined();
      expect(await users.find(ada.issuer, 'ada')).toMatchObject({ id: 'u1' });
      expect(await users.find(ada.issuer, 'ADA')).toBeUndefined();
    });

    test('a changed role or profile ends the sessions of a user, and claims that are older change nothing', async () => {
      using workspace = await kind.createWorkspace();
      await using storage = await workspace.open();
      const { users } = storage;
      await users.save('u1', ada);
      const member = await users.save('x', { ...ada, roles: ['member'], profile: 'team', groups: [], claimsAt: at(5) });
      expect(member).toMatchObject({ id: 'u1', roles: ['member'], profile: 'team', sessionVersion: 2 });
      expect(await users.save('x', { ...ada, claimsAt: at(4) })).toEqual(member);
      expect(await users.get('u1')).toEqual(member);
      const moved = await users.save('x', { ...ada, roles: ['member'], profile: 'other', claimsAt: at(5) });
      expect(moved).toMatchObject({ profile: 'other', sessionVersion: 3 });
    });

    test('a disabled user stays disabled when the provider confirms the role, until an administrator enables it', async () => {
      using workspace = await kind.createWorkspace();
      await using storage = await workspace.open();
      const { users } = storage;
      await users.save('u1', ada);
      await users.touch('u1', at(100));
      await users.touch('u1', at(159));
      await users.touch('nobody', at(159));
      expect(await users.disable('u1', at(200))).toBe(true);
      expect(await users.disable('u1', at(300))).toBe(false);
      expect(await users.disable('nobody', at(300))).toBe(false);
      await users.save('x', { ...ada, claimsAt: at(250) });
      const disabled = await users.get('u1');
      expect(disabled).toMatchObject({ disabledAt: at(200), lastSeenAt: at(100), sessionVersion: 2 });
      expect(await users.enable('u1')).toBe(true);
      expect(await users.enable('u1')).toBe(false);
      expect(await users.enable('nobody')).toBe(false);
      expect(await users.get('u1')).toEqual({ ...disabled, disabledAt: undefined });
      await users.touch('u1', at(260));
      expect((await users.get('u1'))?.lastSeenAt).toBe(at(260));
    });

    test('a removed user gets a new id with the next sign-in', async () => {
      using workspace = await kind.createWorkspace();
      await using storage = await workspace.open();
      const { users } = storage;
      await users.save('u1', ada);
      expect(await users.remove('u1')).toBe(true);
      expect(await users.remove('u1')).toBe(false);
      expect(await users.list()).toEqual([]);
      expect(await users.save('u2', { ...ada, claimsAt: at(9) })).toMatchObject({ id: 'u2', createdAt: at(9) });
    });

    test('concurrent sign-ins of one person create one user and raise the session version once', async () => {
      using workspace = await kind.createWorkspace();
      await using storage = await workspace.open();
      const { users } = storage;
      const saved = await Promise.all(['a', 'b', 'c', 'd'].map((id) => users.save(id, ada)));
      expect(new Set(saved.map(({ id }) => id)).size).toBe(1);
      const demoted: UserClaims = { ...ada, roles: ['member'], claimsAt: at(2) };
      await Promise.all(['a', 'b', 'c', 'd'].map((id) => users.save(id, demoted)));
      expect(await users.list()).toMatchObject([{ roles: ['member'], sessionVersion: 2 }]);
    });
  });
}
