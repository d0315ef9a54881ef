import { expect, test } from 'vitest';
import { previewJson } from './call-records.ts';

test('the preview of a small value is the value itself', () => {
  const value = { a: 'text', b: [1, true, null], c: { d: { e: 'f' } } };
  expect(previewJson(value)).toEqual(value);
});

test('long texts, arrays, objects and deep values are cut', () => {
  const keys = Array.from({ length: 1_000 }, (_, at) => [`k${at}`, at]);
  const preview = previewJson({
    text: 'x'.repeat(1_000_000),
    list: Array.from({ length: 1_000 }, (_, at) => at),
    many: Object.fromEntries(keys),
    deep: { a: { b: { c: { d: 1 } } } },
    ['k'.repeat(1_000)]: 1,
  }) as Record<string, unknown>;
  expect(preview.text).toBe(`${'x'.repeat(200)}…`);
  expect(preview.list).toHaveLength(21);
  expect(Object.keys(preview.many as object)).toHaveLength(21);
  expect(preview.deep).toEqual({ a: { b: { c: '…' } } });
  expect(Object.keys(preview).at(-1)).toHaveLength(201);
});

test('a preview of any value is small', () => {
  const wide = (depth: number): unknown =>
    depth === 0 ? 'y'.repeat(5_000) : Array.from({ length: 30 }, () => wide(depth - 1));
  expect(JSON.stringify(previewJson(wide(3))).length).toBeLessThan(100_000);
});
