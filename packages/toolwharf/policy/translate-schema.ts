import { isObject, type JsonObject, type JsonSchema } from '../../contract/json.ts';
import { decodeFragment, parsePointer, valueAt } from '../kernel/json-pointer.ts';
import { createEvaluations, type Evaluation } from './evaluated-members.ts';
import { metered } from './safe-keywords.ts';
import { type Draft, translateKeywords } from './translate-keywords.ts';
import type { SafeSchema } from './validator.ts';
import { SafePattern, type WorkBudget } from './work-budget.ts';

const rootBase = 'https://schema.invalid/';
/** Keywords whose values are data, not schemas. */
const dataKeywords: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples']);

/** The reason why a schema is rejected. */
export class UnusableSchema extends Error {
  override readonly name = 'UnusableSchema';
}

export interface TranslationLimits {
  readonly maxSchemaDepth: number;
  readonly maxSubschemas: number;
  /** Maximum length of one regular expression; all together can have ten times as many characters. */
  readonly maxPatternLength: number;
}

export interface TranslationOptions {
  readonly limits: TranslationLimits;
  readonly budget: WorkBudget;
  /** Reads `oneOf` as `anyOf`, if branches cannot be distinguished. */
  readonly isLenient: boolean;
  /** Translates for values with numbers that JavaScript does not have; see `withSymbols`. */
  readonly isExact?: boolean;
}

export interface Translation {
  /** The name of the root schema among the definitions. */
  readonly root: string;
  readonly definitions: Readonly<Record<string, SafeSchema>>;
  /** Keywords that only the server enforces, as "path: reason". */
  readonly unenforced: readonly string[];
  readonly keywords: ReadonlySet<string>;
  /** The reference or path where each definition was found. */
  readonly origins: ReadonlyMap<string, string>;
  /** For each definition, the definitions that it applies to the same value. */
  readonly links: ReadonlyMap<string, ReadonlySet<string>>;
  /** The schema names properties that every object inherits, such as `toString`. */
  readonly hasInheritedNames: boolean;
}

interface Place {
  readonly path: string;
  readonly depth: number;
  /** The enclosing definition, if it applies to the same value. */
  readonly definition: string | undefined;
}

interface Part {
  readonly schema: SafeSchema;
  readonly cost: number;
  readonly evaluated?: readonly Evaluation[];
}

const maxPatternSize = 100_000;
/** The cost of following a reference. */
const referenceCost = 8;
const inheritedNames = new Set(Object.getOwnPropertyNames(Object.prototype));
// The validator looks up these two correctly.
for (const name of ['__proto__', 'constructor']) inheritedNames.delete(name);

/**
 * Translates an untrusted schema of drafts 4 to 2020-12 into the keywords of the validator. Resolves references, checks each
 * keyword and charges each loop to the budget. Throws `UnusableSchema`.
 */
export function translateSchema(
  schema: JsonSchema,
  { limits, budget, isLenient, isExact = false }: TranslationOptions,
): Translation {
  const references = createReferences(schema);
  // Before 2019-09, keywords beside a `$ref` were ignored.
  const hidesSiblings = typeof schema.$schema === 'string' && /draft-0[3467]/.test(schema.$schema);
  const definitions: Record<string, SafeSchema> = {};
  const names = new Map<unknown, string>();
  const origins = new Map<string, string>();
  const pending: { readonly name: string; readonly target: unknown }[] = [];
  const links = new Map<string, Set<string>>();
  const evaluations = createEvaluations(definitions, budget);
  const needsEvaluations = JSON.stringify(schema).includes('"unevaluated');
  const unenforced: string[] = [];
  const keywords = new Set<string>();
  const patterns = { length: 0, size: 0 };
  let subschemas = 0;
  let hasInheritedNames = false;

  /** A reference to a subschema, which is translated later so that long chains of references do not nest. */
  function define(target: unknown, path: string): string {
    const known = names.get(target);
    if (known !== undefined) return known;
    const name = `#${names.size}`;
    names.set(target, name);
    links.set(name, new Set());
    origins.set(name, path);
    pending.push({ name, target });
    return name;
  }

  function refer(name: string, { definition }: Place): SafeSchema {
    if (definition !== undefined) links.get(definition)?.add(name);
    return { $ref: name };
  }

  function resolve(reference: string, from: JsonObject): string {
    const found = references.resolve(reference, from);
    const text = reference.slice(0, 200);
    if (!found.ok) throw new UnusableSchema(`$ref "${text}" ${found.reason}`);
    return define(found.target, text);
  }

  function translate(schema: unknown, place: Place): Part {
    if (typeof schema === 'boolean') return { schema, cost: 1 };
    if (!isObject(schema)) {
      unenforced.push(`${place.path}: is not a schema`);
      return { schema: true, cost: 1 };
    }
    if (++subschemas > limits.maxSubschemas)
      throw new UnusableSchema(`it has more than ${limits.maxSubschemas} subschemas`);
    if (place.depth > limits.maxSchemaDepth)
      throw new UnusableSchema(`its subschemas are nested more than ${limits.maxSchemaDepth} deep`);
    if (hidesSiblings && typeof schema.$ref === 'string') {
      const target = refer(resolve(schema.$ref, schema), place);
      return { schema: target, cost: 1, evaluated: [evaluations.applied(target)] };
    }
    const draft = createDraft(schema, place);
    translateKeywords(draft);
    const { node, cost, evaluated } = draft;
    const loops = cost.perItem > 0 || cost.perKey > 0;
    return loops
      ? { schema: metered(node, cost, budget), cost: 1, evaluated }
      : { schema: node, cost: cost.own, evaluated };
  }

  function createDraft(schema: JsonObject, place: Place): Draft {
    const cost = { own: 1, perItem: 0, perKey: 0 };
    const at = (keyword: string, value: 'same' | 'inside'): Place => ({
      path: `${place.path}/${keyword}`,
      depth: place.depth + 1,
      definition: value === 'same' ? place.definition : undefined,
    });
    const child = (target: unknown, childPlace: Place, counter: keyof typeof cost, times = 1) => {
      const part = translate(target, childPlace);
      cost[counter] += part.cost * times;
      return part.schema;
    };
    const named: Draft['named'] = (target, keyword, value) =>
      typeof target === 'boolean' ? target : refer(define(target, at(keyword, value).path), at(keyword, value));
    return {
      schema,
      node: {},
      all: [],
      cost,
      has(keyword) {
        if (!Object.hasOwn(schema, keyword) || schema[keyword] === undefined) return false;
        keywords.add(keyword);
        return true;
      },
      drop: (keyword, why = 'is not well formed') => void unenforced.push(`${place.path}/${keyword}: ${why}`),
      // Evaluations are looked up by the name of a definition.
      same: (target, keyword) =>
        needsEvaluations ? named(target, keyword, 'same') : child(target, at(keyword, 'same'), 'own'),
      inside: (target, keyword) => child(target, at(keyword, 'inside'), 'own'),
      each: (target, keyword, what, times) => child(target, at(keyword, 'inside'), what, times),
      named,
      refer: (reference, keyword) => refer(resolve(reference, schema), at(keyword, 'same')),
      toPattern: (text, keyword) => toPattern(text, at(keyword, 'same').path),
      noteNames(properties) {
        hasInheritedNames ||= properties.some((name) => inheritedNames.has(name));
      },
      evaluated: [],
      evaluations,
      keywords,
      definitions,
      budget,
      isLenient,
      isExact,
    };
  }

  function toPattern(text: unknown, path: string): SafePattern | undefined {
    const bound = limits.maxPatternLength;
    if (typeof text !== 'string') return void unenforced.push(`${path}: is not a regular expression`);
    if (text.length > bound) throw new UnusableSchema(`a regular expression in it is longer than ${bound} characters`);
    patterns.length += text.length;
    if (patterns.length > 10 * bound)
      throw new UnusableSchema(`its regular expressions together are longer than ${10 * bound} characters`);
    const pattern = SafePattern.from(text, budget);
    if (!pattern) return void unenforced.push(`${path}: is a regular expression that cannot be run safely`);
    patterns.size += pattern.size;
    if (patterns.size > maxPatternSize) throw new UnusableSchema('its regular expressions are too big once compiled');
    return pattern;
  }

  const root = define(schema, '');
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const part = translate(next.target, { path: origins.get(next.name) ?? '', depth: 0, definition: next.name });
    evaluations.define(next.name, part.evaluated ?? []);
    definitions[next.name] = metered(part.schema, { own: part.cost + referenceCost, perItem: 0, perKey: 0 }, budget);
  }
  return { root, definitions, unenforced, keywords, origins, links, hasInheritedNames };
}

type Resolved = { readonly ok: true; readonly target: unknown } | { readonly ok: false; readonly reason: string };

/** Indexes every `$id` and anchor of a schema. */
export function createReferences(root: JsonObject): SchemaReferences {
  const bases = new Map<JsonObject, string>();
  const documents = new Map<string, JsonObject>([[rootBase, root]]);
  const anchors = new Map<string, JsonObject>();

  function collect(value: unknown, base: string): void {
    if (Array.isArray(value)) for (const item of value) collect(item, base);
    if (!isObject(value)) return;
    const own = baseOf(value, base);
    bases.set(value, own);
    for (const anchor of [value.$anchor, value.$dynamicAnchor])
      if (typeof anchor === 'string') anchors.set(`${own}#${anchor}`, value);
    for (const [keyword, member] of Object.entries(value)) if (!dataKeywords.has(keyword)) collect(member, own);
  }

  function baseOf(schema: JsonObject, base: string): string {
    const id = schema.$id ?? schema.id;
    if (typeof id !== 'string') return base;
    // Before 2019-09, an `$id` with only a fragment was an anchor.
    if (id.startsWith('#')) {
      anchors.set(`${base}${id}`, schema);
      return base;
    }
    const url = URL.parse(id, base);
    if (!url) return base;
    const own = withoutFragment(url.href);
    documents.set(own, schema);
    return own;
  }

  collect(root, rootBase);

  return {
    resolve(reference, from) {
      const url = URL.parse(reference, bases.get(from) ?? rootBase);
      if (!url) return { ok: false, reason: 'is not a reference that can be followed' };
      const base = withoutFragment(url.href);
      const document = documents.get(base);
      if (!document) return { ok: false, reason: 'points outside the schema, and nothing is fetched' };
      const fragment = decodeFragment(url.hash.slice(1));
      if (fragment === '') return { ok: true, target: document };
      const target = fragment.startsWith('/')
        ? valueAt(document, parsePointer(fragment))
        : anchors.get(`${base}#${fragment}`);
      return target === undefined ? { ok: false, reason: 'points to nothing' } : { ok: true, target };
    },
  };
}

/** Resolves `$ref` inside one schema. External references are never fetched. */
interface SchemaReferences {
  /** `from` is the subschema with the reference: an enclosing `$id` changes the base URI. */
  resolve(reference: string, from: JsonObject): Resolved;
}

function withoutFragment(href: string): string {
  const at = href.indexOf('#');
  return at < 0 ? href : href.slice(0, at);
}
