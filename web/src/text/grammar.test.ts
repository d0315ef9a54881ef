import { isValidElement } from 'react';
import { expect, test } from 'vitest';
import { createGrammar } from './grammar.ts';

test('a count of one takes the singular and every other count the plural', () => {
  const { plural } = createGrammar('en', 'en');
  const calls = [0, 1, 2, 1_204].map((count) => plural(count, { one: '# call', other: '# calls' }));
  expect(calls).toEqual(['0 calls', '1 call', '2 calls', '1,204 calls']);
});

test('a language has its own plural forms, and the locale its own digits', () => {
  const { plural } = createGrammar('pl', 'de');
  const forms = { one: '# plik', few: '# pliki', many: '# plików', other: '# pliku' };
  expect([1, 3, 5, 1_204.5].map((count) => plural(count, forms))).toEqual([
    '1 plik',
    '3 pliki',
    '5 plików',
    '1.204,5 pliku',
  ]);
});

test('a list is written as the language writes it', () => {
  expect(createGrammar('en', 'en').list(['a', 'b', 'c'])).toBe('a, b, and c');
  expect(createGrammar('de', 'de').list(['a', 'b', 'c'])).toBe('a, b und c');
});

test('a sentence contains elements where its language puts them', () => {
  const { rich } = createGrammar('en', 'en');
  const sentence = rich`Add a model in ${'Settings'}.`;
  expect(isValidElement<{ children: unknown[] }>(sentence) && sentence.props.children).toEqual([
    'Add a model in ',
    'Settings',
    '.',
    undefined,
  ]);
});
