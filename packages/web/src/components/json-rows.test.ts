import { describe, expect, test } from 'vitest';
import { type JsonRow, openWithin, toJsonRows } from './json-rows.ts';

const shown = new Map<string, number>();
const paths = (rows: readonly JsonRow[]) => rows.map(({ path }) => path);

describe('the lines of a JSON tree', () => {
  test('only open values contribute lines, in document order', () => {
    const value = { a: [1, { b: null }], 'c/d': 'text' };
    expect(paths(toJsonRows(value, { open: new Set(['', '/a']), shown }))).toEqual(['', '/a', '/a/0', '/a/1', '/c~1d']);
    expect(paths(toJsonRows(value, { open: new Set(), shown }))).toEqual(['']);
  });

  test('a long list is shown in pages', () => {
    const value = Array.from({ length: 1_000 }, (_, at) => at);
    const open = new Set(['']);
    const first = toJsonRows(value, { open, shown });
    expect(first).toHaveLength(102);
    expect(first.at(-1)).toMatchObject({ kind: 'more', left: 900 });
    expect(toJsonRows(value, { open, shown: new Map([['', 5_000]]) })).toHaveLength(1_001);
  });

  test('small values are opened level by level', () => {
    expect([...openWithin({ a: { b: { c: 1 } } }, 10)]).toEqual(['', '/a', '/a/b']);
    const wide = { a: Array.from({ length: 50 }, () => 1), b: { c: 1 } };
    expect([...openWithin(wide, 10)]).toEqual(['']);
  });

  test('a value ten thousand levels deep is not visited below its open levels', () => {
    let deep: unknown = 1;
    for (let level = 0; level < 10_000; level++) deep = [deep];
    expect(toJsonRows(deep, { open: openWithin(deep, 40), shown })).toHaveLength(40);
  });

  test('inherited members have no lines', () => {
    expect(toJsonRows(JSON.parse('{"__proto__": {"x": 1}}'), { open: new Set(['']), shown })).toHaveLength(2);
  });
});
