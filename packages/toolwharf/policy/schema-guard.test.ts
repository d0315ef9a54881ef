import { describe, expect, test } from 'vitest';
import type { JsonSchema } from '../../contract/json.ts';
import { defaultSchemaLimits, guardSchema } from './schema-guard.ts';
import { createWorkBudget } from './work-budget.ts';

const guard = (schema: JsonSchema) => guardSchema(schema, defaultSchemaLimits, createWorkBudget());
const reason = (schema: JsonSchema) => {
  const guarded = guard(schema);
  return guarded.ok ? undefined : guarded.reason;
};
const nest = (levels: number) => {
  let schema: Record<string, unknown> = { type: 'string' };
  for (let level = 0; level < levels; level++) schema = { properties: { a: schema } };
  return schema;
};

describe('a $ref [R18]', () => {
  test('a schema reference to the network or a file is rejected with its URL', () => {
    expect(reason({ properties: { a: { $ref: 'https://example.com/x.json' } } })).toBe(
      '$ref "https://example.com/x.json" points outside the schema, and nothing is fetched',
    );
    expect(reason({ items: { $ref: 'file:///etc/passwd' } })).toContain('file:///etc/passwd');
    expect(reason({ $ref: '#/$defs/missing' })).toBe('$ref "#/$defs/missing" points to nothing');
  });

  test.each<[string, JsonSchema]>([
    ['#', { $ref: '#' }],
    ['#', { anyOf: [{ type: 'null' }, { $ref: '#' }] }],
    ['#', { not: { $ref: '#' } }],
    ['#', { if: { $ref: '#' } }],
    ['#', { dependentSchemas: { a: { $ref: '#' } } }],
    ['#/$defs/a', { properties: { x: { $ref: '#/$defs/a' } }, $defs: { a: { allOf: [{ $ref: '#/$defs/a' }] } } }],
    [
      '#/$defs/',
      { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/c' }, c: { $ref: '#/$defs/b' } } },
    ],
    ['#', { $dynamicAnchor: 'n', $dynamicRef: '#n' }],
    ['#', { $recursiveRef: '#' }],
  ])('a schema reference that is circular is rejected: %s %j', (name, schema) => {
    expect(reason(schema)).toContain(`$ref "${name}`);
    expect(reason(schema)).toContain('leads back to itself without going into the value');
  });

  test.each<JsonSchema>([
    { properties: { child: { $ref: '#' } } },
    { items: { anyOf: [{ type: 'string' }, { $ref: '#' }] } },
    { additionalProperties: { $ref: '#' } },
    { patternProperties: { '^a': { $ref: '#' } }, properties: { b: {} } },
    { propertyNames: { $ref: '#' } },
    { $ref: '#/$defs/a', $defs: { a: { properties: { b: { $ref: '#/$defs/b' } } }, b: { $ref: '#/$defs/a' } } },
  ])('a schema reference that recurses into the value is accepted: %j', (schema) => {
    expect(reason(schema)).toBeUndefined();
  });
});

describe('the schema limits [R18]', () => {
  test('the schema limits apply to size, depth and the number of subschemas', () => {
    expect(reason({ description: 'x'.repeat(300_000) })).toBe('it is larger than 262144 bytes');
    expect(reason(nest(60))).toBeUndefined();
    expect(reason(nest(65))).toBe('its subschemas are nested more than 64 deep');
    expect(reason(nest(5000))).toBe('it is nested more than 256 deep');
    const many = Object.fromEntries(Array.from({ length: 10_001 }, (_, at) => [`p${at}`, {}]));
    expect(reason({ properties: many })).toBe('it has more than 10000 subschemas');
  });

  test('the schema limits apply to regular expressions, individually and in total', () => {
    expect(reason({ pattern: 'a'.repeat(2001) })).toContain('longer than 2000 characters');
    const patterns = Array.from({ length: 11 }, () => ({ pattern: 'a'.repeat(2000) }));
    expect(reason({ allOf: patterns })).toContain('together are longer than 20000 characters');
    expect(reason({ allOf: [{ pattern: '.{1000}'.repeat(200) }] })).toContain('too big once compiled');
  });

  test('the schema limits do not count a long chain of references as nesting', () => {
    const $defs: Record<string, unknown> = { d4000: { type: 'string' } };
    for (let at = 0; at < 4000; at++) $defs[`d${at}`] = { $ref: `#/$defs/d${at + 1}` };
    expect(reason({ $ref: '#/$defs/d0', $defs })).toBeUndefined();
  });

  test('a schema that is not an object is rejected', () => {
    expect(reason([] as unknown as JsonSchema)).toBe('it is not an object');
  });
});

describe('a keyword that cannot be enforced', () => {
  const unenforced = (schema: JsonSchema) => {
    const guarded = guard(schema);
    return guarded.ok ? guarded.translation.unenforced : guarded.reason;
  };

  test('a keyword that cannot be enforced is left to the server and listed', () => {
    expect(unenforced({ properties: { a: { pattern: '^(?!x)' } } })).toEqual([
      '/properties/a/pattern: is a regular expression that cannot be run safely',
    ]);
    expect(unenforced({ type: 'any', required: true, minLength: '3', properties: { a: 5 }, anyOf: [] })).toEqual([
      '/type: names a type that JSON does not have',
      '/minLength: is not well formed',
      '/required: is not well formed',
      '/properties/a: is not a schema',
      '/anyOf: is not well formed',
    ]);
  });

  test('a keyword that cannot be enforced makes a schema unusable if ignoring it would reject valid values', () => {
    expect(unenforced({ not: { pattern: '(?=x)' } })).toBe(
      'it has not together with something that cannot be checked (/not/pattern: is a regular expression that cannot be run safely)',
    );
  });

  test('a keyword that cannot be enforced makes oneOf as lenient as anyOf, since its branches may no longer differ', () => {
    expect(unenforced({ oneOf: [{ pattern: '^(?!a)' }, { pattern: '^a' }] })).toHaveLength(1);
  });
});
