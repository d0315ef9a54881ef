import { expect, test } from 'vitest';
import { isoTime } from './iso-time.ts';

test('a time is written as ISO text, however often and in whatever order it is asked for', () => {
  const times = [0, 1_700_000_000_123, 1_700_000_000_123, 1, 0];
  expect(times.map(isoTime)).toEqual(times.map((time) => new Date(time).toISOString()));
});

test('what is no time throws, and the next one is written as ever', () => {
  expect(() => isoTime(Number.NaN)).toThrow(RangeError);
  expect(isoTime(5)).toBe('1970-01-01T00:00:00.005Z');
});
