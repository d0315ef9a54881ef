import { ApiError } from '../api/client.ts';

interface Problem {
  readonly path: string;
  readonly message: string;
}

/** The gateway's problem with one field of a request (`name`, `model.model`); for a list, its first problem. */
export function problemAt(error: unknown, field: string): string | undefined {
  const path = `body.${field}`;
  return problemsOf(error).find((problem) => problem.path === path || problem.path.startsWith(`${path}.`))?.message;
}

/** Whether an error is about single fields. */
export function hasFieldProblems(error: unknown): boolean {
  return problemsOf(error).length > 0;
}

function problemsOf(error: unknown): readonly Problem[] {
  if (!(error instanceof ApiError)) return [];
  const { problems } = (error.data ?? {}) as { readonly problems?: readonly Problem[] };
  return problems ?? [];
}
