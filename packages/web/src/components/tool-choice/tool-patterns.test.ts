import { expect, test } from 'vitest';
import { isGlob, toPattern } from './tool-patterns.ts';

test('the pattern of a tool escapes every wildcard in its name', () => {
  const names = ['read', 'a*b', 'what?', '[set]', '{a,b}', '!no', 'back\\slash'];
  const escaped = ['read', 'a\\*b', 'what\\?', '\\[set\\]', '\\{a,b\\}', '\\!no', 'back\\\\slash'];
  expect(names.map((originalName) => toPattern({ server: 'files', originalName }))).toEqual(
    escaped.map((name) => `files/${name}`),
  );
});

test('a tool without a server belongs to the server "local"', () => {
  expect(toPattern({ originalName: 'clock' })).toBe('local/clock');
});

test('only unescaped wildcards make a pattern a glob', () => {
  expect(['files/*', 'files/?', 'files/[ab]', 'files/{a,b}'].map(isGlob)).toEqual([true, true, true, true]);
  const escaped = toPattern({ server: 'files', originalName: '{a,b}*' });
  expect(['files/read', 'files/a\\*b', escaped].map(isGlob)).toEqual([false, false, false]);
});
