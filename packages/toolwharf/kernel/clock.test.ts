import { expect, test } from 'vitest';
import { isoTime, systemClock } from './clock.ts';

test('an aborted signal ends a sleep with its reason', async () => {
  const cancel = new AbortController();
  const sleeping = systemClock.sleep(60_000, cancel.signal);
  cancel.abort(new Error('wake up'));
  await expect(sleeping).rejects.toThrow('wake up');
  const before = systemClock.now();
  await systemClock.sleep(5);
  expect(systemClock.now()).toBeGreaterThanOrEqual(before);
});

test('times are formatted as ISO text in any order', () => {
  const times = [0, 1_700_000_000_123, 1_700_000_000_123, 1, 0];
  expect(times.map(isoTime)).toEqual(times.map((time) => new Date(time).toISOString()));
});

test('an invalid time throws and does not affect the next one', () => {
  expect(() => isoTime(Number.NaN)).toThrow(RangeError);
  expect(isoTime(5)).toBe('1970-01-01T00:00:00.005Z');
});
