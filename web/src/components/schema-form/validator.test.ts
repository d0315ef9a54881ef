import type { RJSFSchema } from '@rjsf/utils';
import { describe, expect, test } from 'vitest';
import { toFormSchema } from './to-form-schema.ts';
import { findProblems, pathOf, validator } from './validator.ts';

const formOf = (properties: Record<string, unknown>, more: Record<string, unknown> = {}): RJSFSchema => {
  const result = toFormSchema({ type: 'object', properties, ...more });
  if (!result.ok) throw new Error(result.reason);
  return result.schema as RJSFSchema;
};
const problems = (schema: RJSFSchema, value: unknown) =>
  findProblems(schema, value).map(({ path, message }) => `${path.join('.')}: ${message}`);

describe('the check of what is filled in [R18]', () => {
  test('says what is wrong, where', () => {
    const schema = formOf({
      n: { type: 'integer', minimum: 1 },
      m: { type: 'number', exclusiveMaximum: 5, multipleOf: 2 },
      s: { type: 'string', minLength: 3 },
      f: { type: 'string', format: 'email' },
      e: { enum: ['x'] },
      l: { type: 'array', items: { type: 'boolean' }, maxItems: 1, uniqueItems: true },
    });
    expect(problems(schema, { n: 0, m: 7, s: 'a', f: 'no', e: 'y', l: [true, true, 'x'] })).toEqual([
      'n: This must be at least 1',
      'm: This must be less than 5',
      'm: This must be a multiple of 2',
      's: This needs at least 3 characters',
      'f: This must be a valid email address',
      'e: This is none of the choices',
      'l.2: This must be true or false',
      'l: This may have at most 1 items',
      'l: No item may be there twice',
    ]);
  });

  test('says nothing about what is not filled in yet, and takes null where it was chosen', () => {
    const schema = formOf({ a: { type: 'string' }, b: { type: ['number', 'null'] } }, { required: ['a', 'b'] });
    expect(problems(schema, {})).toEqual([]);
    expect(problems(schema, { b: null })).toEqual([]);
  });

  test('speaks of kinds as a whole, not of each that was not meant', () => {
    const schema = formOf({ u: { anyOf: [{ type: 'string' }, { type: 'integer' }] } });
    expect(problems(schema, { u: true })).toEqual(['u: This fits none of the kinds that are allowed']);
  });

  test('never runs the patterns of strangers', () => {
    const schema = formOf({ s: { type: 'string', pattern: '^(a+)+$' } });
    expect(problems(schema, { s: `${'a'.repeat(50)}!` })).toEqual([]);
  });

  test('puts problems where the form looks for them, whatever the names are', () => {
    const schema = formOf({ 'a.b/c': { type: 'object', properties: { d: { type: 'number' } } } });
    const { errorSchema } = validator.validateFormData({ 'a.b/c': { d: 'x' } }, schema);
    expect(errorSchema).toEqual({ 'a.b/c': { d: { __errors: ['This must be a number'] } } });
    expect(pathOf('/a.b~1c/d~0')).toEqual(['a.b/c', 'd~']);
  });

  test('tells which kind of value something is, by references too', () => {
    const root = formOf({ a: { $ref: '#/$defs/x' } }, { $defs: { x: { type: 'number' } } });
    expect(validator.isValid({ $ref: '#/$defs/d0' }, 5 as never, root)).toBe(true);
    expect(validator.isValid({ $ref: '#/$defs/d0' }, 'x' as never, root)).toBe(false);
  });

  test('gives up on what has no answer', () => {
    const root: RJSFSchema = { $defs: { d0: { anyOf: [{ $ref: '#/$defs/d0' }] } } };
    expect(validator.isValid({ $ref: '#/$defs/d0' }, 5 as never, root)).toBe(false);
  });
});
