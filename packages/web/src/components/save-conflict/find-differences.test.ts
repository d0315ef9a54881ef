import { expect, test } from 'vitest';
import { formFields } from '../../../../contract/form-fields.ts';
import { ApiError } from '../../api/client.ts';
import { findDifferences, readConflict } from './find-differences.ts';

test('a save that meets another revision is a conflict, and no other error is', () => {
  const data = { reason: 'revision', revision: 4, current: { name: 'a' } };
  expect(readConflict(new ApiError(409, 'CONFLICT', 'changed', data))).toEqual({ revision: 4, current: { name: 'a' } });
  const others = [
    new ApiError(409, 'CONFLICT', 'taken', { server: 'a' }),
    new ApiError(409, 'CONFLICT', 'removed', { reason: 'revision' }),
    new ApiError(400, 'CONFIG_INVALID', 'bad', data),
    new Error('changed'),
  ];
  expect(others.map(readConflict)).toEqual(others.map(() => undefined));
});

test('two versions of a record differ in the settings whose values differ, named as in the form', () => {
  const mine = { description: 'x', timeout: 5, allow: ['a'], approval: { ask: ['b'], mode: 'auto' }, newer: { a: 1 } };
  const theirs = { allow: ['a'], description: 'y', approval: { mode: 'auto', ask: ['c'] }, newer: { a: 1 } };
  expect(findDifferences(formFields.profile, mine, theirs)).toEqual([
    { key: 'description', label: 'Description', mine: 'x', theirs: 'y' },
    { key: 'approval.ask', label: 'Always ask', mine: ['b'], theirs: ['c'] },
    { key: 'timeout', label: 'timeout', mine: 5, theirs: undefined },
  ]);
});
