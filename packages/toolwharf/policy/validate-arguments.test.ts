import { describe, expect, test } from 'vitest';
import { check, conditional, isOk, objectWithV, problemText } from '../../../test/support/check-arguments.ts';
import type { JsonSchema } from '../../contract/json.ts';
import { compileArguments, createArgumentsChecker } from './validate-arguments.ts';

describe('argument validation supports JSON Schema drafts [R18]', () => {
  test('tuples, dependencies and definitions of draft-07 are validated', () => {
    const tuple = objectWithV({ items: [{ type: 'string' }, { type: 'number' }], additionalItems: false });
    expect(isOk(tuple, { v: ['a', 1] })).toBe(true);
    expect(isOk(tuple, { v: [1, 1] })).toBe(false);
    expect(isOk(tuple, { v: ['a', 1, 2] })).toBe(false);
    const dependencies = { dependencies: { a: ['b'], c: { required: ['d'] } } };
    expect([{ a: 1 }, { a: 1, b: 1 }, { c: 1 }, { c: 1, d: 1 }, {}].map((args) => isOk(dependencies, args))).toEqual([
      false,
      true,
      false,
      true,
      true,
    ]);
    const defined = objectWithV({ $ref: '#/definitions/n' }, { definitions: { n: { type: 'number' } } });
    expect([isOk(defined, { v: 1 }), isOk(defined, { v: 'x' })]).toEqual([true, false]);
  });

  test('a $ref overrides its siblings in draft-07 but not in 2020-12', () => {
    const schema = objectWithV({ $ref: '#/$defs/n', maximum: 5 }, { $defs: { n: { type: 'number' } } });
    expect(isOk({ ...schema, $schema: 'http://json-schema.org/draft-07/schema#' }, { v: 9 })).toBe(true);
    expect(isOk({ ...schema, $schema: 'https://json-schema.org/draft/2020-12/schema' }, { v: 9 })).toBe(false);
    expect(isOk(schema, { v: 9 })).toBe(false);
  });

  test('exclusive bounds of draft-04 are validated', () => {
    const schema = objectWithV({ minimum: 1, exclusiveMinimum: true, maximum: 5, exclusiveMaximum: false });
    expect([1, 2, 5, 6].map((v) => isOk(schema, { v }))).toEqual([false, true, true, false]);
  });

  test('prefixItems, anchors, dependentSchemas and unevaluatedProperties of 2020-12 are validated', () => {
    const tuple = objectWithV({ prefixItems: [{ type: 'string' }], items: { type: 'number' } });
    expect([['a', 1], ['a', 'b'], [1]].map((v) => isOk(tuple, { v }))).toEqual([true, false, false]);
    const anchored = objectWithV({ $ref: '#n' }, { $defs: { x: { $anchor: 'n', type: 'number' } } });
    expect([isOk(anchored, { v: 1 }), isOk(anchored, { v: 'x' })]).toEqual([true, false]);
    const closed = {
      allOf: [{ properties: { a: {} } }],
      ...conditional({ required: ['b'] }, { properties: { b: {} } }, true),
      unevaluatedProperties: false,
    };
    expect([{ a: 1 }, { a: 1, b: 1 }, { c: 1 }].map((args) => isOk(closed, args))).toEqual([true, true, false]);
  });

  test('unevaluatedProperties does not apply to arrays, and members of members are not evaluated [R18]', () => {
    const nested = {
      prefixItems: [{}],
      unevaluatedItems: { prefixItems: [false], unevaluatedItems: { type: 'string' } },
    };
    expect(
      isOk(objectWithV({ unevaluatedProperties: nested }), {
        v: [
          [[], 0],
          [0, [0]],
        ],
      }),
    ).toBe(true);
    expect(isOk(objectWithV({ unevaluatedProperties: false }), { v: [1] })).toBe(true);
    const inner = { unevaluatedProperties: { properties: { b: { type: 'object' } }, unevaluatedProperties: false } };
    expect(isOk(objectWithV(inner), { v: { a: { b: {} }, b: { b: {} } } })).toBe(true);
    expect(isOk(objectWithV(inner), { v: { a: { b: {} }, b: { c: {} } } })).toBe(false);
  });

  test('unevaluatedProperties and unevaluatedItems see patterns, conditions, dependent schemas and contained items', () => {
    const pattern = { patternProperties: { '^a': { type: 'number' } }, unevaluatedProperties: false };
    expect([{ ab: 1 }, { b: 1 }].map((args) => isOk(pattern, args))).toEqual([true, false]);
    const condition = {
      ...conditional({ properties: { a: { const: 1 } } }, { unevaluatedProperties: false }, true),
      unevaluatedProperties: false,
    };
    expect(problemText(condition, { a: 1 })).toContain('/a: expected no such property');
    const dependent = { dependentSchemas: { a: { properties: { a: {}, b: {} } } }, unevaluatedProperties: false };
    expect([{ a: 1, b: 1 }, { b: 1 }].map((args) => isOk(dependent, args))).toEqual([true, false]);
    const contains = objectWithV({ contains: { type: 'string' }, unevaluatedItems: { type: 'number' } });
    expect(problemText(contains, { v: ['a', 1] })).toBe('ok');
    expect(problemText(contains, { v: ['a', true] })).toBe('/v/1: expected number, got boolean true');
  });

  test('recursive schemas validate nested values', () => {
    const tree = {
      type: 'object',
      properties: { n: { type: 'number' }, kids: { items: { $ref: '#' } } },
      additionalProperties: false,
    };
    expect(isOk(tree, { n: 1, kids: [{ kids: [{ n: 2 }] }] })).toBe(true);
    expect(problemText(tree, { kids: [{ kids: [{ n: 'x' }] }] })).toBe(
      '/kids/0/kids/0/n: expected number, got string "x"',
    );
  });

  test('known formats are asserted and unknown formats are ignored', () => {
    const valid = (format: string, v: string) => isOk(objectWithV({ format }), { v });
    expect(valid('email', 'a@b.example')).toBe(true);
    expect(valid('email', 'a b')).toBe(false);
    expect(valid('uri', 'https://example.com/ü')).toBe(true);
    expect(valid('uri', 'not a uri')).toBe(false);
    expect(valid('uuid', '2b1c7a4e-3f50-4e3f-9d5b-0c8f5a1f2e3d')).toBe(true);
    expect(valid('uuid', '1')).toBe(false);
    expect(valid('ipv4', '999.1.1.1')).toBe(false);
    expect(valid('time', '10:30')).toBe(true);
    expect(valid('made-up', 'anything')).toBe(true);
  });
});

describe('the arguments of a call', () => {
  test('the arguments of a call must be an object', () => {
    for (const args of [undefined, null, [], 'x', 5]) expect(isOk({}, args)).toBe(false);
    expect(problemText({ required: ['path'] }, 'sk-secret')).toBe('the arguments: expected object, got string');
    expect(isOk({}, {})).toBe(true);
  });

  test('the arguments of a call are limited in size and depth', () => {
    expect(check({}, { v: 'x'.repeat(2000) }, { maxArgumentBytes: 1000 })).toMatchObject({
      ok: false,
      text: 'the arguments: expected at most 1000 bytes, got more',
    });
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    expect(problemText({}, circle)).toBe('the arguments: expected at most 128 levels of nesting, got more');
  });

  test('the arguments of a call do not include inherited properties', () => {
    expect(isOk({ properties: { toString: { type: 'string' }, valueOf: {} } }, {})).toBe(true);
    expect(isOk({ required: ['toString'] }, {})).toBe(false);
    expect(isOk({ required: ['hasOwnProperty'] }, { hasOwnProperty: 1 })).toBe(true);
    expect(isOk({ required: ['__proto__'] }, {})).toBe(false);
    const proto = JSON.parse(
      '{"properties":{"__proto__":{"type":"number"}},"additionalProperties":false}',
    ) as JsonSchema;
    expect(isOk(proto, JSON.parse('{"__proto__":1}'))).toBe(true);
    expect(isOk(proto, JSON.parse('{"__proto__":"x"}'))).toBe(false);
  });
});

describe('validation with a hostile schema [R18]', () => {
  /** Each definition refers to the next one twice: 2^levels paths in total. */
  const bomb = (levels: number, keyword: string) => {
    const $defs: Record<string, unknown> = { [`d${levels}`]: { type: 'string' } };
    for (let at = 0; at < levels; at++)
      $defs[`d${at}`] = { [keyword]: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }] };
    return objectWithV({ $ref: '#/$defs/d0' }, { $defs });
  };

  test.each(['anyOf', 'oneOf', 'allOf'])(
    'validation with a hostile schema terminates for an exponential %s and still validates a small one',
    (keyword) => {
      expect(isOk(bomb(8, keyword), { v: 5 })).toBe(false);
      expect(isOk(bomb(8, 'anyOf'), { v: 'x' })).toBe(true);
      expect(isOk(bomb(60, keyword), { v: 5 })).toBe(false);
      expect(problemText(bomb(60, 'oneOf'), { v: 5 })).toBe(
        'the arguments: expected arguments that can be checked in bounded time, got more than that',
      );
    },
  );

  test('validation with a hostile schema terminates for exponential branches beside unevaluatedProperties', () => {
    for (const keyword of ['anyOf', 'allOf'])
      expect(isOk({ ...bomb(60, keyword), $ref: '#/$defs/d0', unevaluatedProperties: false }, { v: {} })).toBe(false);
    const closed = (levels: number): JsonSchema =>
      levels === 0 ? {} : { anyOf: [closed(levels - 1), { $ref: '#' }], unevaluatedProperties: {} };
    expect(compileArguments(closed(3))).toMatchObject({ kind: 'unusable' });
    let deep: JsonSchema = { properties: { a: {} } };
    for (let level = 0; level < 60; level++)
      deep = { anyOf: [deep, { required: ['b'] }], unevaluatedProperties: false };
    expect(isOk(deep, { a: 1 })).toBe(false);
  });

  test('validation with a hostile schema terminates for branches that double with each level of the value', () => {
    const schema = {
      anyOf: [
        { properties: { a: { $ref: '#' } }, required: ['x'] },
        { properties: { a: { $ref: '#' } }, required: ['y'] },
      ],
    };
    let args: Record<string, unknown> = {};
    for (let level = 0; level < 120; level++) args = { a: args };
    expect(isOk(schema, args)).toBe(false);
  });

  test.each(['^(a+)+$', '^(a|a)*$', '^(.*a){20}$', '(x+x+)+y', '^(([a-z])+.)+[A-Z]([a-z])+$'])(
    'the pattern %s cannot stall on a value, a property name or a key',
    (pattern) => {
      const evil = `${'a'.repeat(30_000)}!`;
      expect(isOk(objectWithV({ pattern, type: 'string' }), { v: evil })).toBe(false);
      expect(
        isOk(
          { patternProperties: { [pattern]: { type: 'number' } }, properties: { b: {} }, additionalProperties: false },
          { [evil]: 'x' },
        ),
      ).toBe(false);
      expect(isOk({ propertyNames: { pattern } }, { [evil]: 1 })).toBe(false);
    },
  );

  test('validation with a hostile schema terminates for many branches and many items', () => {
    const branches = Array.from({ length: 3000 }, (_, at) => ({ const: at }));
    expect(isOk(objectWithV({ items: { anyOf: branches } }), { v: Array.from({ length: 100_000 }, () => 'x') })).toBe(
      false,
    );
  });

  test('validation with a hostile schema terminates for many unknown properties, many names and many equal items', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 3000 }, (_, at) => [`property_${at}`, { type: 'string' }]),
    );
    const args = Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`other_${at}`, at]));
    expect(isOk({ properties, additionalProperties: false }, args)).toBe(false);
    expect(isOk(objectWithV({ uniqueItems: true }), { v: Array.from({ length: 200_000 }, () => 0) })).toBe(false);
  });

  test('validation with a hostile schema supports a large enum', () => {
    const schema = objectWithV({ enum: Array.from({ length: 8000 }, (_, at) => `v${at}`) });
    expect([isOk(schema, { v: 'v7999' }), isOk(schema, { v: 'v8000' })]).toEqual([true, false]);
  });

  test('validation with a hostile schema does not execute code in property names', () => {
    const name = '"]; throw new Error("run"); //';
    const schema = { properties: { [name]: { const: '`${x}`\n\u2028' } }, required: [name] };
    expect(isOk(schema, { [name]: '`${x}`\n\u2028' })).toBe(true);
    expect(isOk(schema, {})).toBe(false);
  });

  test('validation with a hostile schema ignores internal keywords of the validator', () => {
    expect(isOk(objectWithV({ '~refine': [{ check: 1, error: 2 }], type: 'string' }), { v: 'x' })).toBe(true);
  });

  test('validation with a hostile schema never throws for a long chain of references', () => {
    const $defs: Record<string, unknown> = { d4000: { type: 'string' } };
    for (let at = 0; at < 4000; at++) $defs[`d${at}`] = { $ref: `#/$defs/d${at + 1}` };
    const compiled = compileArguments(objectWithV({ $ref: '#/$defs/d0' }, { $defs }));
    const verdict = compiled.kind === 'ready' && compiled.check({ v: 5 });
    expect(verdict).toMatchObject({ ok: false });
  });
});

test('a pattern that cannot be run safely is left to the server, and the rest of the schema is enforced', () => {
  const compiled = compileArguments({ properties: { a: { type: 'string', pattern: '^(?!x)' } } });
  expect(compiled).toMatchObject({ kind: 'ready', unenforced: [expect.stringContaining('/properties/a/pattern')] });
  expect(compiled.kind === 'ready' && [compiled.check({ a: 'x' }).ok, compiled.check({ a: 1 }).ok]).toEqual([
    true,
    false,
  ]);
  const closed = { patternProperties: { '^(?!x)': {} }, properties: { b: {} }, unevaluatedProperties: false };
  expect(isOk(closed, { a: 1 })).toBe(true);
});

describe('the arguments checker', () => {
  test('the arguments checker compiles equal schemas once, even if they are different objects', () => {
    const checker = createArgumentsChecker();
    expect(checker.prepare({ type: 'object', required: ['a'] })).toBe(
      checker.prepare({ required: ['a'], type: 'object' }),
    );
    expect(checker.prepare({ required: ['b'] })).not.toBe(checker.prepare({ required: ['a'] }));
    expect(checker.check({ required: ['a'] }, { a: 1 })).toEqual({ ok: true });
  });

  test('the arguments checker evicts the least recently used schema', () => {
    const checker = createArgumentsChecker({ maxEntries: 2 });
    const [a, b] = [checker.prepare({ title: 'a' }), checker.prepare({ title: 'b' })];
    expect(checker.prepare({ title: 'a' })).toBe(a);
    checker.prepare({ title: 'c' });
    expect(checker.prepare({ title: 'a' })).toBe(a);
    expect(checker.prepare({ title: 'b' })).not.toBe(b);
  });

  test('the arguments checker rejects all arguments of an unusable schema with the reason', () => {
    const checker = createArgumentsChecker();
    expect(checker.check({ $ref: 'https://example.com/x' }, {})).toEqual({
      ok: false,
      problems: [],
      text: 'the tool\'s schema cannot be used: $ref "https://example.com/x" points outside the schema, and nothing is fetched',
    });
    expect(checker.check({ description: 'x'.repeat(1000) }, {}).ok).toBe(true);
    const strict = createArgumentsChecker({ maxSchemaBytes: 100 });
    expect(strict.check({ description: 'x'.repeat(1000) }, {})).toMatchObject({
      ok: false,
      text: expect.stringContaining('larger than 100 bytes'),
    });
  });
});

// Found by fuzzing: JSON can contain objects that cannot be converted to a string.
test.each(['format', '$schema', 'pattern', '$ref', 'type', 'title'])(
  'a schema with an unconvertible object as its %s does not throw',
  (keyword) => {
    const schema = { type: 'object', [keyword]: JSON.parse('{"toString": 1, "valueOf": {}}') };
    expect(() => createArgumentsChecker().check({ properties: { a: schema } }, { a: 1 })).not.toThrow();
    expect(() => createArgumentsChecker().check(schema, { a: 1 })).not.toThrow();
  },
);
