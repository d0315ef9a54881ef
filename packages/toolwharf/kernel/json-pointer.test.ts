import fc from 'fast-check';
import { expect, test } from 'vitest';
import { escapePointerToken, parseLocalReference, parsePointer, valueAt } from './json-pointer.ts';

test('a JSON Pointer of any keys parses to the same keys', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), (keys) => {
      expect(parsePointer(keys.map((key) => `/${escapePointerToken(key)}`).join(''))).toEqual(keys);
    }),
  );
});

test('a JSON Pointer resolves only own properties of objects and arrays', () => {
  const document = { a: [{ 'b/c': 1 }], nothing: null };
  expect(valueAt(document, ['a', '0', 'b/c'])).toBe(1);
  expect(valueAt(document, [])).toBe(document);
  expect(valueAt(document, ['a', '1'])).toBeUndefined();
  expect(valueAt(document, ['constructor'])).toBeUndefined();
  expect(valueAt(document, ['nothing', 'x'])).toBeUndefined();
});

test('a local reference is percent-decoded before it is split into keys', () => {
  expect(parseLocalReference('#')).toEqual([]);
  expect(parseLocalReference('#/$defs/a~1b%20c')).toEqual(['$defs', 'a/b c']);
  expect(parseLocalReference('#/100%')).toEqual(['100%']);
});

test.each(['#anchor', 'other.json#/a', 'https://example.com/schema', ''])(
  '%s is not a reference into its own document',
  (reference) => {
    expect(parseLocalReference(reference)).toBeUndefined();
  },
);
