import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson, hashOf } from './canonical-json.ts';

test('the order of keys has no effect, the order of items does', () => {
  expect(canonicalJson({ b: [1, { d: 1, c: 2 }], a: null })).toBe('{"a":null,"b":[1,{"c":2,"d":1}]}');
  expect(hashOf({ a: 1, b: 2 })).toBe(hashOf({ b: 2, a: 1 }));
  expect(hashOf([1, 2])).not.toBe(hashOf([2, 1]));
});

test('undefined members are omitted, as in JSON', () => {
  expect(canonicalJson({ a: undefined, b: [undefined] })).toBe('{"b":[null]}');
});

test('canonical JSON parses back to the same value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});
