import { expect, test } from 'vitest';
import { toGeminiSchema } from './gemini-schema.ts';

test('keywords that Gemini supports are retained', () => {
  const schema = {
    type: 'object',
    description: 'All',
    properties: {
      a: { type: ['string', 'null'], enum: ['x', 'y'] },
      b: {
        anyOf: [
          { type: 'integer', minimum: 1, maximum: 9 },
          { type: 'array', items: {}, minItems: 1, maxItems: 2 },
        ],
      },
      c: { type: 'array', prefixItems: [{ type: 'string' }], items: { type: 'number' } },
      d: { type: 'object', additionalProperties: { type: 'string' } },
    },
    required: ['a'],
    additionalProperties: false,
  };
  expect(toGeminiSchema(schema)).toEqual(schema);
});

test('keywords with an equivalent in Gemini are translated', () => {
  expect(toGeminiSchema({ title: 'T', const: 'x' })).toEqual({ enum: ['x'] });
  expect(toGeminiSchema({ oneOf: [{ type: 'string' }] })).toEqual({ anyOf: [{ type: 'string' }] });
  expect(toGeminiSchema({ type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 10 })).toEqual({
    type: 'integer',
    minimum: 1,
    maximum: 9,
  });
});

test('keywords that Gemini does not support are added to the description', () => {
  expect(toGeminiSchema({ type: 'string', description: 'When.', format: 'date', pattern: '^2', default: '' })).toEqual({
    type: 'string',
    description: 'When. (format: date; pattern: ^2; default: "")',
  });
  expect(toGeminiSchema({ type: 'number', exclusiveMinimum: 0, enum: [1, null], const: true })).toEqual({
    type: 'number',
    description: '(exclusiveMinimum: 0; enum: [1,null]; const: true)',
  });
});

test('references are inlined', () => {
  const schema = {
    type: 'object',
    properties: {
      a: { $ref: '#/$defs/A', description: 'Here' },
      b: { allOf: [{ $ref: '#/$defs/A' }, { maximum: 5 }] },
    },
    $defs: { A: { type: 'integer', description: 'There', minimum: 0 } },
  };
  expect(toGeminiSchema(schema)).toEqual({
    type: 'object',
    properties: {
      a: { type: 'integer', description: 'Here', minimum: 0 },
      b: { type: 'integer', description: 'There', minimum: 0, maximum: 5 },
    },
  });
});

test('a circular reference ends at its first repetition', () => {
  const Node = {
    type: 'object',
    properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/Node' } } },
  };
  expect(toGeminiSchema({ type: 'object', properties: { root: { $ref: '#/$defs/Node' } }, $defs: { Node } })).toEqual({
    type: 'object',
    properties: {
      root: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          children: { type: 'array', items: { type: 'object', description: 'Has the same shape as Node around it.' } },
        },
      },
    },
  });
  const Json = { anyOf: [{ type: 'string' }, { type: 'array', items: { $ref: '#/$defs/Json' } }] };
  expect(toGeminiSchema({ $ref: '#/$defs/Json', $defs: { Json } })).toEqual({
    anyOf: [{ type: 'string' }, { type: 'array', items: { description: 'Has the same shape as Json around it.' } }],
  });
  expect(toGeminiSchema({ $ref: '#/$defs/A', $defs: { A: { $ref: '#/$defs/A' } } })).toEqual({});
});

test('definitions that grow exponentially when inlined are rejected with the reason', () => {
  const $defs = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => {
      const next = { $ref: `#/$defs/D${index + 1}` };
      return [`D${index}`, { type: 'object', properties: { one: next, two: next } }];
    }),
  );
  const schema = { type: 'object', properties: { a: { $ref: '#/$defs/D0' } }, $defs: { ...$defs, D40: {} } };
  expect(() => toGeminiSchema(schema)).toThrow('too large with its references inlined');
});
