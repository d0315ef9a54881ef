import type { JsonSchema } from '../../contract/json.ts';
import type { ArgumentsChecker, ArgumentsVerdict } from './validate-arguments.ts';

export interface LazyArgumentsChecker {
  /** An unusable schema rejects all arguments with the reason. */
  check(schema: JsonSchema, args: unknown): ArgumentsVerdict | Promise<ArgumentsVerdict>;
}

/** Validates arguments. Loads the validator with the first check, so that listing tools does not need it. */
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
