import { isObject, type JsonSchema } from '../../../contract/json.ts';
import { parseLocalReference, valueAt } from '../../kernel/json-pointer.ts';
import { InexpressibleError } from './inexpressible.ts';
import { listKeywords, mapKeywords, schemaKeywords } from './map-subschemas.ts';

/**
 * Converts a schema to valid JSON Schema 2020-12, which providers require: older drafts are translated, keywords with an
 * invalid value are dropped, and each `$ref` points into `$defs`.
 */
export function toModernSchema(root: JsonSchema): JsonSchema {
  const references = createReferences(root);
  const schema = modernise(root, references.to);
  const definitions = references.definitions((target) => modernise(target, references.to));
  return definitions.length === 0 ? schema : { ...schema, $defs: Object.fromEntries(definitions) };
}

/** True if the schema allows this type explicitly. */
export function hasType(schema: JsonSchema, name: string): boolean {
  return schema.type === name || (Array.isArray(schema.type) && schema.type.includes(name));
}

/** Adds constraints that the schema cannot express as keywords to its description, so that the model knows them. */
export function addToDescription(schema: JsonSchema, rules: readonly (readonly [keyword: string, value: unknown])[]) {
  const text = rules.map(([keyword, value]) => `${keyword}: ${toText(value)}`).join('; ');
  if (text === '') return schema;
  const { description } = schema;
  return { ...schema, description: typeof description === 'string' ? `${description} (${text})` : `(${text})` };
}

type RewriteReference = (reference: string) => string;

function modernise(value: unknown, rewriteReference: RewriteReference): JsonSchema {
  if (value === false) return { not: {} };
  if (!isObject(value)) return {};
  const schema = toCurrentKeywords(value);
  const described: [string, unknown][] = [];
  const entries: [string, unknown][] = [];
  for (const [keyword, member] of Object.entries(schema)) {
    if (member === undefined || removedKeywords.has(keyword)) continue;
    if (referenceKeywords.has(keyword)) {
      if (typeof member === 'string') entries.push(['$ref', rewriteReference(member)]);
    } else if (keyword === 'pattern' && typeof member === 'string' && !isPattern(member)) {
      described.push([keyword, member]);
    } else {
      const converted = convertValue(keyword, member, rewriteReference);
      if (converted !== undefined) entries.push([keyword, converted]);
    }
  }
  const modern = Object.fromEntries(entries);
  // OpenAI and Gemini reject an array without `items`.
  const complete = hasType(modern, 'array') && modern.items === undefined ? { ...modern, items: {} } : modern;
  return addToDescription(complete, described);
}

const removedKeywords = new Set([
  '$anchor',
  '$comment',
  '$defs',
  '$dynamicAnchor',
  '$id',
  '$recursiveAnchor',
  '$schema',
  '$vocabulary',
  'definitions',
]);
const referenceKeywords = new Set(['$ref', '$dynamicRef', '$recursiveRef']);
const types = new Set(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']);
const mayBeBoolean = new Set(['additionalProperties', 'unevaluatedItems', 'unevaluatedProperties']);

const isNumber = (value: unknown) => typeof value === 'number';
const isCount = (value: unknown) => Number.isInteger(value) && Number(value) >= 0;
const isText = (value: unknown) => typeof value === 'string';
const isFlag = (value: unknown) => typeof value === 'boolean';
const isList = (value: unknown) => Array.isArray(value);

const isValidValue: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ['contentEncoding', isText],
  ['contentMediaType', isText],
  ['deprecated', isFlag],
  ['description', isText],
  ['enum', (value) => Array.isArray(value) && value.length > 0],
  ['examples', isList],
  ['exclusiveMaximum', isNumber],
  ['exclusiveMinimum', isNumber],
  ['format', isText],
  ['maxContains', isCount],
  ['maximum', isNumber],
  ['maxItems', isCount],
  ['maxLength', isCount],
  ['maxProperties', isCount],
  ['minContains', isCount],
  ['minimum', isNumber],
  ['minItems', isCount],
  ['minLength', isCount],
  ['minProperties', isCount],
  ['multipleOf', (value) => typeof value === 'number' && value > 0],
  ['pattern', isText],
  ['readOnly', isFlag],
  ['title', isText],
  ['uniqueItems', isFlag],
  ['writeOnly', isFlag],
]);

/** The converted value; undefined if the keyword has to be dropped. */
function convertValue(keyword: string, value: unknown, rewriteReference: RewriteReference): unknown {
  if (keyword === 'type') return toType(value);
  if (keyword === 'required') return toNames(value);
  if (keyword === 'dependentRequired') return toNameLists(value);
  if (schemaKeywords.has(keyword))
    return typeof value === 'boolean' && mayBeBoolean.has(keyword) ? value : modernise(value, rewriteReference);
  if (listKeywords.has(keyword)) return toBranches(keyword, value, rewriteReference);
  if (mapKeywords.has(keyword)) {
    if (!isObject(value)) return undefined;
    const members = Object.entries(value).filter(([name]) => keyword !== 'patternProperties' || isPattern(name));
    return Object.fromEntries(members.map(([name, member]) => [name, modernise(member, rewriteReference)]));
  }
  return (isValidValue.get(keyword) ?? (() => true))(value) ? value : undefined;
}

function toType(value: unknown): unknown {
  if (!Array.isArray(value)) return types.has(value as string) ? value : undefined;
  const known = [...new Set(value)].filter((name) => types.has(name));
  // An unknown type may mean anything, so the whole list is dropped.
  return known.length > 0 && known.length === new Set(value).size ? known : undefined;
}

function toNames(value: unknown): string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return [...new Set(value)].filter((name): name is string => typeof name === 'string');
}

function toNameLists(value: unknown): JsonSchema | undefined {
  if (!isObject(value)) return undefined;
  const lists = Object.entries(value).map(([name, list]) => [name, toNames(list)] as const);
  return Object.fromEntries(lists.filter(([, list]) => list !== undefined));
}

function toBranches(keyword: string, value: unknown, rewriteReference: RewriteReference): JsonSchema[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const branches = value.map((branch) => modernise(branch, rewriteReference));
  if (keyword !== 'anyOf' && keyword !== 'oneOf') return branches;
  const possible = branches.filter((branch) => !isNever(branch));
  return possible.length > 0 ? possible : branches;
}

// Generators write `{ not: {} }` for "undefined", which JSON does not have.
function isNever(schema: JsonSchema): boolean {
  return Object.keys(schema).length === 1 && isObject(schema.not) && Object.keys(schema.not).length === 0;
}

function isPattern(text: string): boolean {
  try {
    new RegExp(text, 'u');
    return true;
  } catch {
    return false;
  }
}

/** Translates keywords of drafts 3 to 2019-09 to draft 2020-12. */
function toCurrentKeywords(schema: JsonSchema): JsonSchema {
  return fromRequiredFlags(fromDependencies(fromTuple(fromExclusiveFlags(schema))));
}

function fromExclusiveFlags(schema: JsonSchema): JsonSchema {
  const current: Record<string, unknown> = { ...schema };
  for (const [flag, bound] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (typeof current[flag] !== 'boolean') continue;
    if (current[flag] && typeof current[bound] === 'number') {
      current[flag] = current[bound];
      delete current[bound];
    } else delete current[flag];
  }
  return current;
}

function fromTuple(schema: JsonSchema): JsonSchema {
  const { items, additionalItems, ...rest } = schema;
  if (!Array.isArray(items)) return schema.additionalItems === undefined ? schema : { ...rest, items };
  const tuple = { ...rest, prefixItems: items };
  if (additionalItems !== false) return { ...tuple, items: additionalItems };
  // As a length, because in older drafts `items: false` means "no items at all".
  const { maxItems } = schema;
  return { ...tuple, maxItems: typeof maxItems === 'number' ? Math.min(maxItems, items.length) : items.length };
}

function fromDependencies(schema: JsonSchema): JsonSchema {
  const { dependencies, ...rest } = schema;
  if (!isObject(dependencies)) return rest;
  const entries = Object.entries(dependencies);
  const names = entries.filter(([, value]) => Array.isArray(value));
  const schemas = entries.filter(([, value]) => isObject(value));
  return {
    ...(names.length > 0 && { dependentRequired: Object.fromEntries(names) }),
    ...(schemas.length > 0 && { dependentSchemas: Object.fromEntries(schemas) }),
    ...rest,
  };
}

function fromRequiredFlags(schema: JsonSchema): JsonSchema {
  if (!isObject(schema.properties)) return schema;
  const flagged = Object.entries(schema.properties)
    .filter(([, member]) => isObject(member) && member.required === true)
    .map(([name]) => name);
  if (flagged.length === 0) return schema;
  return { ...schema, required: [...(Array.isArray(schema.required) ? schema.required : []), ...flagged] };
}

interface References {
  /** The `$ref` that replaces this one. Throws `InexpressibleError` if the schema does not contain the target. */
  to(reference: string): string;
  /** The targets of all references so far, direct and indirect, by their names in `$defs`. */
  definitions(read: (target: unknown) => JsonSchema): [name: string, schema: JsonSchema][];
}

/** Assigns a name in `$defs` to each target of a reference in `root`. */
function createReferences(root: JsonSchema): References {
  const names = new Map<string, string>();
  const used = new Map<string, number>();
  const targets: [name: string, target: unknown][] = [];
  return {
    to(reference) {
      const known = names.get(reference);
      if (known !== undefined) return `#/$defs/${known}`;
      const target = lookUp(root, reference);
      const name = unusedName(reference, used);
      names.set(reference, name);
      targets.push([name, target]);
      return `#/$defs/${name}`;
    },
    definitions(read) {
      const done: [string, JsonSchema][] = [];
      // Reading one may add more. A loop, because chains of references can be long and circular.
      for (const [name, target] of targets) done.push([name, read(target)]);
      return done;
    },
  };
}

function lookUp(root: JsonSchema, reference: string): unknown {
  const keys = parseLocalReference(reference);
  const target = keys && valueAt(root, keys);
  if (isObject(target) || typeof target === 'boolean') return target;
  throw new InexpressibleError(`its input schema refers to ${reference}, which it does not contain`);
}

function unusedName(reference: string, used: Map<string, number>): string {
  const last = parseLocalReference(reference)?.at(-1) ?? 'root';
  const base = last.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 48);
  let count = used.get(base) ?? 0;
  let name: string;
  do {
    count++;
    name = count === 1 ? base : `${base}_${count}`;
  } while (count > 1 && used.has(name));
  used.set(base, count);
  if (name !== base) used.set(name, 1);
  return name;
}

function toText(value: unknown): string {
  const text = typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
  return text.length <= 300 ? text : `${text.slice(0, 300)}…`;
}
