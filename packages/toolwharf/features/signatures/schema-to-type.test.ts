import { expect, test } from 'vitest';
import { schemaToType } from './schema-to-type.ts';

test.each([
  [{ type: 'string' }, 'string'],
  [{ type: 'integer' }, 'number'],
  [{ type: ['string', 'null'] }, 'string | null'],
  [{ enum: ['a', 1, null] }, '"a" | 1 | null'],
  [{ const: 'x' }, '"x"'],
  [{ anyOf: [{ type: 'string' }, { type: 'boolean' }] }, 'string | boolean'],
  [{ type: 'array', items: { type: 'number' } }, 'readonly number[]'],
  [{ type: 'array', items: { type: ['number', 'null'] } }, 'readonly (number | null)[]'],
  [{ allOf: [{ anyOf: [{ type: 'string' }, { type: 'number' }] }, { const: 1 }] }, '(string | number) & 1'],
  [{ type: 'object', additionalProperties: { type: 'number' } }, 'Readonly<Record<string, number>>'],
  [{ type: 'object', additionalProperties: false }, 'Readonly<Record<string, never>>'],
  [
    { type: 'object', properties: { a: { type: 'string' }, 'b-c': {} }, required: ['a'] },
    '{ readonly a: string; readonly "b-c"?: unknown }',
  ],
  [{ $ref: '#/$defs/x', $defs: { x: { type: 'boolean' } } }, 'boolean'],
  [{ $ref: '#/__proto__' }, 'unknown'],
  [true, 'unknown'],
])('the type of the schema %j is %s', (schema, type) => {
  expect(schemaToType(schema)).toBe(type);
});

test('a circular schema ends as unknown', () => {
  expect(schemaToType({ $ref: '#' })).toBe('unknown');
});

test('a schema that refers to itself in many places has a type of limited size', () => {
  const names = Array.from({ length: 12 }, (_, index) => `p${index}`);
  const properties = (to: number) => Object.fromEntries(names.map((name) => [name, { $ref: `#/$defs/d${to}` }]));
  const $defs = Object.fromEntries(
    Array.from({ length: 15 }, (_, index) => [`d${index}`, { type: 'object', properties: properties(index + 1) }]),
  );
  expect(schemaToType({ $ref: '#/$defs/d0', $defs }).length).toBeLessThan(100_000);
});
