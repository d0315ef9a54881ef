import { isObject, type JsonSchema } from '../../contract/json.ts';
import { exactly, hasRawNumbers } from '../kernel/exact-json.ts';
import { withPlainNumbers } from './exact-numbers.ts';
import { measureJson } from './measure-json.ts';
import { type Translation, type TranslationLimits, translateSchema, UnusableSchema } from './translate-schema.ts';
import type { WorkBudget } from './work-budget.ts';

export interface SchemaLimits extends TranslationLimits {
  readonly maxSchemaBytes: number;
}

/** The default limits: 256 KiB, 64 levels, 10 000 subschemas, regular expressions of 2 000 characters. */
export const defaultSchemaLimits: SchemaLimits = {
  maxSchemaBytes: 256 * 1024,
  maxSchemaDepth: 64,
  maxSubschemas: 10_000,
  maxPatternLength: 2_000,
};

export type GuardedSchema =
  | { readonly ok: true; readonly translation: Translation }
  | { readonly ok: false; readonly reason: string };

/**
 * Translates an untrusted schema, or explains why it is rejected. A usable schema is bounded, has no external or circular
 * references, and cannot stall the validation. With `hasSymbols`, it is for values with numbers that JavaScript does not have. A schema
 * with such numbers compares all numbers exactly.
 */
export function guardSchema(
  schema: JsonSchema,
  limits: SchemaLimits,
  budget: WorkBudget,
  hasSymbols = false,
): GuardedSchema {
  try {
    if (!isObject(schema)) throw new UnusableSchema('it is not an object');
    refuseSize(schema, limits);
    const exact = withPlainNumbers(exactly(schema));
    const isExact = hasSymbols || hasRawNumbers(exact);
    const strict = translateSchema(exact, { limits, budget, isLenient: false, isExact });
    refuseCircles(strict);
    refuseTogether(strict);
    const isLenient = strict.unenforced.length > 0 && strict.keywords.has('oneOf');
    if (!isLenient) return { ok: true, translation: strict };
    return { ok: true, translation: translateSchema(exact, { limits, budget, isLenient, isExact }) };
  } catch (cause) {
    if (cause instanceof UnusableSchema) return { ok: false, reason: cause.message };
    throw cause;
  }
}

function refuseSize(schema: JsonSchema, { maxSchemaBytes, maxSchemaDepth }: SchemaLimits): void {
  // A subschema takes up to two levels of JSON, and values in `enum` or `default` add their own levels.
  const { exceeded } = measureJson(schema, { maxBytes: maxSchemaBytes, maxDepth: 4 * maxSchemaDepth });
  if (exceeded === 'bytes') throw new UnusableSchema(`it is larger than ${maxSchemaBytes} bytes`);
  if (exceeded === 'depth') throw new UnusableSchema(`it is nested more than ${4 * maxSchemaDepth} deep`);
}

/** Finds a definition that applies itself to the same value, which would never end. Recursion into a nested value does end. */
function refuseCircles({ links, origins }: Translation): void {
  const waitsFor = new Map([...links].map(([name, targets]) => [name, targets.size]));
  const usedBy = new Map<string, string[]>([...links.keys()].map((name) => [name, []]));
  for (const [name, targets] of links) for (const target of targets) usedBy.get(target)?.push(name);
  const settled = [...waitsFor].filter(([, count]) => count === 0).map(([name]) => name);
  for (let name = settled.pop(); name !== undefined; name = settled.pop()) {
    waitsFor.delete(name);
    for (const user of usedBy.get(name) ?? []) {
      const count = (waitsFor.get(user) ?? 0) - 1;
      waitsFor.set(user, count);
      if (count === 0) settled.push(user);
    }
  }
  const circle = findCircle(waitsFor.keys(), links, (name) => waitsFor.has(name));
  if (circle === undefined) return;
  const origin = origins.get(circle) || '#';
  throw new UnusableSchema(`$ref "${origin}" leads back to itself without going into the value`);
}

/** All remaining definitions lead into a cycle: following the links of any of them finds one. */
function findCircle(
  names: Iterable<string>,
  links: Translation['links'],
  isLeft: (name: string) => boolean,
): string | undefined {
  const visited = new Set<string>();
  let [current] = names;
  while (current !== undefined && !visited.has(current)) {
    visited.add(current);
    current = [...(links.get(current) ?? [])].find(isLeft);
  }
  return current;
}

function refuseTogether({ keywords, unenforced }: Translation): void {
  const inverting = ['not', 'if', 'maxContains'].find((keyword) => keywords.has(keyword));
  // Ignoring a keyword inside `not` would reject valid arguments.
  if (unenforced.length > 0 && inverting !== undefined)
    throw new UnusableSchema(`it has ${inverting} together with something that cannot be checked (${unenforced[0]})`);
}
