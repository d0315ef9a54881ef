import { expect, test } from 'vitest';
import documentation from '../../../../docs/errors.md?raw';
import { readErrorMeanings } from './error-meanings.ts';

test('every error code has a meaning and advice in the documentation', () => {
  const meanings = readErrorMeanings(documentation);
  expect([...meanings.keys()]).toEqual(documentation.match(/(?<=^\| `)[A-Z_]+(?=`)/gm));
  expect(meanings.get('OUTCOME_UNKNOWN')).toEqual({
    happened: 'The connection broke while the call was on its way: it may have run.',
    advice: 'Find out before you call again; Toolwharf did not.',
  });
});
