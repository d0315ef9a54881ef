import type { z } from 'zod';
import { schemaFindings } from '../../config/check-schema.ts';
import { problemText } from '../../config/problems.ts';
import { ToolwharfError } from '../../kernel/errors.ts';

/** One problem of a request. */
export interface RequestProblem {
  /** Such as `body.timeout` or `query.limit`. */
  readonly path: string;
  readonly message: string;
}

/** A `REQUEST_INVALID` that lists every problem in its message and in `data.problems`. */
export function requestError(problems: readonly RequestProblem[]): ToolwharfError {
  const shown = problems.slice(0, 100);
  const lines = shown.map(({ path, message }) => `${path}: ${message}`);
  return new ToolwharfError('REQUEST_INVALID', `The request is invalid: ${lines.join('; ')}`, {
    data: { problems: shown },
  });
}

/** The problems of one part of a request. Sent text is repeated only if one of a few values is expected. */
export function toProblems(part: string, error: z.ZodError | undefined, value: unknown): RequestProblem[] {
  if (!error) return [];
  const findings = schemaFindings(error, value);
  return error.issues.flatMap((issue, index) => {
    const path = [part, ...issue.path.map(String)].join('.');
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => ({ path: `${path}.${key}`, message: 'is not a known member' }));
    const { message = issue.message, found, allowed, suggestion } = findings[index] ?? {};
    const isText = found?.startsWith('"') === true && allowed === undefined;
    return [{ path, message: problemText({ message, found: isText ? undefined : found, allowed, suggestion }) }];
  });
}
