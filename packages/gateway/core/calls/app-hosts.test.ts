import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { throttle } from './app-hosts.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('the first value passes at once, then the latest of each interval', () => {
  const passed: number[] = [];
  const push = throttle<number>(100, (value) => passed.push(value));
  for (const value of [1, 2, 3]) push(value);
  expect(passed).toEqual([1]);
  vi.advanceTimersByTime(100);
  expect(passed).toEqual([1, 3]);
  push(4);
  vi.advanceTimersByTime(99);
  expect(passed).toEqual([1, 3]);
  vi.advanceTimersByTime(1);
  expect(passed).toEqual([1, 3, 4]);
  vi.advanceTimersByTime(1_000);
  push(5);
  expect(passed).toEqual([1, 3, 4, 5]);
});
