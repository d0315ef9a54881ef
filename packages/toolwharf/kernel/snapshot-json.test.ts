import { expect, test } from 'vitest';
import { snapshotJson } from './snapshot-json.ts';

const bounds = { maxDepth: 4, maxValues: 10 };

test('a snapshot is what JSON.stringify writes, and nobody can change it', () => {
  const value = {
    ...JSON.parse('{"__proto__":{"a":1}}'),
    date: new Date(0),
    list: [undefined, Number.NaN, () => 1],
    left: undefined,
    boxed: new Number(3),
  };
  const copy = snapshotJson(value, bounds) as { list: unknown[] };
  expect(JSON.stringify(copy)).toBe(JSON.stringify(value));
  expect(() => copy.list.push(1)).toThrow(TypeError);
  expect(() => Object.assign(copy, { left: 1 })).toThrow(TypeError);
});

test('a value beyond the bounds, or a circular one, has no snapshot', () => {
  const circular: Record<string, unknown> = {};
  circular.a = circular;
  expect(snapshotJson(circular, bounds)).toBeUndefined();
  expect(snapshotJson([[[[[]]]]], bounds)).toBeUndefined();
  expect(snapshotJson(Array(11).fill(0), bounds)).toBeUndefined();
});

test('a BigInt keeps all its digits', () => {
  expect(JSON.stringify(snapshotJson({ small: 1n, large: 9007199254740993n }, bounds))).toBe(
    '{"small":1,"large":9007199254740993}',
  );
});
