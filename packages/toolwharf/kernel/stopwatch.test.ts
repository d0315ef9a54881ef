import { expect, test } from 'vitest';
import { startStopwatch } from './stopwatch.ts';

test('a stopwatch counts the time of the clock that moved more: a machine that slept, or a wall clock that was set', () => {
  let monotonic = 100;
  let wall = 1_000_000;
  const elapsed = startStopwatch({ monotonic: () => monotonic, wall: () => wall });
  monotonic += 10;
  wall += 9;
  expect(elapsed()).toBe(10);
  wall += 60_000;
  expect(elapsed()).toBe(60_009);
  wall -= 3_600_000;
  expect(elapsed()).toBe(10);
});
