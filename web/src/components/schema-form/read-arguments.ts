import { isRecord } from '../is-record.ts';
import { findJsonProblem } from './find-json-problem.ts';

export type ReadArguments =
  | { readonly ok: true; readonly value: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly problem: string };

/** Parses a JSON object, or says where and why the text is none. An empty text is an empty object. */
export function readArguments(text: string): ReadArguments {
  if (text.trim() === '') return { ok: true, value: {} };
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value)) return { ok: true, value };
    return { ok: false, problem: 'This must be an object: { … }' };
  } catch {
    const found = findJsonProblem(text);
    if (!found) return { ok: false, problem: 'This is not JSON' };
    const { line, column, expected } = found;
    return { ok: false, problem: `Line ${line}, column ${column}: expected ${expected}` };
  }
}
