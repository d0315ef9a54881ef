import { canonicalJson } from '../kernel/canonical-json.ts';
import { isObject } from '../kernel/json.ts';
import { escapePointerToken } from '../kernel/json-pointer.ts';
import { type Definitions, findErrors, type RawError, type SafeSchema, test } from './validator.ts';
import type { SafePattern, WorkBudget } from './work-budget.ts';

/** What a value of one subschema costs: `own` once, and so much more for each item or property of it. */
export interface Cost {
  readonly own: number;
  readonly perItem: number;
  readonly perKey: number;
}

/** What is wrong with a value, said by one of our own keywords: a sentence, a property nobody knows, or errors further in. */
export type Complaint =
  | { readonly expected: string }
  | { readonly knownProperties: readonly string[] }
  | { readonly errors: readonly RawError[] };

/** The schema, after paying for it: nothing of it runs once the budget is spent. */
export function metered(schema: SafeSchema, cost: Cost, budget: WorkBudget): SafeSchema {
  const pay = (value: unknown) => {
    budget.spend(cost.own + countOf(value, cost));
    return true;
  };
  return { allOf: [own(pay, () => ({ expected: '' })), schema] };
}

/** `uniqueItems`, in time that grows with the items and not with their pairs. */
export function uniqueItems(budget: WorkBudget): SafeSchema {
  const isUnique = (value: unknown) => {
    if (!Array.isArray(value)) return true;
    const seen = new Set<string>();
    for (const item of value) {
      const text = canonicalJson(item);
      budget.spend(1 + text.length / 8);
      if (seen.has(text)) return false;
      seen.add(text);
    }
    return true;
  };
  return own(isUnique, () => ({ expected: 'no two equal items' }));
}

/** `additionalProperties: false`, which can tell what there is instead. */
export function unknownProperty(knownProperties: readonly string[]): SafeSchema {
  return own(
    () => false,
    () => ({ knownProperties }),
  );
}

export interface PatternRules {
  readonly patterns: readonly { readonly pattern: SafePattern; readonly schema: SafeSchema }[];
  /** For properties that neither a pattern nor a name covers. */
  readonly additional: SafeSchema;
  readonly knownProperties: readonly string[];
}

/** `patternProperties` with `additionalProperties`; the validator's own would run the patterns on the engine that can be stalled. */
export function patternProperties(rules: PatternRules, definitions: Definitions, budget: WorkBudget): SafeSchema {
  const known = new Set(rules.knownProperties);

  function* wrong(value: unknown): Generator<readonly [string, unknown, SafeSchema]> {
    if (!isObject(value)) return;
    for (const key of Object.keys(value)) {
      const matching = rules.patterns.filter(({ pattern }) => pattern.test(key)).map(({ schema }) => schema);
      const schemas = matching.length === 0 && !known.has(key) ? [rules.additional] : matching;
      for (const schema of schemas) if (!isValid(schema, value[key])) yield [key, value[key], schema];
    }
  }

  function isValid(schema: SafeSchema, value: unknown): boolean {
    return typeof schema === 'boolean' ? schema : test(definitions, String(schema.$ref), value);
  }

  function errorsOf(schema: SafeSchema, value: unknown): readonly RawError[] {
    if (typeof schema === 'object') return findErrors(definitions, String(schema.$ref), value);
    const params = { message: { knownProperties: rules.knownProperties } };
    return [{ keyword: '~refine', schemaPath: '', instancePath: '', params }];
  }

  function collectErrors(value: unknown): readonly RawError[] {
    const errors: RawError[] = [];
    for (const [key, member, schema] of wrong(value)) {
      for (const error of errorsOf(schema, member))
        errors.push({ ...error, instancePath: `/${escapePointerToken(key)}${error.instancePath}` });
      if (errors.length >= 20) return errors;
    }
    return errors;
  }

  return own(
    (value) => budget.slowly(() => wrong(value).next().done === true),
    (value) => ({ errors: budget.slowly(() => collectErrors(value)) }),
  );
}

/** The validator's hook for keywords of one's own. It passes on whatever `error` returns. */
function own(check: (value: unknown) => boolean, error: (value: unknown) => Complaint): SafeSchema {
  return { '~refine': [{ check, error }] };
}

function countOf(value: unknown, { perItem, perKey }: Cost): number {
  if (perItem > 0 && Array.isArray(value)) return value.length * perItem;
  return perKey > 0 && isObject(value) ? Object.keys(value).length * perKey : 0;
}
