import { expect, test } from 'vitest';
import { queryJsonPath } from './json-path.ts';

const document = {
  items: [
    { id: 1, name: 'one', 'odd key': true },
    { id: 2, name: 'two', nested: { id: 3 } },
  ],
};

test.each([
  ['$', [document]],
  ['$.items[0].name', ['one']],
  ['$.items[-1].name', ['two']],
  ['$.items[*].name', ['one', 'two']],
  ["$.items[0]['odd key']", [true]],
  ['$["items"][1]["name"]', ['two']],
  ['$..id', [1, 2, 3]],
  ['$.items.*.nested', [{ id: 3 }]],
  ['$..[0].id', [1]],
  ['$.missing.further', []],
  ['$.__proto__', []],
  ['$.items.length', []],
])('the path %s finds its values', (path, values) => {
  expect(queryJsonPath(document, path)).toEqual({ values });
});

test.each(['items', '$items', '$.', '$[', '$[?(@.id > 1)]', '$...id', `$${'.a'.repeat(40)}`, "$['a"])(
  'the path %s is refused with examples',
  (path) => {
    expect(queryJsonPath(document, path)).toEqual({ problem: expect.stringContaining('not a JSON path') });
  },
);

test('a deep document is searched without recursion', () => {
  let deep: unknown = { id: 'bottom' };
  for (let depth = 0; depth < 100_000; depth++) deep = [deep];
  expect(queryJsonPath(deep, '$..id')).toEqual({ values: ['bottom'] });
});

test('a path that repeats the descent over a deep document ends with a problem', () => {
  let deep: unknown = {};
  for (let depth = 0; depth < 5_000; depth++) deep = { a: deep };
  expect(queryJsonPath(deep, '$..*..*..*..*')).toEqual({ problem: expect.stringContaining('too many values') });
});
