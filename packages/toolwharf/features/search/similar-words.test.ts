import { expect, test } from 'vitest';
import { countEdits, createSimilarWords } from './similar-words.ts';

test('edits are insertions, deletions, replacements and transpositions', () => {
  expect(countEdits('issue', 'issue', 2)).toBe(0);
  expect(countEdits('issue', 'isue', 2)).toBe(1);
  expect(countEdits('issue', 'issues', 2)).toBe(1);
  expect(countEdits('issue', 'issve', 2)).toBe(1);
  expect(countEdits('issue', 'isseu', 2)).toBe(1);
  expect(countEdits('issue', 'branch', 2)).toBe(3);
});

test('a misspelt word finds the closest words only', () => {
  const similar = createSimilarWords();
  for (const word of ['issue', 'github', 'repository', 'git', 'merge', 'merged']) similar.add(word);
  expect(similar.find('githb')).toEqual(['github']);
  expect(similar.find('gihtub')).toEqual(['github']);
  expect(similar.find('mrege')).toEqual(['merge']);
  expect(similar.find('repozitry')).toEqual(['repository']);
  expect(similar.find('weather')).toEqual([]);
});

test('words of three characters are not corrected', () => {
  const similar = createSimilarWords();
  similar.add('git');
  expect(similar.find('gif')).toEqual([]);
});
