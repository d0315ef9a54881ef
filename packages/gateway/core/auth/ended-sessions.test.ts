import { expect, test, vi } from 'vitest';
import { openStorage } from '../../core/storage/open-storage.ts';
import { createEndedSessions } from './ended-sessions.ts';

const later = Date.now() + 600_000;
const cookie = { id: 'cookie', owner: 'app/admin', expiresAt: later };

test('a caller that ends any number of sessions brings back neither its own nor those of others, here and after a restart', async () => {
  const store = (await openStorage({ kind: 'memory' })).endedSessions;
  const ended = createEndedSessions({ store, maxPerOwner: 10 });
  await ended.add(cookie);
  const churned = Array.from({ length: 95 }, (_, at) => ({ id: `s${at}`, owner: 'mcp/key:1', expiresAt: later + at }));
  for (const session of churned) await ended.add(session);
  const restarted = createEndedSessions({ store, maxPerOwner: 10 });
  await restarted.load();
  for (const sessions of [ended, restarted]) {
    expect(sessions.has(cookie)).toBe(true);
    expect(churned.filter((session) => !sessions.has(session))).toEqual([]);
    expect(sessions.has({ id: 'open', owner: 'mcp/key:1', expiresAt: later + 95 })).toBe(false);
    expect(sessions.has({ id: 'open', owner: 'mcp/key:2', expiresAt: later })).toBe(false);
  }
  expect((await store.list(0)).ended.length).toBeLessThan(15);
});

test('a session that another replica ended is reported once', async () => {
  const store = (await openStorage({ kind: 'memory' })).endedSessions;
  const [one, other] = [createEndedSessions({ store }), createEndedSessions({ store })];
  const reported: string[] = [];
  other.onRemoteEnd((id) => reported.push(id));
  await one.add(cookie);
  await other.load();
  await other.load();
  await one.add(cookie);
  await other.load();
  expect(reported).toEqual(['cookie']);
  expect(other.has(cookie)).toBe(true);
});

test('the ends of expired tokens are forgotten', async () => {
  let now = 0;
  const ended = createEndedSessions({ now: () => now });
  const session = { id: 'a', owner: 'o', expiresAt: 1_000 };
  await ended.add(session);
  expect(ended.has(session)).toBe(true);
  now = 120_000;
  await ended.add({ id: 'b', owner: 'o', expiresAt: 240_000 });
  expect(ended.has(session)).toBe(false);
});

test('the end of a session that could not be stored is stored later', async () => {
  vi.useFakeTimers();
  try {
    const { endedSessions } = await openStorage({ kind: 'memory' });
    let isBroken = true;
    const add = async (end: Parameters<typeof endedSessions.add>[0]) => {
      if (isBroken) throw new Error('the disk is full');
      await endedSessions.add(end);
    };
    const ended = createEndedSessions({ store: { ...endedSessions, add } });
    const other = { ...cookie, id: 'other' };
    for (const session of [cookie, other]) {
      await expect(ended.add(session)).rejects.toThrow('the disk is full');
      expect(ended.has(session)).toBe(true);
    }
    await vi.advanceTimersByTimeAsync(10_000);
    isBroken = false;
    await vi.advanceTimersByTimeAsync(60_000);
    const restarted = createEndedSessions({ store: endedSessions });
    await restarted.load();
    expect([cookie, other].map(restarted.has)).toEqual([true, true]);
  } finally {
    vi.useRealTimers();
  }
});
