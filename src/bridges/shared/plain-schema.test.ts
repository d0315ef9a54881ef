import { expect, test } from 'vitest';
import { toPlainSchema } from './plain-schema.ts';

test('a schema is copied, so later changes have no effect', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } } };
  const plain = toPlainSchema(schema);
  schema.properties.a.type = 'number';
  expect(plain).toEqual({ type: 'object', properties: { a: { type: 'string' } } });
});

test('a circular or too deeply nested schema is rejected with the reason', () => {
  const circle: Record<string, unknown> = { type: 'object' };
  circle.properties = { self: circle };
  expect(() => toPlainSchema(circle)).toThrow('nested deeper than 64 levels');
  const nested = (levels: number): object => (levels === 1 ? {} : { not: nested(levels - 1) });
  expect(() => toPlainSchema(nested(64))).not.toThrow();
  expect(() => toPlainSchema(nested(65))).toThrow('nested deeper than 64 levels');
});

test('a schema that is not JSON, or larger than 256 kB, is rejected with the reason', () => {
  expect(() => toPlainSchema({ default: 1n })).toThrow('cannot be written as JSON');
  expect(() => toPlainSchema({ description: 'x'.repeat(256 * 1024) })).toThrow('too large: 257 kB, at most 256 kB');
  expect(() => toPlainSchema([])).toThrow('not an object');
});
