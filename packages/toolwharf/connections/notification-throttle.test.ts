import { PassThrough } from 'node:stream';
import { afterEach, expect, test, vi } from 'vitest';
import {
  createNotificationThrottle,
  type NotificationThrottleOptions,
  pauseMs,
  pieceBytes,
  readThrottled,
} from './notification-throttle.ts';

// The test controls the clock: on a busy machine the allowance would refill while the test still writes.
afterEach(() => void vi.useRealTimers());

test('a burst of notifications is read at once, and the rest waits until the allowance has refilled', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const throttle = createNotificationThrottle({ burst: 3, perSecond: 1_000 });
  for (let count = 0; count < 3; count++) {
    expect(throttle.isExceeded()).toBe(false);
    throttle.count();
  }
  for (let count = 0; count < 30; count++) throttle.count();
  expect(throttle.isExceeded()).toBe(true);
  const waiting = throttle.wait();
  // 30 above the limit of 1 000 per second.
  vi.advanceTimersByTime(29);
  expect(throttle.isExceeded()).toBe(true);
  vi.advanceTimersByTime(2);
  await waiting;
  expect(throttle.isExceeded()).toBe(false);
});

/** A stream in which every byte is a message: `n` is a notification, anything else is a response. */
function setUp(options: NotificationThrottleOptions) {
  vi.useFakeTimers();
  const stream = new PassThrough();
  let received = '';
  const throttle = createNotificationThrottle(options);
  const push = (piece: Buffer) => {
    received += piece;
    for (const byte of piece) if (byte === 0x6e) throttle.count();
  };
  readThrottled(stream, push, throttle);
  return { stream, received: () => received };
}

test('any number of responses is read at once', async () => {
  const { stream, received } = setUp({ burst: 1, perSecond: 1 });
  stream.write('a'.repeat(50_000));
  await vi.advanceTimersByTimeAsync(0);
  expect(received()).toHaveLength(50_000);
});

test('notifications beyond the allowance are read in chunks with pauses, complete and in order', async () => {
  const { stream, received } = setUp({ burst: 1_000, perSecond: 1_000_000 });
  const sent = Array.from({ length: 20 }, (_, index) => `${index}:${'n'.repeat(3_000)}`).join('|');
  for (let at = 0; at < sent.length; at += 7_000) stream.write(sent.slice(at, at + 7_000));
  stream.end();
  await vi.advanceTimersByTimeAsync(0);
  expect(received()).toHaveLength(pieceBytes);
  await vi.advanceTimersByTimeAsync(pauseMs);
  expect(received().length).toBeLessThan(sent.length / 2);
  await vi.runAllTimersAsync();
  expect(received() === sent).toBe(true);
});
