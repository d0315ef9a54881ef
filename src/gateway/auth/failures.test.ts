import { expect, test } from 'vitest';
import { createFailures } from './failures.ts';

test('an address that fails too often waits until its window is over, and others do not', () => {
  let now = 0;
  const failures = createFailures({ maxFailures: 3, windowMs: 100, now: () => now });
  for (let attempt = 0; attempt < 3; attempt++) {
    expect(failures.waitMs('10.0.0.1')).toBe(0);
    failures.note('10.0.0.1');
  }
  now = 40;
  expect(failures.waitMs('10.0.0.1')).toBe(60);
  expect(failures.waitMs('10.0.0.2')).toBe(0);
  now = 100;
  expect(failures.waitMs('10.0.0.1')).toBe(0);
});

test('the addresses of one IPv6 network count as one', () => {
  const failures = createFailures({ maxFailures: 2 });
  failures.note('2001:db8:1:2::1');
  failures.note('2001:db8:1:2:aaaa:bbbb:cccc:dddd');
  expect(failures.waitMs('2001:db8:1:2::ffff')).toBeGreaterThan(0);
  expect(failures.waitMs('2001:db8:1:3::1')).toBe(0);
  expect(failures.waitMs('::1')).toBe(0);
});

test('many addresses do not fill the memory', () => {
  const failures = createFailures({ maxFailures: 1, maxAddresses: 2 });
  for (const address of ['a', 'b', 'c']) failures.note(address);
  expect(['a', 'b', 'c'].map((address) => failures.waitMs(address) > 0)).toEqual([false, true, true]);
});
