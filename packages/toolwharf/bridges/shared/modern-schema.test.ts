import { expect, test } from 'vitest';
import { toModernSchema } from './modern-schema.ts';

test('a schema of draft 2020-12 is unchanged, except for $schema', () => {
  const schema = {
    type: 'object',
    properties: {
      count: { type: ['integer', 'null'], minimum: 1, default: null },
      mode: { enum: ['a', 'b'], 'x-order': 2 },
      tags: { type: 'array', items: { type: 'string' }, uniqueItems: true },
    },
    required: [],
    additionalProperties: false,
  };
  expect(toModernSchema({ $schema: 'http://json-schema.org/draft-07/schema#', $id: 'x', ...schema })).toEqual(schema);
});

test('boolean exclusive bounds become numbers', () => {
  expect(toModernSchema({ minimum: 0, exclusiveMinimum: true })).toEqual({ exclusiveMinimum: 0 });
  expect(toModernSchema({ maximum: 9, exclusiveMaximum: false })).toEqual({ maximum: 9 });
});

test('a tuple becomes prefixItems', () => {
  const items = [{ type: 'number' }, { type: 'string' }];
  expect(toModernSchema({ type: 'array', items })).toEqual({ type: 'array', prefixItems: items, items: {} });
  expect(toModernSchema({ type: 'array', items, additionalItems: { type: 'null' } })).toEqual({
    type: 'array',
    prefixItems: items,
    items: { type: 'null' },
  });
  expect(toModernSchema({ type: 'array', items, additionalItems: false })).toEqual({
    type: 'array',
    prefixItems: items,
    items: {},
    maxItems: 2,
  });
});

test('an array without items accepts any items', () => {
  expect(toModernSchema({ type: 'array' })).toEqual({ type: 'array', items: {} });
  expect(toModernSchema({ type: ['array', 'null'] })).toEqual({ type: ['array', 'null'], items: {} });
});

test('dependencies and required flags of older drafts are translated', () => {
  expect(
    toModernSchema({
      properties: { a: { type: 'string', required: true }, b: { required: false } },
      required: ['b', 'b'],
      dependencies: { a: ['b'], b: { properties: { c: {} } } },
    }),
  ).toEqual({
    properties: { a: { type: 'string' }, b: {} },
    required: ['b', 'a'],
    dependentRequired: { a: ['b'] },
    dependentSchemas: { b: { properties: { c: {} } } },
  });
});

test('keywords with an invalid value are dropped', () => {
  expect(
    toModernSchema({
      type: 'any',
      title: 5,
      minLength: '3',
      multipleOf: 0,
      enum: [],
      anyOf: [],
      examples: 'one',
      required: true,
      contentEncoding: {},
      dependentRequired: 5,
      patternProperties: { '[': {} },
      properties: { a: null, b: { type: ['string', 'date'] } },
    }),
  ).toEqual({ patternProperties: {}, properties: { a: {}, b: {} } });
  expect(toModernSchema({ dependentRequired: { a: ['b', 'b', 5], c: 'd' } })).toEqual({
    dependentRequired: { a: ['b'] },
  });
});

test('a branch that matches nothing is dropped from a union', () => {
  expect(toModernSchema({ anyOf: [{ type: 'number' }, { not: {} }, false] })).toEqual({ anyOf: [{ type: 'number' }] });
  expect(toModernSchema({ anyOf: [{ not: {} }] })).toEqual({ anyOf: [{ not: {} }] });
});

test('a pattern that is not a valid regular expression is added to the description', () => {
  expect(toModernSchema({ type: 'string', pattern: '(?i)abc', description: 'Code' })).toEqual({
    type: 'string',
    description: 'Code (pattern: (?i)abc)',
  });
});

test('every reference is rewritten to point into $defs', () => {
  const node = { type: 'object', properties: { next: { $ref: '#/properties/a~1b/items' } } };
  expect(
    toModernSchema({
      properties: {
        'a/b': { type: 'array', items: node },
        size: { $ref: '#/definitions/Size', description: 'How big' },
      },
      definitions: { Size: { enum: ['s', 'm'] }, Unused: { type: 'null' } },
    }),
  ).toEqual({
    properties: {
      'a/b': { type: 'array', items: { type: 'object', properties: { next: { $ref: '#/$defs/items' } } } },
      size: { $ref: '#/$defs/Size', description: 'How big' },
    },
    $defs: {
      items: { type: 'object', properties: { next: { $ref: '#/$defs/items' } } },
      Size: { enum: ['s', 'm'] },
    },
  });
});

test('a schema may refer to its root, and two targets with the same name get different names', () => {
  expect(
    toModernSchema({
      properties: { child: { $ref: '#' }, a: { $ref: '#/$defs/x/y' }, b: { $ref: '#/$defs/z/y' } },
      $defs: { x: { y: { type: 'string' } }, z: { y: { type: 'number' } } },
    }).$defs,
  ).toEqual({
    root: { properties: { child: { $ref: '#/$defs/root' }, a: { $ref: '#/$defs/y' }, b: { $ref: '#/$defs/y_2' } } },
    y: { type: 'string' },
    y_2: { type: 'number' },
  });
});

test.each(['#/definitions/Missing', 'https://example.com/schema.json', '#anchor', '#/constructor', '#/__proto__'])(
  'a reference to %s, which is not in the schema, is refused with the reason',
  ($ref) => {
    expect(() => toModernSchema({ properties: { a: { $ref } } })).toThrow(
      `its input schema refers to ${$ref}, which it does not contain`,
    );
  },
);

test('a property may have the name of a keyword or of a prototype member', () => {
  const properties = JSON.parse('{"$ref":{"type":"string"},"items":{"type":"array"},"__proto__":{"type":"number"}}');
  const modern = toModernSchema({ properties });
  expect(JSON.stringify(modern)).toBe(
    '{"properties":{"$ref":{"type":"string"},"items":{"type":"array","items":{}},"__proto__":{"type":"number"}}}',
  );
});
