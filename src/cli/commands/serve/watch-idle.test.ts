import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { watchIdle } from './watch-idle.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a gateway is idle when it has had no connection for the whole period', async () => {
  let connections = 1;
  using idle = watchIdle(async () => connections, { idleMs: 60_000, pollMs: 5_000 });
  await vi.advanceTimersByTimeAsync(300_000);
  expect(idle.signal.aborted).toBe(false);
  connections = 0;
  await vi.advanceTimersByTimeAsync(50_000);
  connections = 1;
  await vi.advanceTimersByTimeAsync(5_000);
  connections = 0;
  await vi.advanceTimersByTimeAsync(55_000);
  expect(idle.signal.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(idle.signal.aborted).toBe(true);
});
