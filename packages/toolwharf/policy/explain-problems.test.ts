import { describe, expect, test } from 'vitest';
import { check, conditional, isOk, objectWithV, problemText } from '../../../test/support/check-arguments.ts';
import type { JsonSchema } from '../../contract/json.ts';
import { explainProblems } from './explain-problems.ts';

const readFile: JsonSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  properties: {
    path: { type: 'string', minLength: 1 },
    limit: { type: 'integer', minimum: 1, maximum: 100 },
    mode: { enum: ['text', 'binary'] },
    range: {
      type: 'object',
      properties: { from: { type: 'number' }, to: { type: 'number' } },
      required: ['from', 'to'],
    },
  },
  required: ['path'],
  additionalProperties: false,
};

describe('an argument error tells a model how to correct its call [R18]', () => {
  test('an argument error tells a model how to correct its call with the path, the expected value and the received value', () => {
    expect(check(readFile, { path: 'a', limit: 'ten' })).toEqual({
      ok: false,
      problems: [
        {
          path: '/limit',
          expected: 'integer',
          got: 'string "ten"',
          message: '/limit: expected integer, got string "ten"',
        },
      ],
      text: '/limit: expected integer, got string "ten"',
    });
  });

  test('an argument error tells a model how to correct its call with all problems at once', () => {
    expect(problemText(readFile, { pth: 'a', limit: 1000, mode: 'x', range: { from: 1 } })).toBe(
      [
        '5 problems',
        '- /path is required',
        '- /pth: expected no property of this name (did you mean "path"?), got string "a"',
        '- /limit: expected a number <= 100, got number 1000',
        '- /mode: expected "text" or "binary", got string "x"',
        '- /range/to is required',
      ].join('\n'),
    );
  });

  test('an argument error tells a model how to correct its call with at most ten problems', () => {
    const schema = objectWithV({ type: 'array', items: { type: 'string' } });
    const verdict = check(schema, { v: Array.from({ length: 15 }, (_, at) => at) });
    const lines = verdict.ok ? [] : verdict.text.split('\n');
    expect(lines).toHaveLength(12);
    expect(lines.at(-1)).toBe('and 5 more');
  });

  test.each<[unknown, unknown, string]>([
    [{ type: ['string', 'null'] }, 5, 'expected string or null, got number 5'],
    [{ const: { a: 1 } }, 5, 'expected {"a":1}, got number 5'],
    [{ minLength: 3 }, 'ab', 'expected at least 3 characters, got string "ab"'],
    [{ maxItems: 1 }, [1, 2], 'expected at most 1 item, got array of 2 items'],
    [{ minProperties: 2 }, { a: 1 }, 'expected at least 2 properties, got object with 1 properties'],
    [{ multipleOf: 5 }, 7, 'expected a multiple of 5, got number 7'],
    [{ pattern: '^a' }, 'b', 'expected text that matches "^a", got string "b"'],
    [{ format: 'date-time' }, 'now', 'expected a date-time with offset such as 2026-01-31T08:30:00Z, got string "now"'],
    [
      { uniqueItems: true },
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      'expected no two equal items, got array of 2 items',
    ],
    [{ contains: { const: 1 } }, [2], 'expected at least 1 items of the wanted kind, got array of 1 items'],
    [{ not: { const: 1 } }, 1, 'expected something else: the schema excludes it, got number 1'],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 5, 'expected string or null, got number 5'],
    [
      { oneOf: [{ type: 'number' }, { type: 'integer' }] },
      5,
      'expected what exactly one of the alternatives allows, not 2, got number 5',
    ],
    [false, 1, 'expected nothing here, got number 1'],
  ])(
    'an argument error tells a model how to correct its call for the schema %j and the value %j: %s',
    (schema, value, expected) => {
      expect(problemText(objectWithV(schema), { v: value })).toBe(`/v: ${expected}`);
    },
  );

  test('an argument error tells a model how to correct its call for alternatives, based on the closest one', () => {
    const circle = {
      type: 'object',
      properties: { kind: { const: 'circle' }, r: { type: 'number' } },
      required: ['kind', 'r'],
    };
    const square = {
      type: 'object',
      properties: { kind: { const: 'square' }, a: { type: 'number' } },
      required: ['kind', 'a'],
    };
    const shape = objectWithV({ anyOf: [{ type: 'null' }, { $ref: '#/$defs/circle' }, square] }, { $defs: { circle } });
    expect(problemText(shape, { v: { kind: 'square', a: 'x' } })).toBe('/v/a: expected number, got string "x"');
    expect(problemText(shape, { v: { kind: 'circle' } })).toBe('/v/r is required');
    const both = objectWithV({ oneOf: [circle, square] });
    expect(problemText(both, { v: { kind: 'hexagon' } })).toBe(
      '/v/kind: expected "circle" or "square", got string "hexagon"',
    );
  });

  test('an argument error tells a model how to correct its call for if, then and else, based on the branch that applies', () => {
    const isA = { properties: { kind: { const: 'a' } }, required: ['kind'] };
    const schema = conditional(isA, { required: ['n'] }, { required: ['m'] });
    expect(problemText(schema, { kind: 'a' })).toBe('/n is required');
    expect(problemText(schema, { kind: 'b' })).toBe('/m is required');
    expect(isOk(schema, { kind: 'a', n: 1 })).toBe(true);
  });

  test('an argument error tells a model how to correct its call for property patterns, with the name of the property', () => {
    const schema = {
      patternProperties: { '^x-': { type: 'string' } },
      properties: { a: {} },
      additionalProperties: false,
    };
    expect(problemText(schema, { 'x-a': 1 })).toBe('/x-a: expected string, got number 1');
    expect(problemText(schema, { b: 1 })).toBe(
      '/b: expected no property of this name (did you mean "a"?), got number 1',
    );
    expect(problemText({ propertyNames: { pattern: '^a' } }, { b: 1 })).toBe(
      '/b: expected a property name that is text that matches "^a", got the name "b"',
    );
  });

  test('an argument error tells a model how to correct its call for nested alternatives, as one list of options', () => {
    const nested = objectWithV({
      anyOf: [{ type: 'string' }, { anyOf: [{ type: ['string', 'null'] }, { enum: [1, 2] }] }],
    });
    expect(problemText(nested, { v: true })).toBe('/v: expected string or null or 1 or 2, got boolean true');
  });

  test('an argument error tells a model how to correct its call without repeating long values', () => {
    const verdict = problemText(objectWithV({ type: 'number' }), { v: 'x'.repeat(10_000) });
    expect(verdict).toMatch(/^\/v: expected number, got string "x{70,79}…$/);
    expect(problemText({ additionalProperties: false }, { ['k'.repeat(5000)]: 1 }).length).toBeLessThan(400);
    expect(
      problemText(objectWithV({ enum: Array.from({ length: 500 }, (_, at) => `value ${at}`) }), { v: 1 }).length,
    ).toBeLessThan(300);
  });

  test('an argument error tells a model how to correct its call without repeating secrets', () => {
    for (const name of ['token', 'api_key', 'sessionKey', 'password', 'client_secret', 'Authorization'])
      expect(problemText({ properties: { [name]: { type: 'number' } } }, { [name]: 'sk-123' })).toBe(
        `/${name}: expected number, got string`,
      );
    const nested = { properties: { secrets: { items: { minLength: 99 } } } };
    expect(problemText(nested, { secrets: ['sk-123'] })).toBe(
      '/secrets/0: expected at least 99 characters, got string',
    );
  });
});

test("the order of the validator's errors does not change the explanation of alternatives [R18]", () => {
  const error = (keyword: string, schemaPath: string, params: object) => ({
    keyword,
    schemaPath,
    instancePath: '/v',
    params: { ...params },
  });
  const errors = [
    error('type', '#/properties/v/anyOf/0', { type: 'string' }),
    error('type', '#/properties/v/anyOf/1/anyOf/0', { type: 'null' }),
    error('enum', '#/properties/v/anyOf/1/anyOf/1', { allowedValues: [1, 2] }),
    error('anyOf', '#/properties/v/anyOf/1', {}),
    error('anyOf', '#/properties/v', {}),
  ];
  const expected = ['/v: expected string or null or 1 or 2, got boolean true'];
  for (const order of [errors, errors.toReversed(), errors.toSorted((a, b) => (a.keyword < b.keyword ? -1 : 1))])
    expect(explainProblems(order, { v: true }).map(({ message }) => message)).toEqual(expected);
});
