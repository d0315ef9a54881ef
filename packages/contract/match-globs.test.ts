import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ToolwharfError } from './errors.ts';
import { createMatcher } from './match-globs.ts';

test.each([
  ['get_user', 'get_user', true],
  ['get_user', 'get_users', false],
  ['get_*', 'get_', true],
  ['get_*', 'get_user', true],
  ['get_*', 'forget_user', false],
  ['*', '', true],
  ['*', 'a/b.c', true],
  ['*', '..', true],
  ['*_user', 'get_my_user', true],
  ['a*b*c', 'a1b2b3c', true],
  ['a*b*c', 'a1c2b', false],
  ['a?c', 'abc', true],
  ['a?c', 'a/c', true],
  ['a?c', 'ac', false],
  ['a?c', 'a😀c', true],
  ['{get,list}_*', 'list_users', true],
  ['{get,list}_*', 'set_users', false],
  ['{a,b{c,d}}e', 'bde', true],
  ['{a,b{c,d}}e', 'be', false],
  ['x{,y}', 'x', true],
  ['{abc}', '{abc}', true],
  ['{abc', '{abc', true],
  ['v[0-9]', 'v7', true],
  ['v[0-9]', 'vx', false],
  ['v[!0-9]', 'vx', true],
  ['v[!0-9]', 'v7', false],
  ['a[', 'a[', true],
  ['a\\*b', 'a*b', true],
  ['a\\*b', 'axb', false],
  ['\\!a', '!a', true],
  ['github/*', 'github/create_issue', true],
  ['Delete*', 'delete', false],
])('matching %s against %s returns %s', (pattern, name, expected) => {
  expect(createMatcher([pattern])(name)).toBe(expected);
});

test('an empty list matches nothing, and a list matches if any of its patterns does [M15]', () => {
  expect(createMatcher([])('anything')).toBe(false);
  const matches = createMatcher(['get_*', 'ping']);
  expect([matches('get_x'), matches('ping'), matches('pong')]).toEqual([true, true, false]);
});

describe('a hostile tool name', () => {
  test.each(['delete_\nall', 'delete_\u0000', 'delete_\u2028x', 'delete_\ud800', `delete_${'x'.repeat(100_000)}`])(
    'a hostile tool name with unusual characters or length matches its pattern (%#)',
    (name) => expect(createMatcher(['delete_*'])(name)).toBe(true),
  );

  test('a hostile tool name cannot stall a pattern with many stars by its length', () => {
    const matches = createMatcher(['*a*a*a*a*a*a*a*a*b', '{*a*,*b*}{*c*,*d*}e']);
    expect(matches('a'.repeat(50_000))).toBe(false);
  });

  test('a hostile tool name such as a member of Object.prototype is an ordinary name', () => {
    const matches = createMatcher(['ping']);
    expect(['constructor', '__proto__', 'toString'].map(matches)).toEqual([false, false, false]);
  });
});

test('a pattern without special characters matches only itself', () => {
  const plain = fc.stringMatching(/^[a-z_/.-]{0,20}$/);
  fc.assert(fc.property(plain, plain, (pattern, name) => createMatcher([pattern])(name) === (pattern === name)));
});

test('the matcher agrees with the equivalent regular expression', () => {
  const glob = fc.stringMatching(/^[ab*?]{0,8}$/);
  const name = fc.stringMatching(/^[ab]{0,10}$/);
  fc.assert(
    fc.property(glob, name, (pattern, text) => {
      const expected = new RegExp(`^${pattern.replaceAll('*', '.*').replaceAll('?', '.')}$`).test(text);
      expect(createMatcher([pattern])(text)).toBe(expected);
    }),
  );
});

test('a negated pattern is rejected, because a deny list must not fail open', () => {
  expect(() => createMatcher(['!safe_*'])).toThrow(ToolwharfError);
  expect(() => createMatcher(['!safe_*'])).toThrow('list what to allow under allow');
});

test('a pattern that expands to too many alternatives is rejected', () => {
  expect(() => createMatcher(['{a,b}'.repeat(30)])).toThrow('more than 1000 alternatives');
});
