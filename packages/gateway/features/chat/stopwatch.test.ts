import { expect, test } from 'vitest';
import { createStopwatch } from './stopwatch.ts';

test('overlapping tasks count once, and idle time does not count', () => {
  let now = 0;
  const stopwatch = createStopwatch(() => now);
  const first = stopwatch.start();
  now = 10;
  const second = stopwatch.start();
  now = 15;
  first();
  first();
  now = 20;
  expect(stopwatch.elapsedMs).toBe(20);
  second();
  now = 100;
  expect(stopwatch.elapsedMs).toBe(20);
  stopwatch.start();
  now = 105;
  expect(stopwatch.elapsedMs).toBe(25);
});
