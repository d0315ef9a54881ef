import { expect, test } from 'vitest';
import { findById, findByName } from './find-item.ts';
import { shortId } from './terminal/format.ts';

const items = [{ id: 'abcdef-1' }, { id: 'abcxyz-2' }, { id: 'abc' }];
const find = (given: string) => findById(given, items, 'key').id;

test('an item is found by its id or by the first characters of it', () => {
  expect([find('abcdef-1'), find('abcx'), find('abc')]).toEqual(['abcdef-1', 'abcxyz-2', 'abc']);
  expect(find(shortId('abcdef-1'))).toBe('abcdef-1');
});

test('calls of the same minute are found by the id that lists show', () => {
  const calls = ['01a1e6b4-2a07-7e58-8fa9-d1b54ccc1675', '01a1e6b4-2a07-7e58-8fa9-0f2b8a1d9c3e'].map((id) => ({ id }));
  for (const { id } of calls) expect(findById(shortId(id), calls, 'recent call').id).toBe(id);
});

test('an ambiguous, empty or unknown id is rejected', () => {
  expect(() => find('ab')).toThrow("'ab' matches 3 keys: type more of the id");
  expect(() => find('')).toThrow("There is no key ''");
  expect(() => find('zzz')).toThrow(expect.objectContaining({ code: 'NOT_FOUND' }));
});

test('a name that is not found suggests the closest one, or lists the known ones', () => {
  const named = ['Notes', 'Research'].map((name, at) => ({ id: `6f1c2b3a-${at}`, name }));
  expect(findByName('research', named, 'assistant').name).toBe('Research');
  expect(() => findByName('reserch', named, 'assistant')).toThrow("no assistant 'reserch'; did you mean 'Research'?");
  expect(() => findByName('zzz', named, 'assistant')).toThrow('known assistants: Notes, Research');
  expect(() => findByName('6f1c', named, 'assistant')).toThrow("several assistants named '6f1c': use the id");
  expect(() => findByName('x', [], 'server')).toThrow('none exist');
});
