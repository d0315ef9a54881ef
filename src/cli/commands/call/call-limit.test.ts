import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Call, CallEvent, CallState } from '../../../invocation/call.ts';
import { UsageError } from '../../usage-error.ts';
import { createCallLimit } from './call-limit.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a limit that is used up is a call that timed out, with the time as it was written', async () => {
  using limit = createCallLimit('20ms');
  const signal = limit.start('mcp_a_b');
  vi.advanceTimersByTime(20);
  expect(signal.reason).toMatchObject({
    code: 'CALL_TIMED_OUT',
    message: 'mcp_a_b did not finish within 20ms (--timeout)',
  });
});

test('the clock stands still while a person is asked', async () => {
  using limit = createCallLimit('50ms');
  const signal = limit.start('mcp_a_b');
  let tell: (event: CallEvent) => void = () => {};
  const subscribe = (listener: (event: CallEvent) => void) => {
    tell = listener;
    return () => {};
  };
  limit.pauseWhileAsking({ subscribe } as Call);
  const change = (state: CallState) => tell({ type: 'state', state, record: {} as never });
  change('awaiting-approval');
  vi.advanceTimersByTime(60_000);
  expect(signal.aborted).toBe(false);
  change('running');
  vi.advanceTimersByTime(50);
  expect(signal.aborted).toBe(true);
});

test('what is no time is wrong usage, and no limit is none', () => {
  for (const text of ['soon', '30', '0s', '-1s', '']) expect(() => createCallLimit(text)).toThrow(UsageError);
  using limit = createCallLimit();
  expect(limit.start('x').aborted).toBe(false);
});
