import { expect, test } from 'vitest';
import { toObjectSchema } from './object-schema.ts';

const a = { type: 'string' };
const b = { type: 'number' };

test('an object without properties gets empty properties', () => {
  expect(toObjectSchema({ type: 'object' })).toEqual({ schema: { type: 'object', properties: {} } });
  expect(toObjectSchema({})).toEqual({ schema: { type: 'object', properties: {} } });
  expect(toObjectSchema({ type: ['object', 'null'], properties: { a } }).schema.type).toBe('object');
});

test('an input that is not an object is rejected with the reason', () => {
  expect(() => toObjectSchema({ type: 'string' })).toThrow('its input is of type string, not an object');
  expect(() => toObjectSchema({ anyOf: [{ type: 'string' }, { type: 'null' }] })).toThrow('can never be an object');
});

test('allOf is merged without loss', () => {
  expect(
    toObjectSchema({
      description: 'Both',
      allOf: [
        { type: 'object', properties: { a }, required: ['a'] },
        { $ref: '#/$defs/More' },
        { properties: { a: { maxLength: 5 } } },
      ],
      $defs: { More: { type: 'object', properties: { b }, required: ['b'], additionalProperties: false } },
    }),
  ).toEqual({
    schema: {
      description: 'Both',
      type: 'object',
      properties: { a: { allOf: [a, { maxLength: 5 }] }, b },
      required: ['a', 'b'],
      additionalProperties: false,
    },
  });
});

test('a schema that is only a reference is replaced by its target', () => {
  const $defs = { Input: { type: 'object', description: 'In', properties: { a }, additionalProperties: false } };
  expect(toObjectSchema({ $ref: '#/$defs/Input', $defs })).toEqual({
    schema: { type: 'object', description: 'In', properties: { a }, additionalProperties: false },
  });
});

test('all properties of alternatives are offered, and the note states the constraint', () => {
  const anyOf = [
    { properties: { kind: { const: 'x' }, a }, required: ['kind', 'a'] },
    { properties: { kind: { const: 'y' }, b }, required: ['kind', 'b'] },
    { type: 'string' },
  ];
  expect(toObjectSchema({ type: 'object', anyOf })).toEqual({
    schema: {
      type: 'object',
      properties: { kind: { anyOf: [{ const: 'x' }, { const: 'y' }] }, a, b },
      required: ['kind'],
    },
    note: `The arguments must also match this JSON Schema: ${JSON.stringify({ anyOf })}`,
  });
});

test('alternatives in references are inlined in the note, and only used definitions are kept', () => {
  const $defs = {
    Circle: { type: 'object', properties: { radius: { $ref: '#/$defs/Length' } }, required: ['radius'] },
    Square: { type: 'object', properties: { side: { $ref: '#/$defs/Length' } }, required: ['side'] },
    Length: { $ref: '#/$defs/Positive' },
    Positive: { type: 'number', minimum: 0 },
    Unused: {},
  };
  const { schema, note } = toObjectSchema({ oneOf: [{ $ref: '#/$defs/Circle' }, { $ref: '#/$defs/Square' }], $defs });
  expect(schema).toEqual({
    type: 'object',
    properties: { radius: { $ref: '#/$defs/Length' }, side: { $ref: '#/$defs/Length' } },
    $defs: { Length: $defs.Length, Positive: $defs.Positive },
  });
  const shape = (name: string) => ({
    type: 'object',
    properties: { [name]: { type: 'number', minimum: 0 } },
    required: [name],
  });
  expect(note).toBe(
    `The arguments must also match this JSON Schema: ${JSON.stringify({ oneOf: [shape('radius'), shape('side')] })}`,
  );
});

test('the note mentions circular alternatives without listing them', () => {
  const $defs = { Tree: { type: 'object', properties: { left: { $ref: '#/$defs/Tree' } } } };
  const { schema, note } = toObjectSchema({ anyOf: [{ $ref: '#/$defs/Tree' }], $defs });
  expect(schema).toEqual({ type: 'object', properties: { left: { $ref: '#/$defs/Tree' } }, $defs });
  expect(note).toMatch(/^Only some combinations/);
});

test('alternatives that only require arguments do not change the properties', () => {
  const schema = { type: 'object', properties: { a, b }, required: ['a'] };
  const oneOf = [{ required: ['b'] }, { not: { required: ['b'] } }];
  expect(toObjectSchema({ ...schema, oneOf })).toEqual({
    schema,
    note: `The arguments must also match this JSON Schema: ${JSON.stringify({ oneOf })}`,
  });
});

test('properties of conditions are offered too', () => {
  const rule =
    '{"if":{"properties":{"a":{"const":"x"}}},"then":{"properties":{"b":{"type":"number"}},"required":["b"]}}';
  const { schema, note } = toObjectSchema({ type: 'object', properties: { a }, required: ['a'], ...JSON.parse(rule) });
  expect(schema).toEqual({ type: 'object', properties: { a, b }, required: ['a'] });
  expect(note).toContain(rule);
});

test('the note mentions a constraint that is too long to quote', () => {
  const anyOf = Array.from({ length: 100 }, (_, index) => ({ required: [`argument number ${index}`] }));
  expect(toObjectSchema({ type: 'object', anyOf }).note).toMatch(/^Only some combinations/);
});

test('definitions that grow exponentially when combined are rejected with the reason', () => {
  const $defs = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => {
      const next = { $ref: `#/$defs/D${index + 1}` };
      return [`D${index}`, { anyOf: [next, next] }];
    }),
  );
  expect(() => toObjectSchema({ $ref: '#/$defs/D0', $defs: { ...$defs, D40: {} } })).toThrow(
    'combines too many others',
  );
});

test('circular references terminate', () => {
  const $defs = { A: { allOf: [{ $ref: '#/$defs/B' }] }, B: { $ref: '#/$defs/A', properties: { a } } };
  expect(toObjectSchema({ $ref: '#/$defs/A', $defs }).schema.properties).toEqual({ a });
});
