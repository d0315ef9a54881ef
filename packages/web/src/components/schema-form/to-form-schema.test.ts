import { describe, expect, test } from 'vitest';
import { parseExactly } from '../../../../contract/exact-json.ts';
import { describeBounds } from './describe-kind.ts';
import { findProblems } from './find-problems.ts';
import { toFormSchema } from './to-form-schema.ts';

const convert = (properties: Record<string, unknown>, more: Record<string, unknown> = {}) => {
  const result = toFormSchema({ type: 'object', properties, ...more });
  if (!result.ok) throw new Error(result.reason);
  return result.schema.properties ?? {};
};
const reason = (schema: unknown) => {
  const result = toFormSchema(schema);
  return result.ok ? undefined : result.reason;
};

describe('the schema of a form [R11]', () => {
  test('known types, limits, choices and formats are kept, everything else is dropped', () => {
    expect(
      convert({
        a: { type: 'integer', minimum: 1, maximum: 5, default: 3, 'ui:widget': 'hidden', $id: 'constructor' },
        b: { type: 'string', format: 'email', maxLength: 9, pattern: '^(a+)+$', readOnly: true },
        c: { type: 'string', format: 'hidden' },
        d: { enum: ['x', 'y'] },
        e: { const: 5 },
      }),
    ).toEqual({
      a: { type: 'integer', minimum: 1, maximum: 5, 'x-default': 3 },
      b: { type: 'string', format: 'email', maxLength: 9, 'x-pattern': '^(a+)+$' },
      c: { type: 'string' },
      d: { type: 'string', enum: ['x', 'y'] },
      e: { type: 'number', const: 5, enum: [5] },
    });
  });

  test('every notation of a nullable type is converted to one', () => {
    const nullable = { type: 'string', 'x-nullable': true };
    expect(
      convert({
        a: { type: ['string', 'null'] },
        b: { anyOf: [{ type: 'string' }, { type: 'null' }] },
        c: { oneOf: [{ type: 'null' }, { type: 'string' }], default: null },
        d: { type: ['string', 'null'], enum: ['x', null] },
      }),
    ).toEqual({
      a: nullable,
      b: nullable,
      c: { ...nullable, 'x-default': null },
      d: { ...nullable, enum: ['x'] },
    });
  });

  test('every option of a union gets a title', () => {
    const { a, b } = convert({
      a: { type: ['string', 'integer'] },
      b: { oneOf: [{ title: 'Card', type: 'object', properties: { n: { type: 'string' } } }, { type: 'array' }] },
    });
    expect(a?.anyOf?.map(({ title }) => title)).toEqual(['text', 'whole number']);
    expect(b?.oneOf?.map(({ title }) => title)).toEqual(['Card', 'list']);
  });

  test('a choice between titled values keeps their titles', () => {
    const titled = { type: 'string', enum: ['x', 'y'], 'x-labels': ['Ex', 'y'] };
    const options = [{ const: 'x', title: 'Ex' }, { const: 'y' }];
    expect(
      convert({
        a: { type: 'string', oneOf: options },
        b: { type: 'string', enum: ['x', 'y'], enumNames: ['Ex', 'y'] },
        c: { type: 'array', items: { anyOf: options } },
      }),
    ).toEqual({ a: titled, b: titled, c: { type: 'array', items: titled } });
  });

  test('references are followed, recursive ones included, and allOf is merged', () => {
    const node = { type: 'object', properties: { next: { $ref: '#/definitions/node' }, value: { type: 'string' } } };
    const result = toFormSchema({
      properties: {
        tree: { $ref: '#/definitions/node', description: 'Where it begins' },
        both: {
          allOf: [{ $ref: '#/definitions/node' }, { properties: { extra: { type: 'number' } }, required: ['extra'] }],
        },
      },
      definitions: { node },
    });
    expect(result).toEqual({
      ok: true,
      hasMore: false,
      schema: {
        type: 'object',
        properties: {
          tree: { $ref: '#/$defs/d0', description: 'Where it begins' },
          both: {
            type: 'object',
            properties: { next: { $ref: '#/$defs/d0' }, value: { type: 'string' }, extra: { type: 'number' } },
            required: ['extra'],
          },
        },
        $defs: {
          d0: { type: 'object', properties: { next: { $ref: '#/$defs/d0' }, value: { type: 'string' } } },
        },
      },
    });
  });

  test('rules between arguments are left to the gateway and reported', () => {
    const result = toFormSchema({
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
      oneOf: [{ required: ['a'] }, { required: ['b'] }],
    });
    expect(result).toMatchObject({ ok: true, hasMore: true });
    expect(result.ok && result.schema.oneOf).toBe(undefined);
  });

  test('tuples, open objects and schemas for any value are converted', () => {
    expect(
      convert({
        a: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: false },
        b: { type: 'object' },
        c: true,
        d: {},
        e: false,
      }),
    ).toEqual({
      a: { type: 'array', items: [{ type: 'string' }, { type: 'number' }], additionalItems: false },
      b: { type: 'object', properties: {}, additionalProperties: { 'x-any': true } },
      c: { 'x-any': true },
      d: { 'x-any': true },
    });
  });

  test('hidden characters in titles and descriptions become visible', () => {
    expect(convert({ a: { type: 'string', title: 'a\u202Eb', description: '\u001b[31m' } }).a).toMatchObject({
      title: 'a⟨U+202E⟩b',
      description: '⟨U+001B⟩[31m',
    });
  });
});

describe('schemas without a form', () => {
  const nest = (levels: number) => {
    let schema: unknown = { type: 'string' };
    for (let level = 0; level < levels; level++) schema = { type: 'object', properties: { a: schema } };
    return schema;
  };

  test('a schema that is too deep or too wide gets no form', () => {
    expect(reason(nest(16))).toBeUndefined();
    expect(reason(nest(50))).toBe('it is nested more than 16 levels deep');
    expect(reason(nest(5_000))).toBe('it is nested more than 16 levels deep');
    const properties = Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [`a${at}`, {}]));
    expect(reason({ type: 'object', properties })).toBe('it has more than 1,000 parts');
    const many = Array.from({ length: 1_001 }, (_, at) => at);
    expect(reason({ properties: { a: { enum: many } } })).toBe('it has more than 1,000 choices in one place');
  });

  test('a schema whose references unfold exponentially gets no form', () => {
    const $defs: Record<string, unknown> = { d12: { type: 'string' } };
    for (let at = 0; at < 12; at++) {
      const next = { $ref: `#/$defs/d${at + 1}` };
      $defs[`d${at}`] = { type: 'object', properties: { left: next, right: next } };
    }
    expect(reason({ properties: { a: { $ref: '#/$defs/d0' } }, $defs })).toBe(
      'its references expand to too many parts',
    );
  });

  test('a reference that does not exist or points outside of the schema is rejected', () => {
    expect(reason({ properties: { a: { $ref: '#/$defs/none' } } })).toBe('its reference #/$defs/none does not exist');
    expect(reason({ properties: { a: { $ref: 'https://evil.example/s.json' } } })).toBe(
      'its reference https://evil.example/s.json points outside of it',
    );
    expect(reason({ properties: { a: { $ref: '#/%E0%A4%A' } } })).toContain('does not exist');
  });

  test('an argument with the name of a built-in object member is rejected', () => {
    expect(reason(JSON.parse('{"type": "object", "properties": {"__proto__": {}}}'))).toBe(
      'it has an argument named __proto__',
    );
    expect(reason({ properties: { toString: { type: 'string' } } })).toBe('it has an argument named toString');
  });

  test('a schema that describes no object gets no form', () => {
    expect(reason(undefined)).toBe('it is not an object');
    expect(reason({ type: 'array' })).toBe('it does not describe an object');
  });

  test('a circular reference is rejected', () => {
    expect(reason({ $ref: '#' })).toBe('its reference is circular');
    expect(reason({ type: 'object', allOf: [{ $ref: '#' }] })).toBe('its reference is circular');
    expect(reason({ $ref: '#/$defs/a', $defs: { a: { type: 'object' } } })).toBeUndefined();
    expect(reason({ properties: { a: { $ref: '#/properties/a' } } })).toBeUndefined();
    const twice = [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/a' }];
    expect(reason({ allOf: twice, $defs: { a: { allOf: twice } } })).toBe('its allOf has too many parts');
  });
});

test('bounds, choices and defaults that JavaScript has no number for are kept and described with all digits', () => {
  const schema = parseExactly(
    '{"a":{"type":"integer","maximum":9223372036854775807,"default":9007199254740993},"b":{"enum":[9007199254740993,1.0]},"c":{"oneOf":[{"const":9007199254740993,"title":"One"}]}}',
  ) as Record<string, unknown>;
  const { a = {}, b = {}, c = {} } = convert(schema);
  expect(JSON.stringify(a)).toBe('{"x-default":9007199254740993,"type":"integer","maximum":9223372036854775807}');
  expect(describeBounds(a)).toBe('at most 9,223,372,036,854,775,807');
  expect(JSON.stringify(b)).toBe('{"type":"number","enum":[9007199254740993,1.0]}');
  expect(JSON.stringify(c)).toBe('{"type":"number","enum":[9007199254740993],"x-labels":["One"]}');
  expect(findProblems({ type: 'object', properties: { a } }, parseExactly('{"a":9007199254740993}'))).toEqual([]);
  expect(findProblems({ type: 'object', properties: { a } }, parseExactly('{"a":9.5e30}'))).toHaveLength(1);
});
