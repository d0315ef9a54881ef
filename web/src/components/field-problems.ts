import { ApiError } from '../api/client.ts';

interface Problem {
  readonly path: string;
  readonly message: string;
}

/** What the gateway found wrong with one field of what was sent: `name`, `model.model`; for a list, the first thing wrong in it. */
export function problemAt(error: unknown, field: string): string | undefined {
  const path = `body.${field}`;
  return problemsOf(error).find((problem) => problem.path === path || problem.path.startsWith(`${path}.`))?.message;
}

/** Whether what went wrong is about fields, so that it is said at them. */
export function hasFieldProblems(error: unknown): boolean {
  return problemsOf(error).length > 0;
}

function problemsOf(error: unknown): readonly Problem[] {
  if (!(error instanceof ApiError)) return [];
  const { problems } = (error.data ?? {}) as { readonly problems?: readonly Problem[] };
  return problems ?? [];
}
