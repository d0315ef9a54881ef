import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createDeadline } from './deadline.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a deadline expires after its duration', () => {
  const onExpired = vi.fn();
  using deadline = createDeadline(10, onExpired);
  vi.advanceTimersByTime(9);
  expect(deadline.isExpired).toBe(false);
  vi.advanceTimersByTime(1);
  expect(deadline.isExpired).toBe(true);
  expect(onExpired).toHaveBeenCalledOnce();
});

test('a deadline is paused until the last of several overlapping pauses ends', () => {
  using deadline = createDeadline(60, () => {});
  vi.advanceTimersByTime(20);
  const resumeFirst = deadline.pause();
  const resumeSecond = deadline.pause();
  resumeFirst();
  resumeFirst();
  vi.advanceTimersByTime(60_000);
  expect(deadline.isExpired).toBe(false);
  resumeSecond();
  vi.advanceTimersByTime(39);
  expect(deadline.isExpired).toBe(false);
  vi.advanceTimersByTime(1);
  expect(deadline.isExpired).toBe(true);
});

test('a disposed deadline never expires, even if it is resumed later', () => {
  const deadline = createDeadline(10, () => {});
  const resume = deadline.pause();
  deadline[Symbol.dispose]();
  resume();
  vi.advanceTimersByTime(60_000);
  expect(deadline.isExpired).toBe(false);
});

test('progress restarts the timeout, up to the maximum in total', () => {
  using deadline = createDeadline(10, () => {}, 25);
  for (const elapsed of [9, 9]) {
    vi.advanceTimersByTime(elapsed);
    deadline.restart();
  }
  expect(deadline.isExpired).toBe(false);
  vi.advanceTimersByTime(6);
  expect(deadline.isExpired).toBe(false);
  deadline.restart();
  vi.advanceTimersByTime(1);
  expect(deadline).toMatchObject({ isExpired: true, limitMs: 25 });
});

test('a timeout without a larger maximum is not restarted', () => {
  using deadline = createDeadline(10, () => {});
  vi.advanceTimersByTime(9);
  deadline.restart();
  vi.advanceTimersByTime(1);
  expect(deadline).toMatchObject({ isExpired: true, limitMs: 10 });
});
