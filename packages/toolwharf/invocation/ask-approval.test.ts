import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Progress } from '../kernel/tool.ts';
import { reportWaiting } from './ask-approval.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a call that waits for approval reports increasing progress at once and at intervals until it is answered', () => {
  const reports: Progress[] = [];
  {
    using _waiting = reportWaiting((progress) => reports.push(progress), 5);
    expect(reports).toEqual([{ progress: 0, message: 'Waiting for approval' }]);
    vi.advanceTimersByTime(10);
    expect(reports).toHaveLength(3);
  }
  vi.advanceTimersByTime(60_000);
  expect(reports).toHaveLength(3);
  const numbers = reports.map(({ progress }) => progress);
  expect(numbers).toEqual([...new Set(numbers)].sort((one, other) => one - other));
});

test('a call without a progress callback reports nothing while it waits', () => {
  using _waiting = reportWaiting(undefined, 5);
  expect(vi.getTimerCount()).toBe(0);
});
