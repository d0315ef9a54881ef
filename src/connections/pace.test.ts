import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createPace } from './pace.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

test('a burst of notifications is read at once; the rest waits until the allowance has refilled', async () => {
  const pace = createPace({ burst: 3, perSecond: 1_000 });
  for (let count = 0; count < 3; count++) {
    expect(pace.isSpent()).toBe(false);
    pace.note();
  }
  for (let count = 0; count < 30; count++) pace.note();
  expect(pace.isSpent()).toBe(true);
  const turn = pace.turn();
  // 30 too many at 1 000 per second.
  vi.advanceTimersByTime(29);
  expect(pace.isSpent()).toBe(true);
  vi.advanceTimersByTime(2);
  await turn;
  expect(pace.isSpent()).toBe(false);
});
