import { expect, test } from 'vitest';
import { evictOldest } from './evict-oldest.ts';

test('the entries added first are evicted until the collection fits', () => {
  const set = new Set(['a', 'b', 'c']);
  evictOldest(set, 2);
  expect([...set]).toEqual(['b', 'c']);
  const map = new Map([[1, 'one']]);
  evictOldest(map, 1);
  expect(map.size).toBe(1);
  evictOldest(map, 0);
  expect(map.size).toBe(0);
});
