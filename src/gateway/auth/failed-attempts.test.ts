import { expect, test } from 'vitest';
import { createFailedAttempts } from './failed-attempts.ts';

test('an address with too many failures must wait until its window ends, while other addresses may still try', () => {
  let now = 0;
  const failures = createFailedAttempts({ maxFailures: 3, windowMs: 100, now: () => now });
  for (let attempt = 0; attempt < 3; attempt++) {
    expect(failures.retryAfterMs('10.0.0.1')).toBe(0);
    failures.record('10.0.0.1');
  }
  now = 40;
  expect(failures.retryAfterMs('10.0.0.1')).toBe(60);
  expect(failures.retryAfterMs('10.0.0.2')).toBe(0);
  now = 100;
  expect(failures.retryAfterMs('10.0.0.1')).toBe(0);
});

test('all addresses of one IPv6 /64 share one failure count', () => {
  const failures = createFailedAttempts({ maxFailures: 2 });
  failures.record('2001:db8:1:2::1');
  failures.record('2001:db8:1:2:aaaa:bbbb:cccc:dddd');
  expect(failures.retryAfterMs('2001:db8:1:2::ffff')).toBeGreaterThan(0);
  expect(failures.retryAfterMs('2001:db8:1:3::1')).toBe(0);
  expect(failures.retryAfterMs('::1')).toBe(0);
});

test('the number of remembered addresses is bounded', () => {
  const failures = createFailedAttempts({ maxFailures: 1, maxAddresses: 2 });
  for (const address of ['a', 'b', 'c']) failures.record(address);
  expect(['a', 'b', 'c'].map((address) => failures.retryAfterMs(address) > 0)).toEqual([false, true, true]);
});
