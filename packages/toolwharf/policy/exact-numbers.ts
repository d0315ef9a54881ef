import { isObject, type JsonSchema } from '../../contract/json.ts';
import { canonicalJson } from '../kernel/canonical-json.ts';
import { compareDecimals, isInexact, isMultiple, numberText, toDecimal } from '../kernel/decimal.ts';
import { isRawNumber, parseExactly } from '../kernel/exact-json.ts';
import { customKeyword } from './safe-keywords.ts';
import type { SafeSchema } from './validator.ts';
import type { WorkBudget } from './work-budget.ts';

/**
 * A value for the validator, which has only the numbers of JavaScript: a number with another value becomes a symbol, which its keywords
 * ignore. Those of a schema for exact numbers read it. The same value if it has only numbers of JavaScript.
 */
export function withSymbols(value: unknown): { readonly value: unknown; readonly hasSymbols: boolean } {
  let hasSymbols = false;
  const converted = mapLeaves(value, (leaf) => {
    if (!isRawNumber(leaf)) return leaf;
    if (!isInexact(leaf)) return Number(leaf.rawJSON);
    hasSymbols = true;
    return Symbol(leaf.rawJSON);
  });
  return { value: converted, hasSymbols };
}

/** A schema whose numbers are those of JavaScript, except for those that JavaScript has no value for. */
export function withPlainNumbers(schema: JsonSchema): JsonSchema {
  return mapLeaves(schema, (leaf) =>
    isRawNumber(leaf) && !isInexact(leaf) ? Number(leaf.rawJSON) : leaf,
  ) as JsonSchema;
}

/** The number that a symbol stands for; any other value as it is. */
function toNumber(value: unknown): unknown {
  return typeof value === 'symbol' ? parseExactly(String(value.description)) : value;
}

/** The text of the number that a symbol stands for. */
export function symbolText(value: symbol): string {
  return String(value.description);
}

/** A text that is equal for equal values. */
export function comparableText(value: unknown): string {
  return canonicalJson(mapLeaves(value, toNumber));
}

/** The keyword `type` for exact numbers. */
export function exactType(types: readonly string[]): SafeSchema {
  return customKeyword(
    (value) => types.some((type) => isOfType(type, value)),
    () => ({ expected: types.join(' or ') }),
  );
}

/** The keywords `const` and `enum` for exact numbers. */
export function exactValues(allowed: readonly unknown[]): SafeSchema {
  const texts = new Set(allowed.map(comparableText));
  return customKeyword(
    (value) => texts.has(comparableText(value)),
    () => ({
      expected: [...texts]
        .slice(0, 10)
        .map((text) => text.slice(0, 80))
        .join(' or '),
    }),
  );
}

/** One of the keywords that compare a number with a limit. Undefined for any other keyword. */
export function exactLimit(keyword: string, limit: unknown, budget: WorkBudget): SafeSchema | undefined {
  const compare = comparisons.get(keyword);
  const bound = isNumber(limit) ? toDecimal(limit) : undefined;
  if (!compare || !bound) return undefined;
  const isWithin = (value: unknown) => {
    const number = toNumber(value);
    if (!isNumber(number)) return true;
    budget.spend(workOfComparison);
    const decimal = toDecimal(number);
    return decimal !== undefined && compare.holds(decimal, bound);
  };
  return customKeyword(isWithin, () => ({ expected: `${compare.expected} ${numberText(limit as number)}` }));
}

const workOfComparison = 25;

type Holds = (
  value: NonNullable<ReturnType<typeof toDecimal>>,
  limit: NonNullable<ReturnType<typeof toDecimal>>,
) => boolean;

const comparisons: ReadonlyMap<string, { readonly expected: string; readonly holds: Holds }> = new Map([
  ['minimum', { expected: 'a number >=', holds: (value, limit) => compareDecimals(value, limit) >= 0 }],
  ['maximum', { expected: 'a number <=', holds: (value, limit) => compareDecimals(value, limit) <= 0 }],
  ['exclusiveMinimum', { expected: 'a number >', holds: (value, limit) => compareDecimals(value, limit) > 0 }],
  ['exclusiveMaximum', { expected: 'a number <', holds: (value, limit) => compareDecimals(value, limit) < 0 }],
  ['multipleOf', { expected: 'a multiple of', holds: isMultiple }],
] satisfies [string, { expected: string; holds: Holds }][]);

function isOfType(type: string, value: unknown): boolean {
  switch (type) {
    case 'object':
      return isObject(value);
    case 'array':
      return Array.isArray(value);
    case 'null':
      return value === null;
    case 'number':
      return isNumber(toNumber(value)) && toDecimal(toNumber(value) as number) !== undefined;
    case 'integer': {
      const number = toNumber(value);
      return isNumber(number) && (toDecimal(number)?.exponent ?? -1) >= 0;
    }
    default:
      return typeof value === type;
  }
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' || isRawNumber(value);
}

/** The same value if no leaf changes. */
function mapLeaves(value: unknown, change: (leaf: unknown) => unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => mapLeaves(item, change));
    return items.some((item, at) => item !== value[at]) ? items : value;
  }
  if (!isObject(value) || isRawNumber(value)) return change(value);
  const members = Object.entries(value).map(([name, member]) => [name, mapLeaves(member, change)] as const);
  return members.some(([name, member]) => member !== value[name]) ? Object.fromEntries(members) : value;
}
