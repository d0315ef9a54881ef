import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../contract/json.ts';
import { parseExactly } from '../kernel/exact-json.ts';
import { matchesArguments } from './remembered-rules.ts';
import { compileArguments } from './validate-arguments.ts';

function check(property: object, number: string): true | string {
  const compiled = compileArguments(
    parseExactly(JSON.stringify({ type: 'object', properties: { n: property } })) as JsonObject,
  );
  if (compiled.kind !== 'ready') throw new Error(compiled.reason);
  const verdict = compiled.check(parseExactly(`{"n":${number}}`));
  return verdict.ok || verdict.text;
}

const large = '9007199254740993';

describe('a number that JavaScript has no value for', () => {
  test.each([
    [{ type: 'integer' }, large],
    [{ type: 'integer' }, `${large}.0`],
    [{ type: ['string', 'number'] }, '0.10000000000000000001'],
    [{ maximum: 9007199254740994 }, large],
    [{ exclusiveMinimum: 9007199254740992 }, large],
    [{ multipleOf: 3 }, large],
    [{ multipleOf: 0.1 }, '90071992547409931.1'],
    [{ minLength: 5, minItems: 3, required: ['x'], properties: { rawJSON: false }, items: false }, large],
    [{ anyOf: [{ type: 'string' }, { type: 'integer' }] }, large],
    [{ type: 'array', uniqueItems: true, items: { type: 'integer' } }, `[${large},9007199254740992]`],
    [{ type: 'object', additionalProperties: { type: 'integer' } }, `{"a":${large}}`],
    [{ not: { const: 9007199254740992 } }, large],
    [{}, '1e400'],
  ])('the schema %j accepts %s', (property, number) => {
    expect(check(property, number)).toBe(true);
  });

  test.each([
    [{ type: 'integer' }, '9007199254740993.5', 'expected integer, got number 9007199254740993.5'],
    [{ type: 'string' }, large, 'expected string'],
    [{ type: 'number' }, '1e9999', 'expected number'],
    [{ const: 9007199254740992 }, large, 'expected 9007199254740992, got number 9007199254740993'],
    [{ enum: [9007199254740992, 'x'] }, large, 'expected 9007199254740992 or "x"'],
    [{ enum: [0.1] }, '0.10000000000000000001', 'expected 0.1'],
    [{ maximum: 9007199254740992 }, large, 'expected a number <= 9007199254740992'],
    [{ minimum: 9007199254740994 }, large, 'expected a number >= 9007199254740994'],
    [{ multipleOf: 2 }, large, 'expected a multiple of 2'],
    [{ type: 'array', uniqueItems: true }, `[${large},${large}.0]`, 'no two equal items'],
  ])('the schema %j refuses %s', (property, number, text) => {
    expect(check(property, number)).toContain(text);
  });

  test('numbers of another spelling are valid as their value', () => {
    expect(check({ type: 'integer', enum: [1] }, '1.0')).toBe(true);
    expect(check({ type: 'integer', const: 1000 }, '1e3')).toBe(true);
    expect(check({ type: 'integer' }, '1.5')).toContain('expected integer');
  });
});

describe('a schema with numbers that JavaScript has no value for', () => {
  const checkWith = (property: string, number: string): true | string => {
    const compiled = compileArguments(parseExactly(`{"type":"object","properties":{"n":${property}}}`) as JsonObject);
    if (compiled.kind !== 'ready') throw new Error(compiled.reason);
    expect(compiled.unenforced).toEqual([]);
    const verdict = compiled.check(parseExactly(`{"n":${number}}`));
    return verdict.ok || verdict.text;
  };

  test.each([
    ['{"maximum":9223372036854775807}', '9223372036854775807'],
    ['{"maximum":9223372036854775807}', '5'],
    ['{"exclusiveMinimum":-9223372036854775809}', '-9223372036854775808'],
    [`{"enum":[${large}]}`, `${large}.0`],
    [`{"const":{"a":[${large}]}}`, `{"a":[${large}]}`],
    [`{"multipleOf":${large}}`, '0'],
    [`{"multipleOf":${large}}`, '18014398509481986'],
    ['{"minimum":1.0,"multipleOf":1E+0}', '2'],
    ['{"type":"string","minLength":1.0,"maxLength":1E1}', '"abc"'],
    [`{"type":"object","patternProperties":{"^a":{"maximum":${large}}}}`, '{"ab":9007199254740992}'],
    [`{"type":"object","dependentSchemas":{"a":{"properties":{"b":{"const":${large}}}}}}`, `{"a":1,"b":${large}}`],
    [`{"type":"array","uniqueItems":true,"items":{"minimum":${large}}}`, `[${large},9007199254740994]`],
  ])('%s accepts %s', (property, number) => {
    expect(checkWith(property, number)).toBe(true);
  });

  test.each([
    ['{"maximum":9223372036854775807}', '9223372036854775808', '<= 9223372036854775807'],
    ['{"maximum":9223372036854775807}', '9223372036854776000', '<= 9223372036854775807'],
    [`{"enum":[${large}]}`, '9007199254740992', `expected ${large}`],
    [`{"const":${large}}`, '9007199254740992', `expected ${large}`],
    [`{"multipleOf":${large}}`, '18014398509481984', `a multiple of ${large}`],
    [`{"type":"object","patternProperties":{"^a":{"maximum":${large}}}}`, '{"ab":9007199254740994}', `<= ${large}`],
    [
      `{"type":"object","dependentSchemas":{"a":{"properties":{"b":{"const":${large}}}}}}`,
      '{"a":1,"b":9007199254740992}',
      `expected ${large}`,
    ],
    [`{"type":"array","uniqueItems":true,"items":{"minimum":0,"maximum":${large}}}`, '[1,1.0]', 'no two equal items'],
    [`{"not":{"const":${large}}}`, large, 'expected'],
  ])('%s refuses %s', (property, number, text) => {
    expect(checkWith(property, number)).toContain(text);
  });
});

describe('rules and large numbers', () => {
  const matches = (answer: 'allow' | 'deny', pattern: string, number: string) =>
    matchesArguments({ n: pattern }, parseExactly(`{"n":${number}}`) as JsonObject, { answer });

  test.each(['allow', 'deny'] as const)('a rule that would %s compares all digits', (answer) => {
    expect(matches(answer, large, large)).toBe(true);
    expect(matches(answer, '9007199254740992', large)).toBe(false);
    expect(matches(answer, large, '9007199254740992')).toBe(false);
    expect(matches(answer, '90071992547409*', large)).toBe(true);
    expect(matches(answer, '1', '1.0')).toBe(true);
  });
});
