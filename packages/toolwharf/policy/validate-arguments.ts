import { isObject, type JsonSchema } from '../../contract/json.ts';
import { lazy } from '../../contract/lazy.ts';
import { hashOf } from '../kernel/canonical-json.ts';
import { exactly } from '../kernel/exact-json.ts';
import { argumentBounds } from './argument-bounds.ts';
import { withSymbols } from './exact-numbers.ts';
import { type ArgumentProblem, describeValue, explainProblems, problemsText } from './explain-problems.ts';
import { measureJson } from './measure-json.ts';
import { defaultSchemaLimits, guardSchema, type SchemaLimits } from './schema-guard.ts';
import type { Translation } from './translate-schema.ts';
import { compileTest, findErrors } from './validator.ts';
import { createWorkBudget, type WorkBudget, WorkExceeded } from './work-budget.ts';

export type { ArgumentProblem } from './explain-problems.ts';

export type ArgumentsVerdict =
  | { readonly ok: true }
  /** `text` explains the problems to a model. */
  | { readonly ok: false; readonly problems: readonly ArgumentProblem[]; readonly text: string };

export type ArgumentsCheck =
  | {
      readonly kind: 'ready';
      readonly check: (args: unknown) => ArgumentsVerdict;
      /** Keywords that only the server enforces, as "path: reason". */
      readonly unenforced: readonly string[];
    }
  | { readonly kind: 'unusable'; readonly reason: string };

export interface ArgumentsLimits extends SchemaLimits {
  /** 4 MiB. */
  readonly maxArgumentBytes: number;
  /** 128. */
  readonly maxArgumentDepth: number;
  /** Budget of one check; 5 million comparisons. */
  readonly maxWork: number;
}

const defaultLimits: ArgumentsLimits = {
  ...defaultSchemaLimits,
  maxArgumentBytes: argumentBounds.maxBytes,
  maxArgumentDepth: argumentBounds.maxDepth,
  maxWork: 5_000_000,
};

/**
 * Compiles a check of arguments against a tool's schema (drafts 4 to 2020-12). Both can be untrusted: size, depth and work are
 * bounded. Arguments must be an object. The result is `unusable`, with the reason, for a schema that cannot be checked.
 */
export function compileArguments(schema: JsonSchema, options: Partial<ArgumentsLimits> = {}): ArgumentsCheck {
  const limits = { ...defaultLimits, ...options };
  const budget = createWorkBudget();
  const guarded = guardSchema(schema, limits, budget);
  if (!guarded.ok) return { kind: 'unusable', reason: guarded.reason };
  const { translation } = guarded;
  const test = compileTest(translation.definitions, translation.root);
  const exact = lazy(() => {
    const again = guardSchema(schema, limits, budget, true);
    const used = again.ok ? again.translation : translation;
    return { translation: used, test: compileTest(used.definitions, used.root) };
  });

  function check(args: unknown): ArgumentsVerdict {
    const refusal = checkBounds(args, limits);
    if (refusal) return refusal;
    const { value, hasSymbols } = withSymbols(args);
    const used = hasSymbols ? exact() : { translation, test };
    return checkWith(used, used.translation.hasInheritedNames ? withoutPrototypes(value) : value);
  }

  function checkWith(
    used: { readonly translation: Translation; readonly test: typeof test },
    value: unknown,
  ): ArgumentsVerdict {
    try {
      if (budget.within(limits.maxWork, () => used.test(value))) return { ok: true };
    } catch (cause) {
      if (isTooMuch(cause)) return refuse('arguments that can be checked in bounded time', 'more than that');
      throw cause;
    }
    return explain(value, used.translation, limits, budget);
  }

  return { kind: 'ready', check, unenforced: translation.unenforced };
}

/** Validates arguments and caches compiled schemas. */
export interface ArgumentsChecker {
  /** An unusable schema rejects all arguments with the reason. */
  check(schema: JsonSchema, args: unknown): ArgumentsVerdict;
  prepare(schema: JsonSchema): ArgumentsCheck;
}

export interface ArgumentsCheckerOptions extends Partial<ArgumentsLimits> {
  /** Size of the LRU cache of compiled schemas; 5 000. */
  readonly maxEntries?: number;
}

export function createArgumentsChecker({
  maxEntries = 5000,
  ...limits
}: ArgumentsCheckerOptions = {}): ArgumentsChecker {
  const compiled = new Map<string, ArgumentsCheck>();
  // Hashing costs more than checking, so each schema object is hashed once.
  const hashes = new WeakMap<JsonSchema, string>();
  let newest: string | undefined;

  function prepare(schema: JsonSchema): ArgumentsCheck {
    const hash = hashes.get(schema) ?? safeHash(schema, { ...defaultLimits, ...limits });
    if (hash === undefined) return compileArguments(schema, limits);
    hashes.set(schema, hash);
    const known = compiled.get(hash);
    if (known && hash === newest) return known;
    const check = known ?? compileArguments(schema, limits);
    newest = hash;
    compiled.delete(hash);
    compiled.set(hash, check);
    for (const oldest of compiled.keys()) {
      if (compiled.size <= maxEntries) break;
      compiled.delete(oldest);
    }
    return check;
  }

  return {
    prepare,
    check(schema, args) {
      const prepared = prepare(schema);
      if (prepared.kind === 'ready') return prepared.check(args);
      return { ok: false, problems: [], text: `the tool's schema cannot be used: ${prepared.reason}` };
    },
  };
}

function checkBounds(
  args: unknown,
  { maxArgumentBytes, maxArgumentDepth }: ArgumentsLimits,
): ArgumentsVerdict | undefined {
  if (!isObject(args)) return refuse('object', describeValue(args, true));
  const { exceeded } = measureJson(args, { maxBytes: maxArgumentBytes, maxDepth: maxArgumentDepth });
  if (exceeded === 'bytes') return refuse(`at most ${maxArgumentBytes} bytes`, 'more');
  return exceeded && refuse(`at most ${maxArgumentDepth} levels of nesting`, 'more');
}

function explain(
  args: unknown,
  { definitions, root }: Translation,
  { maxWork }: ArgumentsLimits,
  budget: WorkBudget,
): ArgumentsVerdict {
  try {
    const errors = budget.within(maxWork, () => budget.slowly(() => findErrors(definitions, root, args)));
    const problems = explainProblems(errors, args);
    if (problems.length > 0) return { ok: false, problems, text: problemsText(problems) };
  } catch (cause) {
    if (!isTooMuch(cause)) throw cause;
  }
  return refuse("arguments that match the tool's schema", 'others');
}

function refuse(expected: string, got: string): ArgumentsVerdict {
  const message = `the arguments: expected ${expected}, got ${got}`;
  return { ok: false, problems: [{ path: '', expected, got, message }], text: message };
}

/** Whether the check exceeded its budget or the stack. */
function isTooMuch(cause: unknown): boolean {
  return cause instanceof WorkExceeded || cause instanceof RangeError;
}

/** Undefined for a schema that exceeds the limits: rejecting it again is cheap. */
function safeHash(schema: JsonSchema, { maxSchemaBytes, maxSchemaDepth }: ArgumentsLimits): string | undefined {
  const { exceeded } = measureJson(schema, { maxBytes: maxSchemaBytes, maxDepth: 4 * maxSchemaDepth });
  return exceeded ? undefined : hashOf(exactly(schema));
}

/** A deep copy whose objects have no prototype, so that inherited properties are not seen. */
function withoutPrototypes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPrototypes);
  if (!isObject(value)) return value;
  const copy: Record<string, unknown> = Object.create(null);
  for (const [key, member] of Object.entries(value)) copy[key] = withoutPrototypes(member);
  return copy;
}
