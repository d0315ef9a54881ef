import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { UsageError } from '../errors.ts';
import { createCallTimeout } from './call-tool.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a call that exceeds --timeout ends with CALL_TIMED_OUT and names the given duration', async () => {
  using timeout = createCallTimeout('20ms');
  const signal = timeout.start('mcp_a_b');
  vi.advanceTimersByTime(20);
  expect(signal.reason).toMatchObject({
    code: 'CALL_TIMED_OUT',
    message: 'mcp_a_b did not finish within 20ms (--timeout)',
  });
});

test('time spent waiting for approval does not count against --timeout', () => {
  using timeout = createCallTimeout('50ms');
  const signal = timeout.start('mcp_a_b');
  const resume = timeout.pause();
  vi.advanceTimersByTime(60_000);
  expect(signal.aborted).toBe(false);
  resume();
  vi.advanceTimersByTime(50);
  expect(signal.aborted).toBe(true);
});

test('an invalid --timeout is a usage error, and without one a call never times out', () => {
  for (const text of ['soon', '30', '0s', '-1s', '']) expect(() => createCallTimeout(text)).toThrow(UsageError);
  using timeout = createCallTimeout();
  expect(timeout.start('x').aborted).toBe(false);
});
