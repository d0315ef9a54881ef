import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createPacer } from './pacer.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('the first word is passed on at once, of those that follow too soon the latest when its time has come', () => {
  const heard: number[] = [];
  using pacer = createPacer<number>(100, (value) => heard.push(value));
  for (const value of [1, 2, 3]) pacer.say(value);
  expect(heard).toEqual([1]);
  vi.advanceTimersByTime(100);
  expect(heard).toEqual([1, 3]);
  pacer.say(4);
  vi.advanceTimersByTime(99);
  expect(heard).toEqual([1, 3]);
  vi.advanceTimersByTime(1);
  expect(heard).toEqual([1, 3, 4]);
  vi.advanceTimersByTime(1_000);
  pacer.say(5);
  expect(heard).toEqual([1, 3, 4, 5]);
});

test('what waits when it is over is not said any more', () => {
  const heard: number[] = [];
  {
    using pacer = createPacer<number>(100, (value) => heard.push(value));
    pacer.say(1);
    pacer.say(2);
  }
  vi.advanceTimersByTime(1_000);
  expect(heard).toEqual([1]);
});
