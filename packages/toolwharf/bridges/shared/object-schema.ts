import { isObject, type JsonSchema } from '../../../contract/json.ts';
import { canonicalJson } from '../../kernel/canonical-json.ts';
import { InexpressibleError } from './inexpressible.ts';
import { mapSubschemas } from './map-subschemas.ts';
import { hasType } from './modern-schema.ts';

export interface ObjectSchema {
  readonly schema: JsonSchema;
  /** Constraints that the schema no longer expresses, for the description. */
  readonly note?: string;
}

/**
 * Converts the top level to a plain object, without the combinators that OpenAI and Anthropic reject there. `allOf` is
 * merged. For `anyOf` and `oneOf` all properties are offered, those required in every branch stay required, and the note
 * states the constraint. An argument that the original does not require is never required.
 */
export function toObjectSchema(schema: JsonSchema): ObjectSchema {
  const definitions = isObject(schema.$defs) ? schema.$defs : {};
  if (!combinators.some((keyword) => keyword in schema)) {
    if (!mayBeObject(schema)) throw new InexpressibleError(`its input is ${describeType(schema)}, not an object`);
    return { schema: { ...schema, type: 'object', properties: schema.properties ?? {} } };
  }
  const flat = flatten(schema, { definitions, left: maxParts }, new Set());
  if (flat === undefined) throw new InexpressibleError('its input can never be an object');
  const merged = {
    ...Object.fromEntries(Object.entries(flat.rest).filter(([keyword]) => !flattened.has(keyword))),
    type: 'object',
    properties: Object.fromEntries(flat.properties),
    ...(flat.required.size > 0 && { required: [...flat.required] }),
  };
  return {
    schema: withUsedDefinitions(merged, definitions),
    ...(flat.isLoosened && { note: noteFor(schema, definitions) }),
  };
}

const branchKeywords = ['anyOf', 'oneOf', 'if', 'then', 'else', 'not', 'enum', 'const'];
const combinators = ['$ref', 'allOf', ...branchKeywords];
const flattened = new Set(['$defs', 'properties', 'required', 'type', ...combinators]);
const maxNoteLength = 1500;
const maxNoteReferences = 50;
const maxParts = 500;

interface Flat {
  readonly properties: Map<string, unknown>;
  readonly required: Set<string>;
  /** The other keywords; those of the outer schema win. */
  readonly rest: JsonSchema;
  /** True if the original has a constraint that this form does not express. */
  readonly isLoosened: boolean;
}

interface Work {
  readonly definitions: JsonSchema;
  /** How many more schemas may be visited: definitions that use each other several times grow exponentially. */
  left: number;
}

/** Undefined if no object can match. */
function flatten(schema: JsonSchema, work: Work, open: ReadonlySet<string>): Flat | undefined {
  if (--work.left < 0) throw new InexpressibleError('its input schema combines too many others');
  if (!mayBeObject(schema)) return undefined;
  const parts = partsOf(schema, work, open);
  if (parts.some((part) => part === undefined)) return undefined;
  const own: Flat = {
    properties: new Map(isObject(schema.properties) ? Object.entries(schema.properties) : []),
    required: new Set(Array.isArray(schema.required) ? schema.required : []),
    rest: schema,
    isLoosened: branchKeywords.some((keyword) => keyword in schema),
  };
  return parts.filter((part) => part !== undefined).reduce(both, own);
}

/** The schemas that must match besides the schema's own keywords. */
function partsOf(schema: JsonSchema, work: Work, open: ReadonlySet<string>): (Flat | undefined)[] {
  const within = (member: unknown, names = open) => (isObject(member) ? flatten(member, work, names) : unconstrained);
  const parts = (Array.isArray(schema.allOf) ? schema.allOf : []).map((member) => within(member));
  if (typeof schema.$ref === 'string' && !open.has(schema.$ref))
    parts.push(within(definitionOf(schema.$ref, work.definitions), new Set([...open, schema.$ref])));
  for (const branches of [schema.anyOf, schema.oneOf])
    if (Array.isArray(branches)) parts.push(anyOf(branches.map((branch) => within(branch))));
  const conditional = [schema.then, schema.else].filter(isObject).map((branch) => within(branch));
  if (conditional.length > 0) parts.push(anyOf([...conditional, unconstrained]));
  return parts;
}

const unconstrained: Flat = { properties: new Map(), required: new Set(), rest: {}, isLoosened: false };

function both(one: Flat, other: Flat): Flat {
  const properties = new Map(one.properties);
  let narrowed = false;
  for (const [name, schema] of other.properties) {
    const known = properties.get(name);
    if (known === undefined) properties.set(name, schema);
    else if (other.isLoosened) narrowed = true;
    else properties.set(name, same(known, schema) ? known : { allOf: [known, schema] });
  }
  return {
    properties,
    required: new Set([...one.required, ...other.required]),
    rest: { ...other.rest, ...one.rest },
    isLoosened: one.isLoosened || other.isLoosened || narrowed,
  };
}

function anyOf(branches: readonly (Flat | undefined)[]): Flat | undefined {
  const possible = branches.filter((branch) => branch !== undefined);
  const [first, ...others] = possible;
  if (first === undefined) return undefined;
  const alternatives = new Map<string, Map<string, unknown>>();
  for (const branch of possible)
    for (const [name, schema] of branch.properties) {
      const known = alternatives.get(name) ?? new Map();
      alternatives.set(name, known.set(canonicalJson(schema), schema));
    }
  const union = (schemas: unknown[]) => (schemas.length > 1 ? { anyOf: schemas } : schemas[0]);
  return {
    properties: new Map([...alternatives].map(([name, schemas]) => [name, union([...schemas.values()])])),
    required: new Set([...first.required].filter((name) => others.every((branch) => branch.required.has(name)))),
    rest: {},
    isLoosened: true,
  };
}

function mayBeObject(schema: JsonSchema): boolean {
  return schema.type === undefined || hasType(schema, 'object');
}

function describeType(schema: JsonSchema): string {
  return Array.isArray(schema.type)
    ? schema.type.filter((type) => typeof type === 'string').join(' or ')
    : `of type ${typeof schema.type === 'string' ? schema.type : JSON.stringify(schema.type)}`;
}

function same(one: unknown, other: unknown): boolean {
  return canonicalJson(one) === canonicalJson(other);
}

function noteFor(schema: JsonSchema, definitions: JsonSchema): string {
  const entries = Object.entries(schema).filter(([keyword]) => combinators.includes(keyword));
  // Inlined, because a model reads the note without the definitions.
  const rule = inlineReferences(Object.fromEntries(entries), definitions, maxNoteReferences);
  const text = rule === undefined ? undefined : JSON.stringify(rule);
  if (text === undefined || text.length > maxNoteLength)
    return 'Only some combinations of these arguments are accepted; the error says what is missing.';
  return `The arguments must also match this JSON Schema: ${text}`;
}

/** The schema that a reference into `$defs` points to. */
function definitionOf(reference: unknown, definitions: JsonSchema): JsonSchema | undefined {
  if (typeof reference !== 'string') return undefined;
  const target = definitions[reference.slice('#/$defs/'.length)];
  return isObject(target) ? target : undefined;
}

/** The schema with the definitions that it uses, directly or indirectly. */
function withUsedDefinitions(schema: JsonSchema, definitions: JsonSchema): JsonSchema {
  const used = new Set<string>();
  const pending: JsonSchema[] = [schema];
  const visit = (subschema: JsonSchema): JsonSchema => {
    if (typeof subschema.$ref === 'string' && !used.has(subschema.$ref)) {
      used.add(subschema.$ref);
      const target = definitionOf(subschema.$ref, definitions);
      if (target) pending.push(target);
    }
    return mapSubschemas(subschema, visit);
  };
  for (const next of pending) visit(next);
  if (used.size === 0) return schema;
  const entries = Object.entries(definitions).filter(([name]) => used.has(`#/$defs/${name}`));
  return { ...schema, $defs: Object.fromEntries(entries) };
}

/** The schema with its references inlined; undefined if they are circular or more than `maxReferences`. */
function inlineReferences(schema: JsonSchema, definitions: JsonSchema, maxReferences: number): JsonSchema | undefined {
  let left = maxReferences;
  const convert = (source: JsonSchema): JsonSchema => {
    const target = definitionOf(source.$ref, definitions);
    if (target === undefined || --left < 0) return mapSubschemas(source, convert);
    const { $ref, ...rest } = source;
    return convert({ ...target, ...rest });
  };
  const inlined = convert(schema);
  return left < 0 ? undefined : inlined;
}
