import { describe, expect, test } from 'vitest';
import { type IntakeStep, readFrames, toFrame } from './intake-frame.ts';

const fill = { token: 'abc', number: 7 };
const one: IntakeStep = { owner: 'me', callId: 'a', at: '2026-11-01T00:00:00.000Z', body: '{"id":"a"}' };
const odd: IntakeStep = { ...one, callId: 'a "b"\n\tc\ud800', body: JSON.stringify({ text: 'ü \n\u2028 \ud800' }) };

describe('frames', () => {
  test('give back what was written, whatever is in it', () => {
    const bytes = Buffer.concat([toFrame(fill, [one]), toFrame(fill, [odd, one])]);
    expect(readFrames(bytes)).toEqual({ fill, steps: [one, odd, one], bytes: bytes.length });
  });

  test('end where the file has nothing', () => {
    const frame = toFrame(fill, [one]);
    for (const rest of ['', '\0'.repeat(100), '\n', 'x', 'abc 7 1\n']) {
      const read = readFrames(Buffer.concat([frame, Buffer.from(rest)]));
      expect(read).toEqual({ fill, steps: [one], bytes: frame.length });
    }
    expect(readFrames(Buffer.alloc(10))).toEqual({ steps: [], bytes: 0 });
    expect(readFrames(Buffer.alloc(0))).toEqual({ steps: [], bytes: 0 });
  });

  test('end before one that is torn, wherever it is', () => {
    const whole = toFrame(fill, [one]);
    const torn = toFrame(fill, [odd, one]);
    for (let length = 0; length < torn.length; length++) {
      const read = readFrames(Buffer.concat([whole, torn.subarray(0, length), Buffer.alloc(500)]));
      expect(read).toEqual({ fill, steps: [one], bytes: whole.length });
    }
  });

  test('end before one in which any bit is another', () => {
    const whole = toFrame(fill, [one]);
    const last = toFrame(fill, [odd]);
    for (let at = 0; at < last.length; at++) {
      const changed = Buffer.from(last);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(readFrames(Buffer.concat([whole, changed]))).toEqual({ fill, steps: [one], bytes: whole.length });
    }
  });

  test('end before what an earlier fill left in the file', () => {
    const now = toFrame(fill, [one]);
    for (const earlier of [
      { token: 'abc', number: 5 },
      { token: 'old', number: 7 },
    ]) {
      const before = Buffer.concat([toFrame(earlier, [one]), toFrame(earlier, [odd])]);
      now.copy(before);
      expect(readFrames(before)).toMatchObject({ fill, steps: [one] });
    }
  });
});
