import type { JsonSchema } from '../kernel/json.ts';
import type { ArgumentsChecker, ArgumentsVerdict } from './validate-arguments.ts';

export interface LazyArgumentsChecker {
  /** A schema that can't be used refuses all arguments, and says why. */
  check(schema: JsonSchema, args: unknown): ArgumentsVerdict | Promise<ArgumentsVerdict>;
}

/** Checks arguments against schemas. The validator is loaded for the first check: who only looks at tools does without it. */
export function createLazyArgumentsChecker(): LazyArgumentsChecker {
  let checker: ArgumentsChecker | undefined;
  async function load(): Promise<ArgumentsChecker> {
    const { createArgumentsChecker } = await import('./validate-arguments.ts');
    checker ??= createArgumentsChecker();
    return checker;
  }
  return {
    check: (schema, args) => checker?.check(schema, args) ?? load().then((loaded) => loaded.check(schema, args)),
  };
}
