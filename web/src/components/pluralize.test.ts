import { expect, test } from 'vitest';
import { pluralize } from './pluralize.ts';

test('a count of one takes the singular and every other count the plural', () => {
  expect([0, 1, 2, 1_204].map((count) => pluralize(count, 'call'))).toEqual([
    '0 calls',
    '1 call',
    '2 calls',
    '1,204 calls',
  ]);
  expect(pluralize(2, 'entry', 'entries')).toBe('2 entries');
});
