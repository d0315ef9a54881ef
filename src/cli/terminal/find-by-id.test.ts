import { expect, test } from 'vitest';
import { findById, shortId } from './find-by-id.ts';

const items = [{ id: 'abcdef-1' }, { id: 'abcxyz-2' }, { id: 'abc' }];
const find = (given: string) => findById(given, items, 'key').id;

test('an id, or as much of it as is enough, finds its item', () => {
  expect([find('abcdef-1'), find('abcx'), find('abc')]).toEqual(['abcdef-1', 'abcxyz-2', 'abc']);
  expect(find(shortId('abcdef-1'))).toBe('abcdef-1');
});

test('too little of it, nothing, or another one finds none', () => {
  expect(() => find('ab')).toThrow("'ab' fits 3 keys: give more of the id");
  expect(() => find('')).toThrow("There is no key ''");
  expect(() => find('zzz')).toThrow(expect.objectContaining({ code: 'NOT_FOUND' }));
});
