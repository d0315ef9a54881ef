import { ApiError } from '../../../api/client.ts';
import { messageOf } from '../../../components/ErrorNotice.tsx';
import { safeText } from '../../../components/safe-text.ts';

/** What the gateway has against what was filled in: by the key of an input, and what belongs to none. */
export interface PlanProblems {
  at(key: string): string | undefined;
  readonly general: readonly string[];
}

/** Sorts a refusal by the inputs. What is wrong with one begins with its key in quotes. */
export function toPlanProblems(error: unknown, keys: readonly string[]): PlanProblems {
  const found = new Map<string, string>();
  const general: string[] = [];
  for (const problem of problemsOf(error)) {
    const key = keys.find((one) => problem.startsWith(`'${one}' `));
    if (key === undefined) general.push(safeText(problem, 1_000));
    else found.set(key, toSentence(problem.slice(key.length + 3)));
  }
  return { at: (key) => found.get(key), general };
}

function problemsOf(error: unknown): readonly string[] {
  if (!error) return [];
  const data = error instanceof ApiError ? (error.data as { readonly problems?: unknown } | undefined) : undefined;
  const listed = Array.isArray(data?.problems) ? data.problems.filter((one) => typeof one === 'string') : [];
  return listed.length > 0 ? listed : [messageOf(error)];
}

function toSentence(words: string): string {
  const text = safeText(words, 1_000);
  return text.charAt(0).toUpperCase() + text.slice(1);
}
