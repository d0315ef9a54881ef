import { text } from '../../text/text.ts';
import { isRecord } from '../is-record.ts';
import { findJsonProblem } from './find-json-problem.ts';

export type ReadArguments =
  | { readonly ok: true; readonly value: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly problem: string };

/** Parses a JSON object, or says where and why the text is none. An empty text is an empty object. */
export function readArguments(content: string): ReadArguments {
  if (content.trim() === '') return { ok: true, value: {} };
  try {
    const value: unknown = JSON.parse(content);
    if (isRecord(value)) return { ok: true, value };
    return { ok: false, problem: text.schemaForm.readArguments.mustObject };
  } catch {
    const found = findJsonProblem(content);
    if (!found) return { ok: false, problem: text.schemaForm.readArguments.notJson };
    const { line, column, expected } = found;
    return { ok: false, problem: text.schemaForm.readArguments.lineColumnExpected(line, column, expected) };
  }
}
