import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createEventMeter, createWholeMeter } from './body-meter.ts';

test('the size of a body is the sum of its chunks', () => {
  const meter = createWholeMeter(10);
  meter(new Uint8Array(10));
  expect(() => meter(new Uint8Array(1))).toThrow(/more than 10 bytes/);
});

test.for(['\n', '\r', '\r\n'])(
  'an endless stream of small events passes, one large event does not (line end %j)',
  (end) => {
    const event = Buffer.from(`data: 1234${end}${end}`);
    const meter = createEventMeter(20);
    for (let index = 0; index < 100; index++) meter(event);
    expect(() => meter(Buffer.from(`data: ${'x'.repeat(30)}`))).toThrow(/event of more than 20 bytes/);
  },
);

test('an event of several lines counts as one event', () => {
  const meter = createEventMeter(20);
  expect(() => meter(Buffer.from('data: 1234\ndata: 1234\ndata: 1234\n'))).toThrow(/event/);
});

test('the size of an event does not depend on how the stream is split into chunks', () => {
  const pieces = fc.array(fc.constantFrom('\n', '\r', '\r\n', 'data: x', ':', 'abcdefgh'), { maxLength: 40 });
  fc.assert(
    fc.property(pieces, fc.integer({ min: 1, max: 7 }), (parts, size) => {
      const text = Buffer.from(parts.join(''));
      const chunks = Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
        text.subarray(at * size, at * size + size),
      );
      expect(passes(chunks)).toBe(passes([text]));
      expect(passes([text])).toBe(longestEvent(parts.join('')) <= 12);
    }),
  );
});

function passes(chunks: readonly Uint8Array[]): boolean {
  const meter = createEventMeter(12);
  try {
    for (const chunk of chunks) meter(chunk);
    return true;
  } catch {
    return false;
  }
}

/** The size of the largest event in bytes, without trailing line ends. */
function longestEvent(text: string): number {
  let longest = 0;
  let start = 0;
  let blank = true;
  for (let at = 0; at < text.length; at++) {
    const isEnd = text[at] === '\n' || text[at] === '\r';
    if (!isEnd) {
      longest = Math.max(longest, at - start + 1);
      blank = false;
      continue;
    }
    const last = text[at] === '\r' && text[at + 1] === '\n' ? at + 1 : at;
    if (blank) start = last + 1;
    blank = true;
    at = last;
  }
  return longest;
}
