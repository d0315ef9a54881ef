import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createDeadline } from './deadline.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a deadline aborts its signal when its time is used up', () => {
  using deadline = createDeadline(10);
  vi.advanceTimersByTime(9);
  expect(deadline.signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(deadline.signal.reason).toMatchObject({ name: 'TimeoutError' });
});

test('while a deadline is paused its time stands still, also for overlapping pauses', () => {
  using deadline = createDeadline(60);
  vi.advanceTimersByTime(20);
  const resume = deadline.pause();
  const resumeToo = deadline.pause();
  resume();
  resume();
  vi.advanceTimersByTime(60_000);
  expect(deadline.signal.aborted).toBe(false);
  resumeToo();
  vi.advanceTimersByTime(39);
  expect(deadline.signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(deadline.signal.aborted).toBe(true);
});

test('a disposed deadline never fires, even if it is resumed later', () => {
  const deadline = createDeadline(10);
  const resume = deadline.pause();
  deadline[Symbol.dispose]();
  resume();
  vi.advanceTimersByTime(60_000);
  expect(deadline.signal.aborted).toBe(false);
});
