import { ApiError } from '../../api/client.ts';
import { messageOf } from '../../components/ErrorNotice.tsx';
import { safeText } from '../../components/safe-text.ts';
import { capitalize } from '../../text/capitalize.ts';

/** The problems that the gateway found, by input key. `general` has those without an input. */
export interface PlanProblems {
  at(key: string): string | undefined;
  readonly general: readonly string[];
}

/** Assigns the problems of an error to the inputs. The message of an input problem starts with the quoted key. */
export function toPlanProblems(error: unknown, keys: readonly string[]): PlanProblems {
  const found = new Map<string, string>();
  const general: string[] = [];
  for (const problem of listProblems(error)) {
    const key = keys.find((candidate) => problem.startsWith(`'${candidate}' `));
    if (key === undefined) general.push(safeText(problem, 1_000));
    else found.set(key, capitalize(safeText(problem.slice(key.length + 3), 1_000)));
  }
  return { at: (key) => found.get(key), general };
}

function listProblems(error: unknown): readonly string[] {
  if (!error) return [];
  const data = error instanceof ApiError ? (error.data as { readonly problems?: unknown } | undefined) : undefined;
  const listed = Array.isArray(data?.problems) ? data.problems.filter((item) => typeof item === 'string') : [];
  return listed.length > 0 ? listed : [messageOf(error)];
}
