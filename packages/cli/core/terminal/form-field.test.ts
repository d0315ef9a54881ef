import { describe, expect, test } from 'vitest';
import { toFormFields } from './form-field.ts';

function field(property: object) {
  const [only] = toFormFields({ type: 'object', properties: { x: property } });
  if (!only) throw new Error('there should be a field');
  return only;
}

describe('the form of an elicitation request', () => {
  test('a form has a field for each property, in order, marked as required or optional', () => {
    const fields = toFormFields({
      properties: {
        name: { type: 'string', title: 'Your name', description: 'as in the passport' },
        age: { type: 'integer' },
      },
      required: ['age'],
    });
    expect(fields.map(({ name, label, required }) => [name, label, required])).toEqual([
      ['name', 'Your name: as in the passport', false],
      ['age', 'age', true],
    ]);
    expect(toFormFields(undefined)).toEqual([]);
  });

  test('labels of a form have no control characters', () => {
    expect(field({ type: 'string', title: 'a\u001b[2Jb' }).label).not.toContain('\u001b');
  });
});

describe('an answer to a form field', () => {
  test.each([
    [{ type: 'string' }, ' as typed ', ' as typed '],
    [{ type: 'integer' }, '42', 42],
    [{ type: 'number', minimum: 0 }, '1.5', 1.5],
    [{ type: 'boolean' }, 'Y', true],
    [{ type: 'boolean' }, 'no', false],
    [{ type: 'string', enum: ['red', 'green'] }, '2', 'green'],
    [{ type: 'string', enum: ['red', 'green'] }, 'red', 'red'],
    [{ type: 'string', oneOf: [{ const: 'r', title: 'Red' }] }, '1', 'r'],
    [{ type: 'array', items: { type: 'string', enum: ['a', 'b', 'c'] } }, '1, 3,1', ['a', 'c']],
    [{ type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }] } }, 'a', ['a']],
  ])('an answer to a form field for %j is parsed from %s', (property, line, value) => {
    expect(field(property).parse(line)).toEqual({ value });
  });

  test.each([
    [{ type: 'integer' }, '1.5', 'whole number'],
    [{ type: 'number' }, 'many', 'number'],
    [{ type: 'number', maximum: 3 }, '4', 'at most 3'],
    [{ type: 'boolean' }, 'perhaps', 'y or n'],
    [{ type: 'string', minLength: 3 }, 'ab', 'at least 3'],
    [{ type: 'string', maxLength: 1 }, '👍👍', 'at most 1'],
    [{ type: 'string', enum: ['a'] }, '2', 'from 1 to 1'],
    [{ type: 'array', minItems: 2, items: { enum: ['a', 'b'] } }, '1', 'at least 2'],
    [{ type: 'array', items: { enum: ['a', 'b'] } }, '1,9', 'from 1 to 2'],
  ])('an answer to a form field for %j is rejected: %s', (property, line, problem) => {
    expect(field(property).parse(line)).toEqual({ problem: expect.stringContaining(problem) });
  });

  test('an answer that is left empty is the default value', () => {
    expect([field({ type: 'boolean', default: false }).preset, field({ type: 'string' }).preset]).toEqual([
      'false',
      undefined,
    ]);
    expect(field({ type: 'array', items: { enum: ['a', 'b'] }, default: ['a', 'b'] }).preset).toBe('a,b');
  });

  test('an answer can be chosen by title from enumNames, oneOf and anyOf', () => {
    expect(field({ enum: ['a'], enumNames: ['First'] }).choices).toEqual([{ value: 'a', title: 'First' }]);
    expect(field({ oneOf: [{ const: 'a', title: 'First' }] }).choices).toEqual([{ value: 'a', title: 'First' }]);
  });
});
