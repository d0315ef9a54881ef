import { describe, expect, test } from 'vitest';
import { findJsonProblem, readArguments } from './read-arguments.ts';

describe('arguments written as JSON', () => {
  test('arguments written as JSON are read as an object', () => {
    expect(readArguments('{"a": [1, null]}')).toEqual({ ok: true, value: { a: [1, null] } });
    expect(readArguments('  ')).toEqual({ ok: true, value: {} });
    expect(readArguments('[1]')).toEqual({ ok: false, problem: 'This must be an object: { … }' });
  });

  test.each([
    ['{"a": 1,}', 'Line 1, column 9: expected a name in double quotes'],
    ['{\n  "a": 1\n  "b": 2\n}', 'Line 3, column 3: expected a comma or }'],
    ['{"a" 1}', 'Line 1, column 6: expected a colon'],
    ["{'a': 1}", 'Line 1, column 2: expected a name in double quotes or }'],
    ['{"a": [1 2]}', 'Line 1, column 10: expected a comma or ]'],
    ['{"a": [1,]}', 'Line 1, column 10: expected a value'],
    ['{"a": tru}', 'Line 1, column 7: expected a value'],
    ['{"a": 01}', 'Line 1, column 7: expected a value'],
    ['{"a": "x\ny"}', 'Line 1, column 7: expected a value'],
    ['{"a": "\\x"}', 'Line 1, column 7: expected a value'],
    ['{"a": 1', 'Line 1, column 8: expected a comma or }'],
    ['{} x', 'Line 1, column 4: expected nothing more'],
    ['{"a": }', 'Line 1, column 7: expected a value'],
    ['[}', 'Line 1, column 2: expected a value or ]'],
  ])('%j is refused with the place', (text, problem) => {
    expect(readArguments(text)).toEqual({ ok: false, problem });
  });

  test.each(['{"a": -1.5e+10, "b": "\\u00e9\\n", "c": [], "d": {}, "e": [true, false, null]}', '5', '"x"', '[[[]]]'])(
    '%s is JSON, and nothing is found in it',
    (text) => {
      expect(findJsonProblem(text)).toBeUndefined();
    },
  );

  test('arguments written as JSON are read however deep they are', () => {
    const deep = '['.repeat(100_000);
    expect(findJsonProblem(deep)).toEqual({ line: 1, column: 100_001, expected: 'a value or ]' });
  });
});
