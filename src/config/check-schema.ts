import type { z } from 'zod';
import type { CheckContext } from './check-context.ts';
import { parseSafely } from './parse-safely.ts';
import type { PlainData } from './plain-data.ts';
import { describeValue, type Path, valueAt } from './problems.ts';

/** What the schema makes of a value; undefined, with everything wrong reported at its path, where it does not take it. */
export function checkSchema<Schema extends z.ZodType>(
  schema: Schema,
  value: PlainData,
  path: Path,
  context: CheckContext,
): z.output<Schema> | undefined {
  const result = parseSafely(schema, value);
  if (result.success) return result.data;
  for (const issue of result.error.issues) {
    const inside = issue.path.map((part) => (typeof part === 'number' ? part : String(part)));
    const here = [...path, ...inside];
    const actual = valueAt(value, inside);
    const missing = actual === undefined;
    const allowed = allowedBy(issue);
    const keyIssue = issue.code === 'invalid_key' ? issue.issues[0] : undefined;
    context.report({
      path: here,
      message: missing ? 'is required' : (keyIssue?.message ?? issue.message),
      ...(keyIssue ? { atKey: true } : found(actual, here)),
      ...(allowed && { allowed }),
    });
  }
  return undefined;
}

/** A value as a finding names it. */
export function found(value: PlainData | unknown, path: Path): { readonly found?: string } {
  const description = describeValue(value, path);
  return description === undefined ? {} : { found: description };
}

/** The keys a map's schema knows. */
export function keysOf(schema: { readonly shape: object }): readonly string[] {
  return Object.keys(schema.shape);
}

function allowedBy(issue: z.core.$ZodIssue): readonly string[] | undefined {
  if (issue.code === 'invalid_value') return issue.values.map(String);
  if (issue.code === 'invalid_union' && 'options' in issue && Array.isArray(issue.options))
    return issue.options.map(String);
  return undefined;
}
