import { expect, test } from 'vitest';
import { fuzzyScore } from './fuzzy-score.ts';

test('a beginning scores higher than a later word, and a later word higher than a part of one', () => {
  const scores = ['read_file', 'must read', 'spread'].map((text) => fuzzyScore(text, 'read'));
  expect(scores).toEqual(scores.toSorted((a, b) => b - a));
  expect(new Set(scores).size).toBe(3);
});

test('a typed text with a missing letter finds the text, and not unrelated texts', () => {
  expect(fuzzyScore('stripe', 'strpe')).toBeGreaterThan(0);
  expect(fuzzyScore('filesystem', 'fsystem')).toBeGreaterThan(0);
  expect(fuzzyScore('the server returned a prompt', 'strpe')).toBe(0);
  expect(fuzzyScore('add', 'xyz')).toBe(0);
});

test('every word must match, and nothing typed matches everything', () => {
  expect(fuzzyScore('Servers: add a server', 'server add')).toBeGreaterThan(0);
  expect(fuzzyScore('Servers', 'server tool')).toBe(0);
  expect(fuzzyScore('anything', ' ')).toBe(1);
});
