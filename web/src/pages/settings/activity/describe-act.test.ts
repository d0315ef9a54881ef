import { expect, test } from 'vitest';
import { describeAct, nameOperation } from './describe-act.ts';

test('an operation is named in words', () => {
  expect(['createKey', 'switchTools'].map(nameOperation)).toEqual(['Create key', 'Switch tools']);
});

test('an act is described by its short values', () => {
  expect(describeAct({ name: 'robot', rights: ['call'], enabled: false })).toBe('robot · enabled: false');
  expect(describeAct(undefined)).toBe('');
});
