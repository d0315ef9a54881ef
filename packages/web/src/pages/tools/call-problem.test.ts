import { describe, expect, test } from 'vitest';
import { ApiError, NetworkError } from '../../api/client.ts';
import { toCallProblem } from './call-problem.ts';

describe('the problem of a call without a result', () => {
  test('each invalid argument has its own message [R18]', () => {
    const one = 'Invalid arguments for mcp_a_b: /limit: expected integer, got string "x"';
    expect(toCallProblem(new ApiError(400, 'ARGUMENTS_INVALID', one)).fields).toEqual([
      { path: '/limit', message: 'Expected integer, got string "x"' },
    ]);
    const two = [
      'Invalid arguments for mcp_a_b: 2 problems',
      '- /a b/0: expected string, got number 1',
      '- /c: expected x: y, got /z',
      'and 3 more',
    ].join('\n');
    expect(toCallProblem(new ApiError(400, 'ARGUMENTS_INVALID', two)).fields).toEqual([
      { path: '/a b/0', message: 'Expected string, got number 1' },
      { path: '/c', message: 'Expected x: y, got /z' },
    ]);
  });

  test('an error has a code and advice, and a missing response has a message', () => {
    expect(toCallProblem(new ApiError(502, 'OUTCOME_UNKNOWN', 'The connection broke'))).toMatchObject({
      code: 'OUTCOME_UNKNOWN',
      message: 'The connection broke',
      advice: 'The call may have run. Check before you run it again.',
    });
    expect(toCallProblem(new NetworkError('fetch failed'))).toEqual({
      message: 'The gateway does not answer. Is it running?',
      fields: [],
    });
  });
});
