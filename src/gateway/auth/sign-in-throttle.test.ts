import { expect, test } from 'vitest';
import { createSignInThrottle } from './sign-in-throttle.ts';

test('a credential that fails too often must wait until its window ends, while other credentials and addresses need not', () => {
  let now = 0;
  const throttle = createSignInThrottle({ maxPerCredential: 3, windowMs: 100, now: () => now });
  for (let attempt = 0; attempt < 3; attempt++) expect(throttle.fail('10.0.0.1', 'a').retryAfterMs).toBe(0);
  now = 40;
  expect(throttle.fail('10.0.0.1', 'a').retryAfterMs).toBe(60);
  expect(throttle.fail('10.0.0.1', 'b').retryAfterMs).toBe(0);
  expect(throttle.fail('10.0.0.2', 'a').retryAfterMs).toBe(0);
  now = 100;
  expect(throttle.fail('10.0.0.1', 'a')).toEqual({ retryAfterMs: 0, isFirst: true });
});

test('an address that tries many credentials must wait', () => {
  const throttle = createSignInThrottle({ maxPerAddress: 2 });
  expect(['a', 'b', 'c'].map((hash) => throttle.fail('10.0.0.1', hash).retryAfterMs > 0)).toEqual([false, false, true]);
  expect(throttle.fail('10.0.0.2', 'd').retryAfterMs).toBe(0);
});

test('all addresses of one IPv6 /64 share one count', () => {
  const throttle = createSignInThrottle({ maxPerAddress: 2 });
  throttle.fail('2001:db8:1:2::1', 'a');
  throttle.fail('2001:db8:1:2:aaaa:bbbb:cccc:dddd', 'b');
  expect(throttle.fail('2001:db8:1:2::ffff', 'c').retryAfterMs).toBeGreaterThan(0);
  expect(throttle.fail('2001:db8:1:3::1', 'd').retryAfterMs).toBe(0);
  expect(throttle.fail('::1', 'e').retryAfterMs).toBe(0);
});

test('the number of counters is bounded, and a flood from one address does not reset those of others', () => {
  const throttle = createSignInThrottle({ maxPerCredential: 1, maxPerAddress: 5, maxCounters: 20 });
  throttle.fail('10.0.0.1', 'a');
  for (let attempt = 0; attempt < 1_000; attempt++) throttle.fail('10.0.0.2', String(attempt));
  expect(throttle.fail('10.0.0.1', 'a').retryAfterMs).toBeGreaterThan(0);
});
