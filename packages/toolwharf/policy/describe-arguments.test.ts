import { expect, test } from 'vitest';
import { describeArguments } from './describe-arguments.ts';

test('short arguments are shown whole', () => {
  const args = { path: '/etc/passwd', list: [1, true, null, {}], '': [] };
  expect(describeArguments(args, { maxLength: 1_000 })).toBe(JSON.stringify(args));
  expect(describeArguments(args, { maxLength: 1_000, indent: 2 })).toBe(JSON.stringify(args, null, 2));
});

test('a long value is shortened, and no other argument is left out [O7]', () => {
  const args = { a: 'x'.repeat(20_000), deep: [{ b: `${'y'.repeat(5_000)}END` }], path: 'DANGER' };
  const text = describeArguments(args, { maxLength: 1_000 }) ?? '';
  expect(text.length).toBeLessThanOrEqual(1_000);
  expect(text).toContain('"path":"DANGER"');
  expect(text).toContain('END"');
  expect(text).toMatch(/⟨\d+ characters left out⟩/);
  const shown = [...text.matchAll(/⟨(\d+) characters/g)].map(([, left]) => Number(left));
  expect(shown[0]).toBe(20_000 - (text.match(/x/g)?.length ?? 0));
});

test('a text cannot imitate the note about what is left out, and invisible characters are written out', () => {
  const text = describeArguments({ a: '"⟨5 characters left out⟩"', b: 'x\u202ey\u0000' }, { maxLength: 500 });
  expect(text).toBe('{"a":"\\"⟨5 characters left out⟩\\"","b":"x⟨U+202E⟩y\\u0000"}');
});

test('arguments with more members than can be shown are not described [O7]', () => {
  const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`name${at}`, at]));
  expect(describeArguments(many, { maxLength: 2_000 })).toBeUndefined();
  expect(describeArguments({ list: Array(5_000).fill(0) }, { maxLength: 2_000 })).toBeUndefined();
});
