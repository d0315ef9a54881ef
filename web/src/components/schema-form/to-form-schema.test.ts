import { describe, expect, test } from 'vitest';
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
  test('keeps kinds, bounds, choices and formats it knows, and nothing else', () => {
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

  test('has one way to say that null is allowed', () => {
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

  test('names the kinds that can be chosen from', () => {
    const { a, b } = convert({
      a: { type: ['string', 'integer'] },
      b: { oneOf: [{ title: 'Card', type: 'object', properties: { n: { type: 'string' } } }, { type: 'array' }] },
    });
    expect(a?.anyOf?.map(({ title }) => title)).toEqual(['text', 'whole number']);
    expect(b?.oneOf?.map(({ title }) => title)).toEqual(['Card', 'list']);
  });

  test('follows references within the schema, recursive ones too, and writes allOf out', () => {
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

  test('leaves rules between arguments to the gateway, and says that there are some', () => {
    const result = toFormSchema({
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
      oneOf: [{ required: ['a'] }, { required: ['b'] }],
    });
    expect(result).toMatchObject({ ok: true, hasMore: true });
    expect(result.ok && result.schema.oneOf).toBe(undefined);
  });

  test('takes lists of fixed places, open objects and anything at all', () => {
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

  test('makes hidden characters in titles and descriptions visible', () => {
    expect(convert({ a: { type: 'string', title: 'a\u202Eb', description: '\u001b[31m' } }).a).toMatchObject({
      title: 'a⟨U+202E⟩b',
      description: '⟨U+001B⟩[31m',
    });
  });
});

describe('there is no form, and a reason, for a schema', () => {
  const nest = (levels: number) => {
    let schema: unknown = { type: 'string' };
    for (let level = 0; level < levels; level++) schema = { type: 'object', properties: { a: schema } };
    return schema;
  };

  test('that is too deep or too wide', () => {
    expect(reason(nest(16))).toBeUndefined();
    expect(reason(nest(50))).toBe('it is nested more than 16 levels deep');
    expect(reason(nest(5_000))).toBe('it is nested more than 16 levels deep');
    const properties = Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [`a${at}`, {}]));
    expect(reason({ type: 'object', properties })).toBe('it has more than 1000 parts');
    const many = Array.from({ length: 1_001 }, (_, at) => at);
    expect(reason({ properties: { a: { enum: many } } })).toBe('it has more than 1000 choices in one place');
  });

  test('that unfolds when its references are followed', () => {
    const $defs: Record<string, unknown> = { d12: { type: 'string' } };
    for (let at = 0; at < 12; at++) {
      const next = { $ref: `#/$defs/d${at + 1}` };
      $defs[`d${at}`] = { type: 'object', properties: { left: next, right: next } };
    }
    expect(reason({ properties: { a: { $ref: '#/$defs/d0' } }, $defs })).toBe(
      'its references unfold into too many parts',
    );
  });

  test('that refers to what is not there', () => {
    expect(reason({ properties: { a: { $ref: '#/$defs/none' } } })).toBe('its reference #/$defs/none leads nowhere');
    expect(reason({ properties: { a: { $ref: 'https://evil.example/s.json' } } })).toBe(
      'its reference https://evil.example/s.json leads out of it',
    );
    expect(reason({ properties: { a: { $ref: '#/%E0%A4%A' } } })).toContain('leads nowhere');
  });

  test('with names that every object has already', () => {
    expect(reason(JSON.parse('{"type": "object", "properties": {"__proto__": {}}}'))).toBe(
      'it has an argument named __proto__',
    );
    expect(reason({ properties: { toString: { type: 'string' } } })).toBe('it has an argument named toString');
  });

  test('that describes no object', () => {
    expect(reason(undefined)).toBe('it is not an object');
    expect(reason({ type: 'array' })).toBe('it does not describe an object');
  });

  test('that leads back to itself without an end', () => {
    expect(reason({ $ref: '#' })).toBe('it leads back to itself');
    expect(reason({ type: 'object', allOf: [{ $ref: '#' }] })).toBe('it leads back to itself');
    expect(reason({ $ref: '#/$defs/a', $defs: { a: { type: 'object' } } })).toBeUndefined();
    expect(reason({ properties: { a: { $ref: '#/properties/a' } } })).toBeUndefined();
    const twice = [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/a' }];
    expect(reason({ allOf: twice, $defs: { a: { allOf: twice } } })).toBe('its allOf has too many parts');
  });
});
