import { expect, test } from 'vitest';
import { reconnectDelayMs } from './reconnect-delay.ts';

test.each([
  ['grows with failed attempts', { failures: 3, emptyResponses: 0 }, 4_000],
  ['has an upper bound', { failures: 30, emptyResponses: 0 }, 10_000],
  ['is the one that the server asks for', { serverRetryMs: 20, failures: 0, emptyResponses: 0 }, 20],
  ['is at most a minute', { serverRetryMs: 2 ** 40, failures: 0, emptyResponses: 0 }, 60_000],
  ['allows no tight loop of empty responses', { serverRetryMs: 0, failures: 0, emptyResponses: 50 }, 1_000],
])('the delay before a reconnect %s', (_what, state, delayMs) => {
  expect(reconnectDelayMs(state)).toBe(delayMs);
});
