import { expect, test } from 'vitest';
import { formatOrder, parseOrder } from './step-order.ts';

test.each([
  [[], ''],
  [[1], '1'],
  [[1, 2, 3], '1-3'],
  [[1, 2, 4, 3, 5, 6], '1-2,4,3,5-6'],
  [[3, 2, 1], '3,2,1'],
])('the order %j is written as %j and read back', (order, text) => {
  expect(formatOrder(order)).toBe(text);
  expect(parseOrder(text)).toEqual(order);
});
