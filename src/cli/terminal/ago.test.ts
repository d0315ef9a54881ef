import { expect, test } from 'vitest';
import { ago, until } from './ago.ts';

const now = Date.parse('2026-01-10T12:00:00Z');

test.each([
  ['2026-01-10T12:00:00Z', 'just now'],
  ['2026-01-10T11:59:18Z', '42 s ago'],
  ['2026-01-10T11:55:00Z', '5 min ago'],
  ['2026-01-10T03:00:00Z', '9 h ago'],
  ['2026-01-01T12:00:00Z', '9 days ago'],
  ['2026-01-10T13:00:00Z', 'just now'],
])('the time %s is shown as %s', (time, shown) => {
  expect(ago(time, now)).toBe(shown);
});

test.each([
  ['2026-01-10T12:10:00Z', 'in 10 min'],
  ['2026-01-10T12:00:00Z', 'now'],
  ['2026-01-10T11:00:00Z', 'now'],
])('the expiry %s is shown as %s', (time, shown) => {
  expect(until(time, now)).toBe(shown);
});
