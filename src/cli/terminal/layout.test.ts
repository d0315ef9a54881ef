import { expect, test } from 'vitest';
import { duration, oneLine, pad, shorten, widthOf, wrap } from './layout.ts';

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
});

test('a text from a server becomes one line without control characters [R18]', () => {
  const line = oneLine(' a\n\tb\u001b[31m\u202e ');
  expect(line).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  expect(line).toContain('a b');
});

test('durations are formatted with a suitable unit', () => {
  expect([duration(85), duration(1240), duration(120_000)]).toEqual(['85 ms', '1.2 s', '2 min']);
});
