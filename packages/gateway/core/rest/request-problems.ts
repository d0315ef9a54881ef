import { z } from 'zod';
import { ToolwharfError } from '../../../contract/errors.ts';
import { schemaFindings } from '../../../toolwharf/config/check-schema.ts';
import { problemText } from '../../../toolwharf/config/problems.ts';

/** One problem of a request. */
export interface RequestProblem {
  /** Such as `body.timeout` or `query.limit`. */
  readonly path: string;
  readonly message: string;
}

/** A response lists the first problems. */
const maxProblems = 100;
const maxNameLength = 100;

function shorten(name: string): string {
  return name.length <= maxNameLength ? name : `${name.slice(0, maxNameLength)}…`;
}

/** A `REQUEST_INVALID` that lists the first problems in its message and in `data.problems`. */
export function requestError(problems: readonly RequestProblem[]): ToolwharfError {
  const shown = problems.slice(0, maxProblems);
  const lines = shown.map(({ path, message }) => `${path}: ${message}`);
  return new ToolwharfError('REQUEST_INVALID', `The request is invalid: ${lines.join('; ')}`, {
    data: { problems: shown },
  });
}

/** The problems of one part of a request. Sent text is repeated only if one of a few values is expected. */
export function toProblems(part: string, error: z.ZodError | undefined, value: unknown): RequestProblem[] {
  if (!error) return [];
  const shown = new z.ZodError(error.issues.slice(0, maxProblems));
  const findings = schemaFindings(shown, value);
  return shown.issues.flatMap((issue, index) => {
    const path = [part, ...issue.path.map((name) => shorten(String(name)))].join('.');
    if (issue.code === 'unrecognized_keys')
      return issue.keys
        .slice(0, maxProblems)
        .map((key) => ({ path: `${path}.${shorten(key)}`, message: 'is not a known member' }));
    const { message = issue.message, found, allowed, suggestion } = findings[index] ?? {};
    const isText = found?.startsWith('"') === true && allowed === undefined;
    return [{ path, message: problemText({ message, found: isText ? undefined : found, allowed, suggestion }) }];
  });
}
