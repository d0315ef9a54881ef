import { expect, test } from 'vitest';
import { ApiError } from '../../api/client.ts';
import { toPlanProblems } from './plan-problems.ts';

const refusal = (problems: unknown) => new ApiError(400, 'REQUEST_INVALID', "It can't be set up", { problems });

test('a problem is shown at its input as a sentence', () => {
  const { at, general } = toPlanProblems(refusal(["'KEY' is required", "'SIZE' must be one of s, l"]), ['SIZE', 'KEY']);
  expect([at('KEY'), at('SIZE'), at('OTHER')]).toEqual(['Is required', 'Must be one of s, l', undefined]);
  expect(general).toEqual([]);
});

test('a problem without an input is shown at the top', () => {
  const { at, general } = toPlanProblems(refusal(["'GONE' is not an input of this server"]), ['G', 'GO']);
  expect(general).toEqual(["'GONE' is not an input of this server"]);
  expect(at('G')).toBeUndefined();
});

test('an error without a list of problems shows its message, and no error shows nothing', () => {
  for (const problems of [undefined, 'x', [], [{ path: 'body.as', message: 'x' }]])
    expect(toPlanProblems(refusal(problems), ['KEY']).general).toEqual(["It can't be set up"]);
  expect(toPlanProblems(new ApiError(502, 'SERVER_UNREACHABLE', 'Not there'), []).general).toEqual(['Not there']);
  expect(toPlanProblems(null, ['KEY']).general).toEqual([]);
});

test('invisible characters from the registry are escaped', () => {
  const { at } = toPlanProblems(refusal(["'KEY' must be one of \u202ea"]), ['KEY']);
  expect(at('KEY')).toBe('Must be one of ⟨U+202E⟩a');
});
