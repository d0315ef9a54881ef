import type { z } from 'zod';
import { closest } from '../kernel/closest.ts';
import type { CheckContext } from './check-context.ts';
import { parseSafely } from './parse-safely.ts';
import type { PlainData } from './plain-data.ts';
import { describeValue, type Finding, type Path, valueAt } from './problems.ts';

/** Parses a value with a schema. Reports every problem at its path and returns undefined if there is any. */
export function checkSchema<Schema extends z.ZodType>(
  schema: Schema,
  value: PlainData,
  path: Path,
  context: CheckContext,
): z.output<Schema> | undefined {
  // Zod would generate code for the schema, which takes longer than parsing a configuration once.
  const result = parseSafely(schema, value, { jitless: true });
  if (result.success) return result.data;
  for (const finding of schemaFindings(result.error, value, path)) context.report(finding);
  return undefined;
}

/**
 * Converts schema issues to findings with the path, the invalid value and the allowed values. Secrets show their type
 * only.
 */
export function schemaFindings(error: z.ZodError, value: unknown, path: Path = []): Finding[] {
  return error.issues.map((issue) => {
    const inside = issue.path.map((part) => (typeof part === 'number' ? part : String(part)));
    const here = [...path, ...inside];
    const actual = valueAt(value, inside);
    const allowed = allowedBy(issue);
    const keyIssue = issue.code === 'invalid_key' ? issue.issues[0] : undefined;
    return {
      path: here,
      message: actual === undefined && issue.code !== 'custom' ? 'is required' : (keyIssue?.message ?? issue.message),
      ...(keyIssue ? { atKey: true } : found(actual, here)),
      allowed,
      suggestion: allowed && typeof actual === 'string' ? closest(actual, allowed) : undefined,
    };
  });
}

export function found(value: PlainData | unknown, path: Path): { readonly found?: string } {
  const description = describeValue(value, path);
  return description === undefined ? {} : { found: description };
}

function allowedBy(issue: z.core.$ZodIssue): readonly string[] | undefined {
  if (issue.code === 'invalid_value') return issue.values.map(String);
  if (issue.code === 'invalid_union' && 'options' in issue && Array.isArray(issue.options))
    return issue.options.map(String);
  return undefined;
}
