import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isValidByStandard } from '../../../test/support/reference-validator.ts';
import { compileArguments } from './validate-arguments.ts';

const numRuns = Number(process.env.FUZZ_RUNS ?? 500);

describe('for any schema and value', () => {
  const leaf = fc.oneof(
    fc.record({ type: fc.constantFrom('string', 'number', 'integer', 'object', 'array', 'boolean', 'null') }),
    fc.record({ minimum: fc.integer({ min: -2, max: 2 }) }),
    fc.record({ maxLength: fc.integer({ min: 0, max: 2 }) }),
    fc.record({ enum: fc.array(fc.constantFrom(0, 1, 'a', null), { minLength: 1, maxLength: 2 }) }),
    fc.record({ const: fc.constantFrom<unknown>(0, 'a', [1], { a: 1 }) }),
    fc.record({ required: fc.subarray(['a', 'b']) }),
    fc.record({ pattern: fc.constantFrom('^a', 'b$', '.') }),
    fc.record({ uniqueItems: fc.constant(true) }),
    fc.constantFrom({ $ref: '#/$defs/x' }, { $ref: '#/$defs/y' }, true, false, {}),
  );
  const { schema } = fc.letrec<{ schema: unknown }>((tie) => {
    const child = tie('schema');
    const list = fc.array(child, { minLength: 1, maxLength: 3 });
    const named = fc.dictionary(fc.constantFrom('a', 'b'), child, { maxKeys: 2 });
    return {
      schema: fc.oneof(
        { maxDepth: 3, withCrossShrink: true },
        leaf,
        fc.record({ properties: named, additionalProperties: child }, { requiredKeys: [] }),
        fc.record(
          {
            patternProperties: fc.dictionary(fc.constantFrom('^a', 'b', '.*'), child),
            properties: named,
            additionalProperties: child,
            unevaluatedProperties: child,
          },
          { requiredKeys: ['patternProperties'] },
        ),
        fc.record({ items: child, prefixItems: list }, { requiredKeys: [] }),
        fc.record(
          {
            contains: child,
            maxContains: fc.constantFrom(1, 2),
            minContains: fc.constantFrom(0, 1),
            unevaluatedItems: child,
          },
          { requiredKeys: ['contains'] },
        ),
        fc.record({ allOf: list }),
        fc.record({ anyOf: list }),
        fc.record({ oneOf: list }),
        fc.record({ not: child }),
        fc
          .tuple(child, child, child)
          .map((parts) => Object.fromEntries(['if', 'then', 'else'].map((keyword, at) => [keyword, parts[at]]))),
        fc.record({ propertyNames: child }),
        fc.record(
          {
            dependentSchemas: named,
            dependentRequired: fc.constant({ a: ['b'] }),
            unevaluatedProperties: child,
          },
          { requiredKeys: [] },
        ),
        fc.record(
          { allOf: list, properties: named, unevaluatedProperties: child },
          { requiredKeys: ['unevaluatedProperties'] },
        ),
        fc.record({ anyOf: list, prefixItems: list, unevaluatedItems: child }, { requiredKeys: ['unevaluatedItems'] }),
      ),
    };
  });
  const value = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom<unknown>(0, 1, -5, 1.5, 'a', 'ab', '', null, true),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', 'b', 'ab', 'c'), tie('value'), { maxKeys: 3 }),
    ),
  })).value;

  test('the result is that of JSON Schema 2020-12 [R18]', () => {
    let compared = 0;
    fc.assert(
      fc.property(schema, schema, schema, value, (v, x, y, args) => {
        const given = { $schema: 'https://json-schema.org/draft/2020-12/schema', properties: { v }, $defs: { x, y } };
        const compiled = compileArguments(given);
        if (compiled.kind === 'unusable') return;
        compared++;
        const verdict = compiled.check({ v: args });
        expect(verdict.ok).toBe(isValidByStandard(given, { v: args }));
        if (!verdict.ok) expect(verdict.problems.length).toBeGreaterThan(0);
      }),
      { numRuns },
    );
    expect(compared).toBeGreaterThan(numRuns / 5);
  });

  test('validation never throws', () => {
    fc.assert(
      fc.property(
        fc.object({
          maxDepth: 4,
          key: fc.constantFrom('type', 'properties', 'items', '$ref', 'anyOf', 'pattern', 'not', 'v', '$id'),
        }),
        fc.anything(),
        (given, args) => {
          const compiled = compileArguments(given);
          if (compiled.kind === 'ready') expect(typeof compiled.check(args).ok).toBe('boolean');
        },
      ),
      { numRuns },
    );
  });
});
