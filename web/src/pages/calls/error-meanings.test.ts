import { expect, test } from 'vitest';
import documentation from '../../../../docs/errors.md?raw';
import { readErrorMeanings } from './error-meanings.ts';

test('every error code has a meaning and advice in the documentation', () => {
  const meanings = readErrorMeanings(documentation);
  expect([...meanings.keys()]).toEqual(documentation.match(/(?<=^\| `)[A-Z_]+(?=`)/gm));
  expect(meanings.get('OUTCOME_UNKNOWN')).toEqual({
    happened: 'The connection broke after the call was sent: the tool may have run.',
    advice: 'Find out whether the tool ran before you repeat the call. Toolwharf did not repeat it.',
  });
});
