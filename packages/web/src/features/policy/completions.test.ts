import { expect, test } from 'vitest';
import { completionsAt } from './completions.ts';

const variables = [
  { name: 'call.server', type: 'string', description: 'The server.' },
  { name: 'call.args', type: 'map', description: 'The arguments.' },
  { name: 'caller.id', type: 'string', description: 'The caller.' },
  { name: 'history.count', type: 'int', parameters: ['pattern', 'window'], description: 'Earlier calls.' },
];
const complete = (text: string, caret = text.length) =>
  completionsAt(text, caret, variables).map((completion) => completion.text);

test('a word is completed by the variables that begin with it, or whose last part does', () => {
  expect(complete('cal')).toEqual(['call.server', 'call.args', 'caller.id']);
  expect(complete('call.s')).toEqual(['call.server']);
  expect(complete('x && serv')).toEqual(['x && call.server']);
  expect(complete("ser == 'a'", 3)).toEqual(["call.server == 'a'"]);
  expect(completionsAt("ser == 'a'", 3, variables)[0]?.caret).toBe('call.server'.length);
});

test('a function is completed with its parenthesis', () => {
  expect(complete('hist')).toEqual(['history.count(']);
});

test('nothing is completed within a text, behind a value, or if the word is complete', () => {
  expect(complete("call.server == 'cal")).toEqual([]);
  expect(complete("call.server == 'it\\'s cal")).toEqual([]);
  expect(complete("'a' == cal")).toHaveLength(3);
  expect(complete('call.args.cal')).toEqual([]);
  expect(complete('(a).cal')).toEqual([]);
  expect(complete('call.server')).toEqual([]);
  expect(complete('')).toEqual([]);
});
