import { expect, test } from 'vitest';
import { hideArguments } from './hide-arguments.ts';

test('a value whose schema cannot be found counts as secret', () => {
  const schema = { properties: { p: { $ref: 'https://elsewhere.example/schema' }, q: { type: 'string' } } };
  expect(hideArguments([schema], { p: 'x', q: 'y' }).shown).toEqual({ p: '[hidden]', q: 'y' });
});

test('arguments without secrets are the same object', () => {
  const args = { p: null, q: 'y' };
  expect(hideArguments([{ properties: { p: { format: 'password' } } }], args).shown).toBe(args);
  expect(hideArguments([undefined, {}], args).shown).toBe(args);
});

test('a value stays hidden if a later definition no longer marks it', () => {
  const first = { properties: { p: { format: 'password' } } };
  const second = { properties: { q: { writeOnly: true } } };
  const { shown, places } = hideArguments([first, second, first], { p: 'x', q: 'y' });
  expect(shown).toEqual({ p: '[hidden]', q: '[hidden 2]' });
  expect([...places]).toEqual([
    ['[hidden]', '/p'],
    ['[hidden 2]', '/q'],
  ]);
});
