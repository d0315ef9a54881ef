import { expect, test } from 'vitest';
import { ago, duration, jsonText, oneLine, pad, shorten, until, widthOf, wrap, wrapParts } from './format.ts';

test('wide characters take two columns, and joined characters count once', () => {
  expect([widthOf('abc'), widthOf('日本'), widthOf('👩‍💻'), widthOf('é'), widthOf('')]).toEqual([3, 4, 2, 1, 0]);
});

test('a long text is shortened to the width, never within a character', () => {
  expect(shorten('hello', 5)).toBe('hello');
  expect(shorten('hello world', 7)).toBe('hello…');
  expect(shorten('日本語', 4)).toBe('日…');
  for (let width = 2; width < 12; width++) expect(widthOf(shorten('a日b👩‍💻c é dd', width))).toBeLessThanOrEqual(width);
});

test('padding aligns columns with wide characters', () => {
  expect(widthOf(pad('日', 6))).toBe(6);
  expect(pad('longer', 3)).toBe('longer');
});

test('text is wrapped between words', () => {
  expect(wrap('one two three', 7)).toEqual(['one two', 'three']);
  expect(wrap('unbreakable yes', 4)).toEqual(['unbreakable', 'yes']);
  expect(wrap('', 4)).toEqual(['']);
  expect(wrap('a  b', 9, '  ')).toEqual(['a  b']);
  expect(wrap('\u001b[33mWARNING:\u001b[39m so it is', 11, '  ')).toEqual([
    '\u001b[33mWARNING:\u001b[39m so',
    '  it is',
  ]);
});

test('a line of joined parts ends between two parts', () => {
  expect(wrapParts(['a = allow once', 'd = deny'], 40)).toEqual(['a = allow once · d = deny']);
  expect(wrapParts(['a = allow once', 'd = deny'], 20)).toEqual(['a = allow once ·', 'd = deny']);
});

test('a command in backticks stays on one line', () => {
  expect(wrap('run `toolwharf logs files` (or `ls`), then look', 14)).toEqual([
    'run',
    '`toolwharf logs files`',
    '(or `ls`),',
    'then look',
  ]);
});

test('a text from a server becomes one line without control characters [R18]', () => {
  const line = oneLine(' a\n\tb\u001b[31m\u202e ');
  expect(line).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  expect(line).toContain('a b');
});

test('durations are formatted with a suitable unit', () => {
  expect([duration(85), duration(1240), duration(120_000)]).toEqual(['85 ms', '1.2 s', '2 min']);
});

const now = Date.parse('2026-01-10T12:00:00Z');

test.each([
  ['2026-01-10T12:00:00Z', 'just now'],
  ['2026-01-10T11:59:18Z', '42 s ago'],
  ['2026-01-10T11:55:00Z', '5 min ago'],
  ['2026-01-10T03:00:00Z', '9 h ago'],
  ['2026-01-01T12:00:00Z', '9 days ago'],
  ['2026-01-10T13:00:00Z', 'just now'],
])('the time %s is shown as %s', (time, shown) => {
  expect(ago(time, now)).toBe(shown);
});

test.each([
  ['2026-01-10T12:10:00Z', 'in 10 min'],
  ['2026-01-10T12:00:00Z', 'now'],
  ['2026-01-10T11:00:00Z', 'now'],
])('the expiry %s is shown as %s', (time, shown) => {
  expect(until(time, now)).toBe(shown);
});

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
