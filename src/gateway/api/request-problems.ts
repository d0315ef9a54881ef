import type { z } from 'zod';
import { ToolwharfError } from '../../kernel/errors.ts';

/** One thing wrong with a request. */
export interface RequestProblem {
  /** `body.timeout`, `query.limit`. */
  readonly path: string;
  readonly message: string;
}

/** One `REQUEST_INVALID` that lists every problem, as text and as `data.problems`. */
export function requestError(problems: readonly RequestProblem[]): ToolwharfError {
  const shown = problems.slice(0, 100);
  const lines = shown.map(({ path, message }) => `${path}: ${message}`);
  return new ToolwharfError('REQUEST_INVALID', `The request has problems: ${lines.join('; ')}`, {
    data: { problems: shown },
  });
}

/** Zod's findings in a part of the request, never with the values that were sent. */
export function toProblems(part: string, error: z.ZodError | undefined): RequestProblem[] {
  return (error?.issues ?? []).flatMap((issue) => {
    const path = [part, ...issue.path.map(String)].join('.');
    if (issue.code !== 'unrecognized_keys') return [{ path, message: issue.message }];
    return issue.keys.map((key) => ({ path: `${path}.${key}`, message: 'is not known here' }));
  });
}
