import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readErrorMeanings } from './error-meanings.ts';

const documentation = readFileSync(new URL('../../../../../docs/errors.md', import.meta.url), 'utf8');

test('every error code has a meaning and advice in the documentation', () => {
  const meanings = readErrorMeanings(documentation);
  expect([...meanings.keys()]).toEqual(documentation.match(/(?<=^\| `)[A-Z_]+(?=`)/gm));
  expect(meanings.get('OUTCOME_UNKNOWN')).toEqual({
    happened: 'The connection broke after the call was sent: the tool may have run.',
    advice: 'Find out whether the tool ran before you repeat the call. Toolwharf did not repeat it.',
  });
});
