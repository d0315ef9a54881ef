import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createPace, type PaceOptions, pauseMs, pieceBytes } from '../pace.ts';
import { readFairly } from './read-fairly.ts';

// Time only passes when a test says so: on a busy machine the allowance would refill while the test still writes.
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A stream in which every byte is a message: `n` is a notification, anything else is a response. */
function setUp(options: PaceOptions) {
  const stream = new PassThrough();
  let received = '';
  const pace = createPace(options);
  const push = (piece: Buffer) => {
    received += piece;
    for (const byte of piece) if (byte === 0x6e) pace.note();
  };
  readFairly(stream, push, pace);
  return { stream, received: () => received };
}

test('responses are read at once, however many there are', async () => {
  const { stream, received } = setUp({ burst: 1, perSecond: 1 });
  stream.write('a'.repeat(50_000));
  await vi.advanceTimersByTimeAsync(0);
  expect(received()).toHaveLength(50_000);
});

test('notifications beyond the allowance are read piece by piece with pauses, complete and in order', async () => {
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
