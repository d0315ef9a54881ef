import { expect, test } from 'vitest';
import { createEphemeralMap } from './ephemeral-map.ts';

test('an ephemeral map returns a value until it is deleted', () => {
  const map = createEphemeralMap<string, { readonly name: string }>();
  map.set('a', { name: 'first' });
  map.set('a', { name: 'second' });
  map.set('b', { name: 'other' });
  expect(map.get('a')).toEqual({ name: 'second' });
  expect([...map.keys()]).toEqual(['a', 'b']);
  expect([...map.values()]).toEqual([{ name: 'second' }, { name: 'other' }]);
  expect(map.delete('a')).toBe(true);
  expect(map.delete('a')).toBe(false);
  expect(map.has('a')).toBe(false);
  expect(map.get('a')).toBeUndefined();
  expect(map.size).toBe(1);
});

test('values deleted during iteration are skipped', () => {
  const map = createEphemeralMap<number, number>();
  for (let key = 0; key < 4; key++) map.set(key, key);
  const seen: number[] = [];
  for (const value of map.values()) {
    seen.push(value);
    map.delete(value + 1);
  }
  expect(seen).toEqual([0, 2]);
});
