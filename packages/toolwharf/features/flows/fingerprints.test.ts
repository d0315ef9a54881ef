import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fingerprint, type Segment, segmentsOf } from './fingerprints.ts';

function hashesOf(value: unknown): ReadonlySet<number> {
  const hashes = new Set<number>();
  expect(fingerprint(segmentsOf(value, false), 1_000_000, (hash) => hashes.add(hash))).toBe(true);
  return hashes;
}

const shares = (one: unknown, other: unknown) => {
  const hashes = hashesOf(one);
  return [...hashesOf(other)].some((hash) => hashes.has(hash));
};

const text = fc.string({ unit: 'grapheme', minLength: 12, maxLength: 200 });

describe('fingerprints of texts', () => {
  test('every part of 12 characters or more is found, whatever stands around it', () => {
    const part = fc.string({ unit: fc.constantFrom(...'abc XYZ.,;-09'), minLength: 12, maxLength: 40 });
    const around = fc.string({ maxLength: 30 });
    const compact = (one: string) => one.replaceAll(/\s/g, '');
    fc.assert(
      fc.property(part, around, around, (shared, before, after) => {
        fc.pre(compact(shared).length >= 12);
        expect(shares(`${before}|${shared}|${after}`, { a: [`${after}${shared}${before}`] })).toBe(true);
      }),
    );
  });

  test('case, white space, invisible characters and compatibility forms do not matter', () => {
    fc.assert(
      fc.property(text, (one) => {
        const ascii = one.replaceAll(/[^\x21-\x7e]/g, 'x');
        fc.pre(ascii.length >= 12);
        const wide = [...ascii].map((letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0)).join('');
        for (const other of [ascii.toUpperCase(), [...ascii].join('\n'), [...ascii].join('\u200b'), wide])
          expect(shares(ascii, other)).toBe(true);
      }),
    );
  });

  test('texts that share fewer than 12 characters have nothing in common', () => {
    const words = 'Results of January 2026 for the northern region: all within the plan.';
    expect(shares(words, 'The plan for February of the western area')).toBe(false);
    expect(shares(words, 'northern re')).toBe(false);
    expect(shares(words, 'northern regio')).toBe(true);
  });

  test('numbers of six digits or more are found as a whole, dates are no numbers', () => {
    expect(shares({ n: 1_234_567 }, 'total 1,234,567.00 EUR')).toBe(true);
    expect(shares({ n: 9_007_199_254_740_993n }, '9007199254740993')).toBe(true);
    expect(shares({ n: -123_456 }, '123 456')).toBe(true);
    expect(shares({ n: 12_345 }, '12345')).toBe(false);
    expect(shares({ n: 1_234_567 }, '234567')).toBe(false);
    expect(shares('2026-11-19', '2026-11-19 is today')).toBe(false);
  });

  test('a part of 23 characters of binary content is found', () => {
    const image = {
      type: 'image',
      data: Buffer.from(Array.from({ length: 3_000 }, (_, at) => (at * 7919) % 256)).toString('base64'),
    };
    expect(hashesOf([image]).size).toBeLessThan(image.data.length / 11);
    const stored = hashesOf([image]);
    for (let start = 0; start < 40; start++) {
      const found = new Set<number>();
      const segments: Segment[] = [{ pointer: '', text: image.data.slice(start, start + 23) }];
      fingerprint(segments, 1_000, (hash) => found.add(hash));
      expect([...found].some((hash) => stored.has(hash))).toBe(true);
    }
  });

  test('texts that are longer than the limit are not read', () => {
    expect(fingerprint([{ pointer: '', text: 'x'.repeat(11) }], 10, () => expect.unreachable())).toBe(false);
  });
});
