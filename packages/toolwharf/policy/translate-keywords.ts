import { isObject, type JsonObject } from '../../contract/json.ts';
import type { Evaluation, Evaluations } from './evaluated-members.ts';
import { comparableText, exactLimit, exactType, exactValues } from './exact-numbers.ts';
import { measureJson } from './measure-json.ts';
import { patternProperties, unevaluatedMembers, uniqueItems, unknownProperty } from './safe-keywords.ts';
import { assertedFormats, isStringList, isTypeName, numberKeywords } from './schema-keywords.ts';
import type { Definitions, SafeSchema } from './validator.ts';
import type { SafePattern, WorkBudget } from './work-budget.ts';

/** A subschema during its translation: input, output, and functions that translate nested subschemas. */
export interface Draft {
  readonly schema: JsonObject;
  readonly node: Record<string, unknown>;
  /** Further schemas for the same value. */
  readonly all: SafeSchema[];
  readonly cost: { own: number; perItem: number; perKey: number };
  /** Whether a keyword is present; marks it as used. */
  has(keyword: string): boolean;
  /** Records that a keyword is not enforced here, only by the server. */
  drop(keyword: string, why?: string): void;
  /** A subschema for the same value. */
  same(child: unknown, keyword: string): SafeSchema;
  /** A subschema for a value inside this one. */
  inside(child: unknown, keyword: string): SafeSchema;
  /** A subschema for each item or property. */
  each(child: unknown, keyword: string, what: 'perItem' | 'perKey', times?: number): SafeSchema;
  /** A subschema by name, for the same value or for one inside it. */
  named(child: unknown, keyword: string, value: 'same' | 'inside'): SafeSchema;
  refer(reference: string, keyword: string): SafeSchema;
  toPattern(text: unknown, keyword: string): SafePattern | undefined;
  /** Called with each property name in the schema. */
  noteNames(names: readonly string[]): void;
  /** The members of a valid value that this subschema evaluates. */
  readonly evaluated: Evaluation[];
  readonly evaluations: Evaluations;
  readonly keywords: Set<string>;
  readonly definitions: Definitions;
  readonly budget: WorkBudget;
  /** Reads `oneOf` as `anyOf`. */
  readonly isLenient: boolean;
  /** Reads numbers that JavaScript does not have. */
  readonly isExact: boolean;
}

const matchAll: ReadonlySet<string> = new Set(['', '.*', '^.*', '.*$', '^.*$', '^(.*)$']);

/** Translates a subschema keyword by keyword. */
export function translateKeywords(draft: Draft): void {
  translateReferences(draft);
  translateValue(draft);
  translateObject(draft);
  translateArray(draft);
  translateCombined(draft);
  translateUnevaluated(draft);
  if (draft.all.length > 0) draft.node.allOf = draft.all;
}

function translateUnevaluated(draft: Draft): void {
  const { has, schema, named, all, evaluations } = draft;
  const siblings = [...draft.evaluated];
  for (const kind of ['properties', 'items'] as const) {
    const keyword = kind === 'properties' ? 'unevaluatedProperties' : 'unevaluatedItems';
    if (!has(keyword)) continue;
    all.push(unevaluatedMembers(kind, named(schema[keyword], keyword, 'inside'), siblings, evaluations, draft));
    draft.evaluated.push(kind === 'properties' ? evaluations.keys(() => true) : evaluations.indexes(() => true));
  }
}

/** Dynamic references differ from `$ref` only between documents, and there is only one. */
function translateReferences({ schema, has, all, refer, drop, evaluated, evaluations }: Draft): void {
  for (const keyword of ['$ref', '$dynamicRef', '$recursiveRef']) {
    const reference = schema[keyword];
    if (!has(keyword)) continue;
    if (typeof reference !== 'string') {
      drop(keyword);
      continue;
    }
    const target = refer(reference, keyword);
    all.push(target);
    evaluated.push(evaluations.applied(target));
  }
}

function translateValue({ schema, node, all, cost, has, drop, toPattern, isExact, budget }: Draft): void {
  if (has('type')) {
    const types = [schema.type].flat();
    if (types.length === 0 || !types.every(isTypeName)) drop('type', 'names a type that JSON does not have');
    else if (isExact) all.push(exactType(types));
    else node.type = types.length === 1 ? types[0] : types;
  }
  if (has('const')) {
    if (isExact) all.push(exactValues([schema.const]));
    else node.const = schema.const;
    cost.own += sizeOf(schema.const);
  }
  if (has('enum')) {
    if (!Array.isArray(schema.enum)) drop('enum');
    else if (isExact) all.push(exactValues(schema.enum));
    else node.enum = schema.enum;
    cost.own += sizeOf(schema.enum);
  }
  for (const [keyword, isWellFormed] of numberKeywords) {
    const value = schema[keyword];
    if (!has(keyword) || typeof value === 'boolean') continue;
    if (isWellFormed(value)) node[keyword] = value;
    else drop(keyword);
  }
  for (const [exclusive, inclusive] of draft4Bounds) {
    if (schema[exclusive] !== true || node[inclusive] === undefined) continue;
    node[exclusive] = node[inclusive];
    delete node[inclusive];
  }
  if (isExact) {
    for (const [keyword, value] of Object.entries(node)) {
      const limit = exactLimit(keyword, value, budget);
      if (!limit) continue;
      all.push(limit);
      delete node[keyword];
    }
  }
  const format = typeof schema.format === 'string' ? assertedFormats.get(schema.format) : undefined;
  if (format) node.format = format.check;
  const pattern = has('pattern') ? toPattern(schema.pattern, 'pattern') : undefined;
  if (pattern) node.pattern = pattern;
}

const draft4Bounds = [
  ['exclusiveMinimum', 'minimum'],
  ['exclusiveMaximum', 'maximum'],
] as const;

function translateObject(draft: Draft): void {
  const { schema, node, cost, has, drop, same, inside, each, evaluated, evaluations } = draft;
  if (has('required')) {
    if (isStringList(schema.required)) {
      node.required = schema.required;
      cost.own += schema.required.length;
      draft.noteNames(schema.required);
    } else drop('required');
  }
  const properties = has('properties') ? mapMembers(draft, 'properties', inside) : undefined;
  if (properties) node.properties = properties;
  const known = Object.keys(properties ?? {});
  cost.own += known.length;
  const names = new Set(known);
  evaluated.push(evaluations.keys((key) => names.has(key)));
  if (isObject(schema.patternProperties)) translatePatterns(draft, schema.patternProperties, known);
  else if (has('additionalProperties')) {
    cost.perKey += 1 + known.length / 8;
    evaluated.push(evaluations.keys(() => true));
    node.additionalProperties =
      schema.additionalProperties === false
        ? unknownProperty(known)
        : each(schema.additionalProperties, 'additionalProperties', 'perKey');
  }
  if (has('propertyNames')) node.propertyNames = each(schema.propertyNames, 'propertyNames', 'perKey');
  const toNames = (member: unknown) => (isStringList(member) ? member : []);
  const toSchema = (member: unknown, keyword: string) => (Array.isArray(member) ? true : same(member, keyword));
  for (const keyword of ['dependentRequired', 'dependencies'])
    if (has(keyword)) draft.all.push({ dependentRequired: mapMembers(draft, keyword, toNames) ?? {} });
  for (const keyword of ['dependentSchemas', 'dependencies']) {
    if (!has(keyword)) continue;
    const dependentSchemas = mapMembers(draft, keyword, toSchema) ?? {};
    draft.all.push({ dependentSchemas });
    for (const [key, member] of Object.entries(dependentSchemas))
      evaluated.push(evaluations.applied(member, (value) => isObject(value) && Object.hasOwn(value, key)));
  }
}

function translatePatterns(draft: Draft, rules: JsonObject, known: readonly string[]): void {
  const { schema, node, cost, each, named, toPattern, evaluated, evaluations } = draft;
  const members = Object.entries(rules);
  const [only, ...more] = members;
  if (only && more.length === 0 && known.length === 0 && matchAll.has(only[0])) {
    node.additionalProperties = each(only[1], `patternProperties/${only[0]}`, 'perKey');
    evaluated.push(evaluations.keys(() => true));
    return;
  }
  const patterns = members.flatMap(([text, child]) => {
    const pattern = toPattern(text, `patternProperties/${text}`);
    return pattern ? [{ pattern, schema: named(child, `patternProperties/${text}`, 'inside') }] : [];
  });
  // Without the pattern, its properties would count as unknown.
  const isComplete = patterns.length === members.length;
  const additional = isComplete ? named(schema.additionalProperties ?? true, 'additionalProperties', 'inside') : true;
  cost.perKey += 1 + patterns.length;
  draft.all.push(patternProperties({ patterns, additional, knownProperties: known }, evaluations, draft));
  const isEveryKey = !isComplete || schema.additionalProperties !== undefined;
  evaluated.push(evaluations.keys((key) => isEveryKey || patterns.some(({ pattern }) => pattern.test(key))));
}

/** In older drafts, an array under `items` is `prefixItems`, and `additionalItems` is `items`. */
function translateArray(draft: Draft): void {
  const { schema, node, all, has, inside, each, named, budget, evaluated, evaluations, isExact } = draft;
  const tuple = Array.isArray(schema.items) ? schema.items : schema.prefixItems;
  const rest = Array.isArray(schema.items) ? 'additionalItems' : 'items';
  if (Array.isArray(tuple)) node.prefixItems = tuple.map((item, index) => inside(item, `prefixItems/${index}`));
  if (has(rest)) node.items = each(schema[rest], rest, 'perItem');
  const isEveryItem = node.items !== undefined;
  const prefixLength = Array.isArray(tuple) ? tuple.length : 0;
  evaluated.push(evaluations.indexes((index) => isEveryItem || index < prefixLength));
  if (has('contains')) {
    node.contains = each(schema.contains, 'contains', 'perItem', 3);
    const wanted = named(schema.contains, 'contains', 'inside');
    evaluated.push(evaluations.indexes((_, item) => evaluations.isValid(wanted, item)));
  }
  if (schema.uniqueItems === true) all.push(uniqueItems(budget, isExact ? comparableText : undefined));
}

function translateCombined(draft: Draft): void {
  const { schema, node, all, cost, has, drop, same, named, isLenient, evaluated, evaluations } = draft;
  for (const keyword of ['allOf', 'anyOf', 'oneOf']) {
    const branches = schema[keyword];
    if (!has(keyword)) continue;
    if (!Array.isArray(branches) || branches.length === 0) {
      drop(keyword);
      continue;
    }
    const translated = branches.map((branch, index) => same(branch, `${keyword}/${index}`));
    cost.own += branches.length ** 2 / 64;
    for (const branch of translated)
      evaluated.push(
        evaluations.applied(branch, keyword === 'allOf' ? undefined : (value) => evaluations.isValid(branch, value)),
      );
    if (keyword === 'allOf') all.push(...translated);
    else if (keyword === 'oneOf' && isLenient) all.push({ anyOf: translated });
    else node[keyword] = translated;
  }
  if (has('not')) node.not = same(schema.not, 'not');
  if (has('if')) {
    // Expanded, so that errors name the problem in the branch that applies.
    const condition = named(schema.if, 'if', 'same');
    const then = has('then') ? same(schema.then, 'then') : true;
    const otherwise = has('else') ? same(schema.else, 'else') : true;
    all.push({ anyOf: [{ not: condition }, then] }, { anyOf: [condition, otherwise] });
    const holds = (value: unknown) => evaluations.isValid(condition, value);
    evaluated.push(
      evaluations.applied(condition, holds),
      evaluations.applied(then, holds),
      evaluations.applied(otherwise, (value) => !holds(value)),
    );
  }
}

function mapMembers<Member>(
  { schema, drop, noteNames }: Draft,
  keyword: string,
  change: (member: unknown, keyword: string) => Member,
): Record<string, Member> | undefined {
  const members = schema[keyword];
  if (!isObject(members)) {
    drop(keyword);
    return undefined;
  }
  const names = Object.keys(members);
  noteNames(names);
  return Object.fromEntries(names.map((name) => [name, change(members[name], `${keyword}/${name}`)]));
}

function sizeOf(value: unknown): number {
  return measureJson(value, { maxBytes: Number.POSITIVE_INFINITY, maxDepth: 1000 }).bytes / 8;
}
