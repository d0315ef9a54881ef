import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Progress } from '../kernel/tool.ts';
import { tellWaiting } from './tell-waiting.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a waiting call is reported at once, then again with growing numbers, until that is disposed', () => {
  const told: Progress[] = [];
  {
    using _telling = tellWaiting((progress) => told.push(progress), 5);
    expect(told).toEqual([{ progress: 0, message: 'Waiting for approval' }]);
    vi.advanceTimersByTime(10);
    expect(told).toHaveLength(3);
  }
  vi.advanceTimersByTime(60_000);
  expect(told).toHaveLength(3);
  const numbers = told.map(({ progress }) => progress);
  expect(numbers).toEqual([...new Set(numbers)].sort((one, other) => one - other));
});

test('where nobody listens nothing happens', () => {
  using _telling = tellWaiting(undefined, 5);
});
