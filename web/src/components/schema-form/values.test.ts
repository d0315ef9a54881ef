import { describe, expect, test } from 'vitest';
import type { FormSchema } from './form-schema.ts';
import { initialValue } from './initial-value.ts';
import { fromLocalTime, toLocalTime } from './local-time.ts';
import { omitEmpty } from './omit-empty.ts';
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

describe('what a form begins with', () => {
  test('are defaults and what is required, and nothing that is optional', () => {
    expect(initialValue(trip)).toEqual({ seats: 2, home: { city: 'Bern' }, kind: { k: 'a' } });
  });

  test('has an end where a schema has none', () => {
    const endless = formOf({ type: 'object', properties: { a: { $ref: '#' } }, required: ['a'] });
    expect(JSON.stringify(initialValue(endless)).length).toBeLessThan(200);
  });
});

describe('what was left empty', () => {
  test('is left out: values, items, optional lists', () => {
    const filled = { name: undefined, seats: 1, tags: [], address: { city: undefined }, stops: [undefined, 'x', null] };
    expect(omitEmpty(filled, trip, trip)).toEqual({ seats: 1, address: {}, stops: ['x', null] });
    expect(omitEmpty({ tags: ['a', null, undefined] }, trip, trip)).toEqual({ tags: ['a'] });
  });

  test('but not what was meant: null, false, zero, an empty text, a list that is required', () => {
    const schema = formOf({
      type: 'object',
      properties: { list: { type: 'array' }, a: {}, b: { type: 'boolean' } },
      required: ['list'],
    });
    const meant = { list: [], a: null, b: false, c: 0, d: '', e: [] };
    expect(omitEmpty(meant, schema, schema)).toEqual(meant);
  });
});

describe('moments', () => {
  test('are shown in the time of the machine, and sent as what they were', () => {
    const moment = '2026-07-28T12:34:56Z';
    expect(fromLocalTime(toLocalTime(moment) ?? '')).toBe(moment);
    expect(toLocalTime('tomorrow')).toBeUndefined();
    expect(fromLocalTime('')).toBeUndefined();
  });
});
