import type { JsonSchema } from '../../packages/contract/json.ts';
import { type ArgumentsLimits, compileArguments } from '../../packages/toolwharf/policy/validate-arguments.ts';

/** Validates arguments. Throws if the schema cannot be used. */
export function check(schema: JsonSchema, args: unknown, limits: Partial<ArgumentsLimits> = {}) {
  const compiled = compileArguments(schema, limits);
  if (compiled.kind === 'unusable') throw new Error(compiled.reason);
  return compiled.check(args);
}

export const isOk = (schema: JsonSchema, args: unknown) => check(schema, args).ok;

/** The problems of arguments, or `ok`. */
export function problemText(schema: JsonSchema, args: unknown): string {
  const verdict = check(schema, args);
  return verdict.ok ? 'ok' : verdict.text;
}

/** An object schema with this schema for the property `v`. */
export const objectWithV = (schema: unknown, root: Record<string, unknown> = {}): JsonSchema => ({
  ...root,
  properties: { v: schema },
});

export const conditional = (condition: unknown, yes: unknown, no: unknown): JsonSchema =>
  Object.fromEntries([
    ['if', condition],
    ['then', yes],
    ['else', no],
  ]);
