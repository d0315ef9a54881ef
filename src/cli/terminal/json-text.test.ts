import { expect, test } from 'vitest';
import { jsonText } from './json-text.ts';

test('control and invisible characters are escaped, and the value is unchanged', () => {
  const value = { a: 'x\u202ey\u200b\u{e0041}\u009b31m\u2028\u001b[31m', 'k\u200e': ['ü', '\n', '👩‍💻'] };
  const text = jsonText(value);
  expect(JSON.parse(text)).toEqual(value);
  expect(text).not.toMatch(/[\u007f-\u009f\u200b-\u200f\u2028-\u202e]|[\u{e0000}-\u{e007f}]/u);
  expect(text).toContain('\\u202e');
  expect(text).toContain('ü');
});

test('JSON is indented by default, or printed on one line', () => {
  expect(jsonText({ a: 1 })).toBe('{\n  "a": 1\n}');
  expect(jsonText({ a: 1 }, { indent: 0 })).toBe('{"a":1}');
});
