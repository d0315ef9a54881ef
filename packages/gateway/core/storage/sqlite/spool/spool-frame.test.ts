import { describe, expect, test } from 'vitest';
import { readFrames as readFramesOf, type SpooledStep, toFrame } from './spool-frame.ts';

const segment = { token: 'abc', number: 7 };
const one: SpooledStep = { owner: 'me', callId: 'a', at: '2026-11-01T00:00:00.000Z', body: '{"id":"a"}' };
const odd: SpooledStep = { ...one, callId: 'a "b"\n\tc\ud800', body: JSON.stringify({ text: 'ü \n\u2028 \ud800' }) };

/** The frames with their steps as plain objects. */
function readFrames(bytes: Buffer) {
  const read = readFramesOf(bytes);
  return { ...read, steps: read.steps.map(({ owner, callId, at, body }) => ({ owner, callId, at, body })) };
}

describe('reading spool frames', () => {
  test('the reader of spool frames returns them unchanged, regardless of their content', () => {
    const bytes = Buffer.concat([toFrame(segment, [one]), toFrame(segment, [odd, one])]);
    expect(readFrames(bytes)).toEqual({ segment, steps: [one, odd, one], bytes: bytes.length });
  });

  test('the reader of spool frames stops at the empty part of the file', () => {
    const frame = toFrame(segment, [one]);
    for (const rest of ['', '\0'.repeat(100), '\n', 'x', 'abc 7 1\n']) {
      const read = readFrames(Buffer.concat([frame, Buffer.from(rest)]));
      expect(read).toEqual({ segment, steps: [one], bytes: frame.length });
    }
    expect(readFrames(Buffer.alloc(10))).toEqual({ steps: [], bytes: 0 });
    expect(readFrames(Buffer.alloc(0))).toEqual({ steps: [], bytes: 0 });
  });

  test('the reader of spool frames stops before an incomplete frame', () => {
    const whole = toFrame(segment, [one]);
    const torn = toFrame(segment, [odd, one]);
    for (let length = 0; length < torn.length; length++) {
      const read = readFrames(Buffer.concat([whole, torn.subarray(0, length), Buffer.alloc(500)]));
      expect(read).toEqual({ segment, steps: [one], bytes: whole.length });
    }
  });

  test('the reader of spool frames stops before a frame with any changed bit', () => {
    const whole = toFrame(segment, [one]);
    const last = toFrame(segment, [odd]);
    for (let at = 0; at < last.length; at++) {
      const changed = Buffer.from(last);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(readFrames(Buffer.concat([whole, changed]))).toEqual({ segment, steps: [one], bytes: whole.length });
    }
  });

  test('the reader of spool frames stops before the remains of an earlier segment', () => {
    const now = toFrame(segment, [one]);
    for (const earlier of [
      { token: 'abc', number: 5 },
      { token: 'old', number: 7 },
    ]) {
      const before = Buffer.concat([toFrame(earlier, [one]), toFrame(earlier, [odd])]);
      now.copy(before);
      expect(readFrames(before)).toMatchObject({ segment, steps: [one] });
    }
  });
});
