import fc from 'fast-check';
import { expect, test } from 'vitest';
import { measureJson } from './measure-json.ts';

const wide = { maxBytes: 1e9, maxDepth: 1000 };

test('the measured size is close to the length of the JSON text', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      const text = JSON.stringify(value);
      const { bytes } = measureJson(value, wide);
      // The measure counts one extra separator for each array or object and ignores escapes.
      expect(bytes).toBeLessThanOrEqual(Buffer.byteLength(text) + 2 + text.length);
      expect(bytes * 6 + 2).toBeGreaterThanOrEqual(Buffer.byteLength(text));
    }),
  );
});

test('plain text is counted in UTF-8 bytes', () => {
  expect(measureJson('abc', wide).bytes).toBe(5);
  expect(measureJson('é€', wide).bytes).toBe(7);
});

test('the measurement stops when the size exceeds the limit', () => {
  let read = 0;
  const items = Array.from({ length: 1000 }, () => ({
    get text() {
      read++;
      return 'x'.repeat(100);
    },
  }));
  expect(measureJson(items, { maxBytes: 1000, maxDepth: 10 }).exceeded).toBe('bytes');
  expect(read).toBeLessThan(20);
});

test('nesting is limited, and a circular value exceeds the depth limit', () => {
  const circle: Record<string, unknown> = {};
  circle.self = circle;
  expect(measureJson(circle, { maxBytes: 1e6, maxDepth: 64 }).exceeded).toBe('depth');
  expect(measureJson([[[]]], { maxBytes: 1e6, maxDepth: 3 }).exceeded).toBeUndefined();
  expect(measureJson([[[]]], { maxBytes: 1e6, maxDepth: 2 }).exceeded).toBe('depth');
});
