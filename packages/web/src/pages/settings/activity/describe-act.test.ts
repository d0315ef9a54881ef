import { expect, test } from 'vitest';
import { describeAct, nameOperation } from './describe-act.ts';

test('an operation is named in words', () => {
  expect(['createKey', 'switchTools', 'mergeServers'].map(nameOperation)).toEqual([
    'Create key',
    'Switch tools on or off',
    'Merge servers',
  ]);
});

test('an act is described by its short values', () => {
  expect(describeAct({ name: 'robot', rights: ['call'], enabled: false })).toBe('robot · enabled: false');
  expect(describeAct({ id: 'a0d9dd4a-2d88-45bd-8fdc-f3427bfa1156', name: 'Scribe' })).toBe('Scribe');
  expect(describeAct(undefined)).toBe('');
});
