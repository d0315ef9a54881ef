import { describe, expect, test } from 'vitest';
import type { FormSchema } from './form-schema.ts';
import { fromLocalTime, initialValue, omitEmpty, toLocalTime } from './form-values.ts';
import { toFormSchema } from './to-form-schema.ts';

const formOf = (schema: unknown): FormSchema => {
  const result = toFormSchema(schema);
  if (!result.ok) throw new Error(result.reason);
  return result.schema;
};

const trip = formOf({
  type: 'object',
  properties: {
    name: { type: 'string' },
    seats: { type: 'integer', default: 2 },
    note: { type: ['string', 'null'], default: null },
    address: { $ref: '#/$defs/address' },
    home: { $ref: '#/$defs/address' },
    kind: { oneOf: [{ type: 'object', properties: { k: { const: 'a' } }, required: ['k'] }, { type: 'string' }] },
    tags: { type: 'array', items: { type: 'string' } },
    stops: { type: 'array', items: { type: ['string', 'null'] } },
  },
  required: ['name', 'home', 'kind'],
  $defs: { address: { type: 'object', properties: { city: { type: 'string', default: 'Bern' } } } },
});

describe('the first value of a form', () => {
  test('the first value has the defaults, constants and required objects, and no optional members', () => {
    expect(initialValue(trip)).toEqual({ seats: 2, home: { city: 'Bern' }, kind: { k: 'a' } });
  });

  test('the first value of a recursive schema is finite', () => {
    const endless = formOf({ type: 'object', properties: { a: { $ref: '#' } }, required: ['a'] });
    expect(JSON.stringify(initialValue(endless)).length).toBeLessThan(200);
  });
});

test('a required member with a default starts with it, so that the gateway does not miss it', () => {
  const order = formOf({
    type: 'object',
    properties: {
      items: {
        type: 'array',
        items: { type: 'object', properties: { qty: { type: 'integer', default: 1 } }, required: ['qty'] },
      },
    },
  });
  const item = order.properties?.items?.items as FormSchema;
  expect(initialValue(item, order)).toEqual({ qty: 1 });
});

describe('empty fields', () => {
  test('empty values, empty items and empty optional lists are omitted', () => {
    const filled = { name: undefined, seats: 1, tags: [], address: { city: undefined }, stops: [undefined, 'x', null] };
    expect(omitEmpty(filled, trip, trip)).toEqual({ seats: 1, address: {}, stops: ['x', null] });
    expect(omitEmpty({ tags: ['a', undefined] }, trip, trip)).toEqual({ tags: ['a'] });
  });

  test('null, false, zero, empty text and empty required lists are kept', () => {
    const schema = formOf({
      type: 'object',
      properties: { list: { type: 'array' }, a: {}, b: { type: 'boolean' } },
      required: ['list'],
    });
    const meant = { list: [], a: null, b: false, c: 0, d: '', e: [] };
    expect(omitEmpty(meant, schema, schema)).toEqual(meant);
  });
});

describe('times', () => {
  test('times are shown in local time and sent unchanged', () => {
    const moment = '2026-07-28T12:34:56Z';
    expect(fromLocalTime(toLocalTime(moment) ?? '')).toBe(moment);
    expect(toLocalTime('tomorrow')).toBeUndefined();
    expect(fromLocalTime('')).toBeUndefined();
  });
});
