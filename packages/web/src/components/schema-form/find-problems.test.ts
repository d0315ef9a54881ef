import { describe, expect, test } from 'vitest';
import { findProblems, matchOption } from './find-problems.ts';
import type { FormSchema } from './form-schema.ts';
import { toFormSchema } from './to-form-schema.ts';

const formOf = (properties: Record<string, unknown>, more: Record<string, unknown> = {}): FormSchema => {
  const result = toFormSchema({ type: 'object', properties, ...more });
  if (!result.ok) throw new Error(result.reason);
  return result.schema;
};
const problems = (schema: FormSchema, value: unknown) =>
  findProblems(schema, value).map(({ path, message }) => `${path}: ${message}`);

describe('checking the entered values [R18]', () => {
  test('every problem is reported with its path', () => {
    const schema = formOf({
      n: { type: 'integer', minimum: 1 },
      m: { type: 'number', exclusiveMaximum: 5, multipleOf: 2 },
      s: { type: 'string', minLength: 3 },
      f: { type: 'string', format: 'email' },
      e: { enum: ['x'] },
      l: { type: 'array', items: { type: 'boolean' }, maxItems: 1, uniqueItems: true },
    });
    expect(problems(schema, { n: 0, m: 7, s: 'a', f: 'no', e: 'y', l: [true, true, 'x'] })).toEqual([
      '/n: Must be at least 1',
      '/m: Must be less than 5',
      '/m: Must be a multiple of 2',
      '/s: Must have at least 3 characters',
      '/f: Must be a valid email address',
      '/e: Must be one of the choices',
      '/l/2: Must be true or false',
      '/l: Must have at most 1 item',
      '/l: Must not contain an item twice',
    ]);
  });

  test('a missing value is no problem, and neither is null where it is allowed', () => {
    const schema = formOf({ a: { type: 'string' }, b: { type: ['number', 'null'] } }, { required: ['a', 'b'] });
    expect(problems(schema, {})).toEqual([]);
    expect(problems(schema, { a: undefined, b: null })).toEqual([]);
  });

  test('a union is one problem, not one for each of its options', () => {
    const schema = formOf({ u: { anyOf: [{ type: 'string' }, { type: 'integer' }] } });
    expect(problems(schema, { u: true })).toEqual(['/u: Matches none of the allowed types']);
  });

  test('patterns of a server are never run in the browser', () => {
    const schema = formOf({ s: { type: 'string', pattern: '^(a+)+$' } });
    expect(problems(schema, { s: `${'a'.repeat(50)}!` })).toEqual([]);
  });

  test('paths are JSON pointers, whatever the names are', () => {
    const schema = formOf({ 'a.b/c': { type: 'object', properties: { d: { type: 'number' } } } });
    expect(problems(schema, { 'a.b/c': { d: 'x' } })).toEqual(['/a.b~1c/d: Must be a number']);
  });
});

describe('the option of a union', () => {
  const root = formOf({ a: { $ref: '#/$defs/x' } }, { $defs: { x: { type: 'number' } } });
  const number = { $ref: '#/$defs/d0' };

  test('the option of a union is the one that the value matches, through references too', () => {
    expect(matchOption([{ type: 'string' }, number], 5, root)).toBe(1);
    expect(matchOption([number, { type: 'string' }], 'x', root)).toBe(1);
  });

  test('the option of a union is the one with the same constants and members where the value matches none', () => {
    const card: FormSchema = {
      type: 'object',
      properties: { kind: { const: 'card' }, digits: { type: 'string' } },
      required: ['digits'],
    };
    const invoice: FormSchema = {
      type: 'object',
      properties: { kind: { const: 'invoice' }, reference: { type: 'string' } },
      required: ['reference'],
    };
    expect(matchOption([card, invoice], { kind: 'invoice' }, root)).toBe(1);
    expect(matchOption([card, invoice], { kind: 'card' }, root)).toBe(0);
  });

  test('the option of a union is the first where a recursive schema gives no answer', () => {
    const endless: FormSchema = { $defs: { d0: { anyOf: [{ $ref: '#/$defs/d0' }] } } };
    expect(matchOption([number, { type: 'string' }], 5, endless)).toBe(0);
  });
});
