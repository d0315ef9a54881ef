import { isObject } from '../../contract/json.ts';
import { canonicalJson } from '../kernel/canonical-json.ts';
import { escapePointerToken } from '../kernel/json-pointer.ts';
import type { Evaluation, Evaluations } from './evaluated-members.ts';
import { type Definitions, findErrors, type RawError, type SafeSchema } from './validator.ts';
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
  return { allOf: [customKeyword(pay, () => ({ expected: '' })), schema] };
}

/** `uniqueItems` in linear time. `toText` writes equal values equally. */
export function uniqueItems(budget: WorkBudget, toText: (item: unknown) => string = canonicalJson): SafeSchema {
  const isUnique = (value: unknown) => {
    if (!Array.isArray(value)) return true;
    const seen = new Set<string>();
    for (const item of value) {
      const text = toText(item);
      budget.spend(1 + text.length / 8);
      if (seen.has(text)) return false;
      seen.add(text);
    }
    return true;
  };
  return customKeyword(isUnique, () => ({ expected: 'no two equal items' }));
}

/** `additionalProperties: false` with a list of the known properties in its error. */
export function unknownProperty(knownProperties: readonly string[]): SafeSchema {
  return customKeyword(
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
export function patternProperties(rules: PatternRules, { isValid }: Evaluations, context: MemberContext): SafeSchema {
  const known = new Set(rules.knownProperties);

  function* findInvalid(value: unknown): Generator<InvalidMember> {
    if (!isObject(value)) return;
    for (const key of Object.keys(value)) {
      const matching = rules.patterns.filter(({ pattern }) => pattern.test(key)).map(({ schema }) => schema);
      const schemas = matching.length === 0 && !known.has(key) ? [rules.additional] : matching;
      for (const schema of schemas) if (!isValid(schema, value[key])) yield [key, value[key], schema];
    }
  }

  return membersKeyword(findInvalid, { knownProperties: rules.knownProperties }, context);
}

/**
 * `unevaluatedProperties` and `unevaluatedItems` by the standard. The validator applies the former to arrays too, and counts
 * members of members as evaluated.
 */
export function unevaluatedMembers(
  kind: 'properties' | 'items',
  schema: SafeSchema,
  siblings: readonly Evaluation[],
  { isValid, evaluate }: Evaluations,
  context: MemberContext,
): SafeSchema {
  function* findInvalid(value: unknown): Generator<InvalidMember> {
    if (kind === 'properties' ? !isObject(value) : !Array.isArray(value)) return;
    const { keys, indexes } = evaluate(siblings, value);
    for (const [key, member] of Object.entries(value as object)) {
      context.budget.spend(1);
      if (kind === 'properties' ? keys.has(key) : indexes.has(Number(key))) continue;
      if (!isValid(schema, member)) yield [key, member, schema];
    }
  }

  return membersKeyword(
    findInvalid,
    { expected: kind === 'properties' ? 'no such property' : 'no such item' },
    context,
  );
}

/** The key, the value and the schema of a property or item that is invalid. */
type InvalidMember = readonly [string, unknown, SafeSchema];

export interface MemberContext {
  readonly definitions: Definitions;
  readonly budget: WorkBudget;
}

/** A keyword for the members of a value, with their errors. `forbidden` is the error of a member whose schema is `false`. */
function membersKeyword(
  findInvalid: (value: unknown) => Generator<InvalidMember>,
  forbidden: Complaint,
  { definitions, budget }: MemberContext,
): SafeSchema {
  function errorsOf(schema: SafeSchema, value: unknown): readonly RawError[] {
    if (typeof schema === 'object') return findErrors(definitions, String(schema.$ref), value);
    return [{ keyword: '~refine', schemaPath: '', instancePath: '', params: { message: forbidden } }];
  }

  function collectErrors(value: unknown): readonly RawError[] {
    const errors: RawError[] = [];
    for (const [key, member, schema] of findInvalid(value)) {
      for (const error of errorsOf(schema, member))
        errors.push({ ...error, instancePath: `/${escapePointerToken(key)}${error.instancePath}` });
      if (errors.length >= 20) return errors;
    }
    return errors;
  }

  return customKeyword(
    (value) => budget.slowly(() => findInvalid(value).next().done === true),
    (value) => ({ errors: budget.slowly(() => collectErrors(value)) }),
  );
}

/** A custom keyword of the validator, which passes on the return value of `error`. */
export function customKeyword(check: (value: unknown) => boolean, error: (value: unknown) => Complaint): SafeSchema {
  return { '~refine': [{ check, error }] };
}

function countOf(value: unknown, { perItem, perKey }: Cost): number {
  if (perItem > 0 && Array.isArray(value)) return value.length * perItem;
  return perKey > 0 && isObject(value) ? Object.keys(value).length * perKey : 0;
}
