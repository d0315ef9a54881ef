import { expect, test } from 'vitest';
import { createId } from './create-id.ts';

test('ids are unique UUIDs of version 7', () => {
  const ids = Array.from({ length: 1_000 }, () => createId());
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(new Set(ids).size).toBe(ids.length);
});

test('a later id sorts after an earlier one', () => {
  const times = [0, 1, 255, 4_096, 1_700_000_000_000, 1_700_000_000_001];
  const ids = times.map((time) => createId(time));
  expect(ids.toSorted()).toEqual(ids);
});
