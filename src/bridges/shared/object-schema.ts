import { canonicalJson } from '../../kernel/canonical-json.ts';
import { isObject, type JsonSchema } from '../../kernel/json.ts';
import { definitionOf, withUsedDefinitions, writeOut } from './definitions.ts';
import { Inexpressible } from './inexpressible.ts';
import { hasType } from './modern-schema.ts';

export interface ObjectSchema {
  readonly schema: JsonSchema;
  /** What the model has to be told because the schema can no longer say it. */
  readonly note?: string;
}

/**
 * The schema as a plain object at the top, without the combinators that OpenAI and Anthropic refuse there.
 * `allOf` is merged. For `anyOf` and `oneOf` all properties are offered, those required in every branch stay required,
 * and the note carries the rule itself. No argument is demanded that the original does not demand.
 */
export function toObjectSchema(schema: JsonSchema): ObjectSchema {
  const definitions = isObject(schema.$defs) ? schema.$defs : {};
  if (!combinators.some((keyword) => keyword in schema)) {
    if (!mayBeObject(schema)) throw new Inexpressible(`its input is ${describeType(schema)}, not an object`);
    return { schema: { ...schema, type: 'object', properties: schema.properties ?? {} } };
  }
  const flat = flatten(schema, { definitions, left: maxParts }, new Set());
  if (flat === undefined) throw new Inexpressible('its input can never be an object');
  const merged = {
    ...Object.fromEntries(Object.entries(flat.rest).filter(([keyword]) => !flattened.has(keyword))),
    type: 'object',
    properties: Object.fromEntries(flat.properties),
    ...(flat.required.size > 0 && { required: [...flat.required] }),
  };
  return {
    schema: withUsedDefinitions(merged, definitions),
    ...(flat.loosened && { note: noteFor(schema, definitions) }),
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
  /** The other keywords, the outermost schema's first. */
  readonly rest: JsonSchema;
  /** True once something the original demands is no longer demanded. */
  readonly loosened: boolean;
}

interface Work {
  readonly definitions: JsonSchema;
  /** How many more schemas may be looked at: definitions that use each other several times double at each step. */
  left: number;
}

/** Undefined where no object can match. */
function flatten(schema: JsonSchema, work: Work, open: ReadonlySet<string>): Flat | undefined {
  if (--work.left < 0) throw new Inexpressible('its input schema combines too many others');
  if (!mayBeObject(schema)) return undefined;
  const parts = partsOf(schema, work, open);
  if (parts.some((part) => part === undefined)) return undefined;
  const own: Flat = {
    properties: new Map(isObject(schema.properties) ? Object.entries(schema.properties) : []),
    required: new Set(Array.isArray(schema.required) ? schema.required : []),
    rest: schema,
    loosened: branchKeywords.some((keyword) => keyword in schema),
  };
  return parts.filter((part) => part !== undefined).reduce(both, own);
}

/** What must hold besides the schema's own keywords. */
function partsOf(schema: JsonSchema, work: Work, open: ReadonlySet<string>): (Flat | undefined)[] {
  const within = (member: unknown, names = open) => (isObject(member) ? flatten(member, work, names) : nothingDemanded);
  const parts = (Array.isArray(schema.allOf) ? schema.allOf : []).map((member) => within(member));
  if (typeof schema.$ref === 'string' && !open.has(schema.$ref))
    parts.push(within(definitionOf(schema.$ref, work.definitions), new Set([...open, schema.$ref])));
  for (const branches of [schema.anyOf, schema.oneOf])
    if (Array.isArray(branches)) parts.push(anyOf(branches.map((branch) => within(branch))));
  const conditional = [schema.then, schema.else].filter(isObject).map((branch) => within(branch));
  if (conditional.length > 0) parts.push(anyOf([...conditional, nothingDemanded]));
  return parts;
}

const nothingDemanded: Flat = { properties: new Map(), required: new Set(), rest: {}, loosened: false };

function both(one: Flat, other: Flat): Flat {
  const properties = new Map(one.properties);
  let narrowed = false;
  for (const [name, schema] of other.properties) {
    const known = properties.get(name);
    if (known === undefined) properties.set(name, schema);
    else if (other.loosened) narrowed = true;
    else properties.set(name, same(known, schema) ? known : { allOf: [known, schema] });
  }
  return {
    properties,
    required: new Set([...one.required, ...other.required]),
    rest: { ...other.rest, ...one.rest },
    loosened: one.loosened || other.loosened || narrowed,
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
    loosened: true,
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
  // Written out, because a model reads the note without the definitions.
  const rule = writeOut(Object.fromEntries(entries), definitions, maxNoteReferences);
  const text = rule === undefined ? undefined : JSON.stringify(rule);
  if (text === undefined || text.length > maxNoteLength)
    return 'Only some combinations of these arguments are accepted; the error says what is missing.';
  return `The arguments must also match this JSON Schema: ${text}`;
}
