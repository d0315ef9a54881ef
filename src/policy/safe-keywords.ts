import { canonicalJson } from '../kernel/canonical-json.ts';
import { isObject } from '../kernel/json.ts';
import { escapePointerToken } from '../kernel/json-pointer.ts';
import { type Definitions, findErrors, type RawError, type SafeSchema, test } from './validator.ts';
import type { SafePattern, WorkBudget } from './work-budget.ts';

/** The cost of checking a value against a subschema: `own` once, and more for each item or property. */
export interface Cost {
  readonly own: number;
  readonly perItem: number;
  readonly perKey: number;
}

/** An error of one of our own keywords: a text, an unknown property, or nested errors. */
export type Complaint =
  | { readonly expected: string }
  | { readonly knownProperties: readonly string[] }
  | { readonly errors: readonly RawError[] };

/** Charges the cost of a schema to the budget before it is checked. */
export function metered(schema: SafeSchema, cost: Cost, budget: WorkBudget): SafeSchema {
  const pay = (value: unknown) => {
    budget.spend(cost.own + countOf(value, cost));
    return true;
  };
  return { allOf: [own(pay, () => ({ expected: '' })), schema] };
}

/** `uniqueItems` in linear time. */
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

/** `additionalProperties: false` with a list of the known properties in its error. */
export function unknownProperty(knownProperties: readonly string[]): SafeSchema {
  return own(
    () => false,
    () => ({ knownProperties }),
  );
}

export interface PatternRules {
  readonly patterns: readonly { readonly pattern: SafePattern; readonly schema: SafeSchema }[];
  /** The schema of properties that no pattern and no name covers. */
  readonly additional: SafeSchema;
  readonly knownProperties: readonly string[];
}

/** `patternProperties` with `additionalProperties` on RE2; the validator's own regular expressions could be stalled. */
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

/** A custom keyword of the validator, which passes on the return value of `error`. */
function own(check: (value: unknown) => boolean, error: (value: unknown) => Complaint): SafeSchema {
  return { '~refine': [{ check, error }] };
}

function countOf(value: unknown, { perItem, perKey }: Cost): number {
  if (perItem > 0 && Array.isArray(value)) return value.length * perItem;
  return perKey > 0 && isObject(value) ? Object.keys(value).length * perKey : 0;
}
