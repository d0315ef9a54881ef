import { expect, test } from 'vitest';
import { createStopwatch } from './stopwatch.ts';

test('time counts once while anything works, and not while nothing does', () => {
  let now = 0;
  const stopwatch = createStopwatch(() => now);
  const first = stopwatch.begin();
  now = 10;
  const second = stopwatch.begin();
  now = 15;
  first();
  first();
  now = 20;
  expect(stopwatch.elapsedMs).toBe(20);
  second();
  now = 100;
  expect(stopwatch.elapsedMs).toBe(20);
  stopwatch.begin();
  now = 105;
  expect(stopwatch.elapsedMs).toBe(25);
});
