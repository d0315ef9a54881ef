import { expect, test } from 'vitest';
import { stemWord } from './stem-word.ts';

test.each([
  ['create', 'creates', 'created', 'creating'],
  ['connect', 'connected', 'connection', 'connections', 'connecting'],
  ['query', 'queries', 'queried'],
  ['stop', 'stops', 'stopped', 'stopping'],
  ['agree', 'agreed', 'agrees'],
  ['visualize', 'visualization', 'visualizing'],
  ['use', 'uses'],
])('%s and its other forms have the same stem', (...words) => {
  expect(new Set(words.map(stemWord)).size).toBe(1);
});

test('different words keep different stems, and short words stay as they are', () => {
  expect(stemWord('news')).not.toBe(stemWord('newest'));
  expect(stemWord('sky')).toBe('sky');
  expect(stemWord('is')).toBe('is');
  expect(stemWord('yes')).toBe('ye');
});
