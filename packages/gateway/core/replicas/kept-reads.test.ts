import { afterEach, expect, test, vi } from 'vitest';
import type { FleetTopic } from '../../../toolwharf/storage/ports/fleet-store.ts';
import type { Storage } from '../../../toolwharf/storage/storage.ts';
import { createApiKey } from '../auth/api-keys.ts';
import { openStorage } from '../storage/open-storage.ts';
import type { Fleet } from './fleet.ts';
import { keepReads } from './kept-reads.ts';

const rule = { id: 'r1', scope: 'tool', answer: 'allow', tool: 'echo', createdAt: '2026-01-01T00:00:00Z' } as const;

afterEach(() => vi.useRealTimers());

/** A storage that counts reads, and a fleet whose changes the test reports. */
async function open() {
  const storage = await openStorage({ kind: 'memory' });
  const reads: string[] = [];
  const counted = <T extends object>(name: string, store: T, methods: readonly (keyof T)[]): T => {
    const copy = { ...store };
    for (const method of methods) {
      const original = store[method] as (...args: unknown[]) => unknown;
      Object.assign(copy, {
        [method]: (...args: unknown[]) => {
          reads.push(`${name}.${String(method)}`);
          return original(...args);
        },
      });
    }
    return copy;
  };
  const listeners = new Map<FleetTopic, () => unknown>();
  const fleet = {
    isCurrent: true,
    onChange: (topic: FleetTopic, listener: () => unknown) => listeners.set(topic, listener),
  };
  const shared: Storage = {
    ...storage,
    rules: counted('rules', storage.rules, ['list']),
    keys: counted('keys', storage.keys, ['get', 'findByHash']),
    users: counted('users', storage.users, ['get', 'find']),
    fleet: {} as Storage['fleet'],
  };
  const kept = keepReads(shared, fleet as unknown as Fleet);
  return { kept, other: storage, reads, fleet, report: (topic: FleetTopic) => listeners.get(topic)?.() };
}

test('the rules are read again after any replica has changed them', async () => {
  const { kept, other, reads, report } = await open();
  expect([await kept.rules.list(), await kept.rules.list()]).toEqual([[], []]);
  expect(reads).toHaveLength(1);
  await kept.rules.add(rule);
  expect(await kept.rules.list()).toEqual([rule]);
  expect(await kept.rules.list()).toEqual([rule]);
  expect(reads).toHaveLength(2);
  await other.rules.remove(rule.id);
  expect(await kept.rules.listNow?.()).toEqual([]);
  report('rules');
  expect(await kept.rules.list()).toEqual([]);
});

test('a read that has begun before a change is not kept', async () => {
  const { kept, other, report } = await open();
  const begun = kept.rules.list();
  await other.rules.add(rule);
  report('rules');
  await begun;
  expect(await kept.rules.list()).toEqual([rule]);
});

test('while changes of other replicas may be unknown, a value is kept for half a second', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const { kept, other, reads, fleet } = await open();
  await kept.rules.list();
  fleet.isCurrent = false;
  await other.rules.add(rule);
  vi.advanceTimersByTime(499);
  expect(await kept.rules.list()).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(await kept.rules.list()).toEqual([rule]);
  expect(await kept.rules.list()).toEqual([rule]);
  expect(reads).toHaveLength(2);
});

test('keys are kept until one is revoked; unknown ones are not kept', async () => {
  const { kept, other, reads, report } = await open();
  const { record } = createApiKey({ name: 'agent', rights: ['call'] });
  expect(await kept.keys.findByHash(record.hash)).toBeUndefined();
  await other.keys.add(record);
  expect(await kept.keys.findByHash(record.hash)).toEqual(record);
  expect(await kept.keys.findByHash(record.hash)).toEqual(record);
  expect(await kept.keys.get(record.id)).toEqual(record);
  expect(reads).toHaveLength(3);
  await other.keys.revoke(record.id, '2026-01-02T00:00:00Z');
  report('api_keys');
  expect(await kept.keys.findByHash(record.hash)).toBeUndefined();
  expect((await kept.keys.get(record.id))?.revokedAt).toBeDefined();
});

test('a key that this replica revokes is refused at once', async () => {
  const { kept } = await open();
  const { record } = createApiKey({ name: 'agent', rights: ['call'] });
  await kept.keys.add(record);
  expect(await kept.keys.findByHash(record.hash)).toEqual(record);
  await kept.keys.revoke(record.id, '2026-01-02T00:00:00Z');
  expect(await kept.keys.findByHash(record.hash)).toBeUndefined();
});

test('users are kept until one changes', async () => {
  const { kept, other, reads, report } = await open();
  const claims = {
    issuer: 'https://id.example',
    subject: 's1',
    groups: [],
    roles: ['member'],
    claimsAt: '2026-01-01T00:00:00.000Z',
  } as const;
  const user = await kept.users.save('u1', claims);
  expect([await kept.users.get('u1'), await kept.users.get('u1')]).toEqual([user, user]);
  expect([await kept.users.find(claims.issuer, 's1'), await kept.users.find(claims.issuer, 's1')]).toEqual([
    user,
    user,
  ]);
  expect(reads).toEqual(['users.get', 'users.find']);
  await kept.users.disable('u1', '2026-01-02T00:00:00Z');
  expect((await kept.users.get('u1'))?.disabledAt).toBeDefined();
  await other.users.enable('u1');
  report('users');
  expect((await kept.users.get('u1'))?.disabledAt).toBeUndefined();
  await kept.users.remove('u1');
  expect(await kept.users.get('u1')).toBeUndefined();
});

test('a read that fails is repeated', async () => {
  const { other, fleet } = await open();
  let isAway = true;
  const list = () => (isAway ? Promise.reject(new Error('away')) : other.rules.list());
  const kept = keepReads(
    { ...other, rules: { ...other.rules, list }, fleet: {} as Storage['fleet'] },
    fleet as unknown as Fleet,
  );
  await expect(kept.rules.list()).rejects.toThrow('away');
  isAway = false;
  expect(await kept.rules.list()).toEqual([]);
});
