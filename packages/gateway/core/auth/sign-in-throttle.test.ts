import { expect, test } from 'vitest';
import { createSignInThrottle } from './sign-in-throttle.ts';

test('a credential that fails too often must wait until its window ends, while other credentials and addresses need not', async () => {
  let now = 0;
  const throttle = createSignInThrottle({ maxPerCredential: 3, windowMs: 100, now: () => now });
  for (let attempt = 0; attempt < 3; attempt++) expect((await throttle.fail('10.0.0.1', 'a')).retryAfterMs).toBe(0);
  now = 40;
  expect((await throttle.fail('10.0.0.1', 'a')).retryAfterMs).toBe(60);
  expect((await throttle.fail('10.0.0.1', 'b')).retryAfterMs).toBe(0);
  expect((await throttle.fail('10.0.0.2', 'a')).retryAfterMs).toBe(0);
  now = 100;
  expect(await throttle.fail('10.0.0.1', 'a')).toEqual({ retryAfterMs: 0, isFirst: true });
});

test('an address that tries many credentials must wait', async () => {
  const throttle = createSignInThrottle({ maxPerAddress: 2 });
  const waits: boolean[] = [];
  for (const hash of ['a', 'b', 'c']) waits.push((await throttle.fail('10.0.0.1', hash)).retryAfterMs > 0);
  expect(waits).toEqual([false, false, true]);
  expect((await throttle.fail('10.0.0.2', 'd')).retryAfterMs).toBe(0);
});

test('all addresses of one IPv6 /64 share one count', async () => {
  const throttle = createSignInThrottle({ maxPerAddress: 2 });
  await throttle.fail('2001:db8:1:2::1', 'a');
  await throttle.fail('2001:db8:1:2:aaaa:bbbb:cccc:dddd', 'b');
  expect((await throttle.fail('2001:db8:1:2::ffff', 'c')).retryAfterMs).toBeGreaterThan(0);
  expect((await throttle.fail('2001:db8:1:3::1', 'd')).retryAfterMs).toBe(0);
  expect((await throttle.fail('::1', 'e')).retryAfterMs).toBe(0);
});

test('the number of counters is bounded, and a flood from one address does not reset those of others', async () => {
  const throttle = createSignInThrottle({ maxPerCredential: 1, maxPerAddress: 5, maxCounters: 20 });
  await throttle.fail('10.0.0.1', 'a');
  for (let attempt = 0; attempt < 1_000; attempt++) await throttle.fail('10.0.0.2', String(attempt));
  expect((await throttle.fail('10.0.0.1', 'a')).retryAfterMs).toBeGreaterThan(0);
});

test('failures on other replicas count, and a client that must wait causes no further work for the database', async () => {
  const failures = new Map<string, number>();
  let stored = 0;
  const store = {
    async countFailure(key: string) {
      stored++;
      failures.set(key, (failures.get(key) ?? 0) + 1);
      return { failures: failures.get(key) ?? 0, leftMs: 1_000 };
    },
  };
  const options = { store, maxPerCredential: 1_000, maxPerAddress: 6, now: () => 0 };
  const one = createSignInThrottle(options);
  const two = createSignInThrottle(options);
  for (let attempt = 0; attempt < 3; attempt++) {
    expect((await one.fail('10.0.0.1', 'a')).retryAfterMs).toBe(0);
    await two.fail('10.0.0.1', 'a');
  }
  const before = stored;
  for (let attempt = 0; attempt < 10; attempt++) expect((await one.fail('10.0.0.1', 'a')).retryAfterMs).toBe(1_000);
  // With the first failure, this replica learns of the failures on the other one.
  expect(stored - before).toBe(1);
});

test('failures are counted in this process while the store is unavailable', async () => {
  const store = {
    countFailure: async () => {
      throw new Error('the database is unavailable');
    },
  };
  const throttle = createSignInThrottle({ store, maxPerCredential: 1 });
  expect((await throttle.fail('10.0.0.1', 'a')).retryAfterMs).toBe(0);
  expect((await throttle.fail('10.0.0.1', 'a')).retryAfterMs).toBeGreaterThan(0);
});
