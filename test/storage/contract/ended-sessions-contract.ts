import { describe, expect, test } from 'vitest';
import type { StorageKind } from '../kinds.ts';

/** The contract of the store of ended sessions. */
export function endedSessionsContract(kind: StorageKind): void {
  describe(`ended sessions in ${kind.name}`, () => {
    test('ends are listed in their order, each once, until the token expires', async () => {
      using workspace = await kind.createWorkspace();
      await using storage = await workspace.open();
      const { endedSessions } = storage;
      const expiresAt = Date.now() + 600_000;
      await endedSessions.add({ id: 'expired', owner: 'ada', expiresAt: Date.now() - 1 });
      await endedSessions.add({ id: 'a', owner: 'ada', expiresAt });
      const first = await endedSessions.list(0);
      expect(first.ended).toEqual([{ id: 'a', owner: 'ada', expiresAt }]);
      await endedSessions.add({ id: 'a', owner: 'ada', expiresAt });
      await endedSessions.add({ id: 'b', owner: 'max', expiresAt });
      const { ended, position } = await endedSessions.list(first.position);
      expect(ended.map(({ id }) => id)).toEqual(['a', 'b']);
      expect(await endedSessions.list(position)).toEqual({ ended: [], position });
    });

    test('one end of all sessions up to a time replaces those that it includes, of the same owner only', async () => {
      using workspace = await kind.createWorkspace();
      await using storage = await workspace.open();
      const { endedSessions } = storage;
      const until = Date.now() + 600_000;
      await endedSessions.add({ id: 'old', owner: 'ada', expiresAt: until });
      await endedSessions.add({ id: 'new', owner: 'ada', expiresAt: until + 2 });
      await endedSessions.add({ id: 'other', owner: 'max', expiresAt: until });
      await endedSessions.add({ owner: 'ada', expiresAt: until });
      await endedSessions.add({ owner: 'ada', expiresAt: until + 1 });
      expect((await endedSessions.list(0)).ended).toEqual([
        { id: 'new', owner: 'ada', expiresAt: until + 2 },
        { id: 'other', owner: 'max', expiresAt: until },
        { owner: 'ada', expiresAt: until + 1 },
      ]);
    });
  });
}
