import { isObject, type JsonSchema } from '../../../contract/json.ts';
import { InexpressibleError } from './inexpressible.ts';
import { addToDescription, hasType } from './modern-schema.ts';

/**
 * Converts a schema to the subset of JSON Schema that Gemini documents. References are inlined; a circular reference ends
 * at its first repetition. Unsupported constraints are added to the description.
 */
export function toGeminiSchema(schema: JsonSchema): JsonSchema {
  const definitions = isObject(schema.$defs) ? schema.$defs : {};
  let left = maxSteps;
  // Definitions that use each other several times grow exponentially.
  const spend = (steps: number) => {
    left -= steps;
    if (left < 0) throw new InexpressibleError('its input schema is too large with its references inlined');
  };
  const definition = (name: string): unknown => {
    spend(20);
    return definitions[name];
  };
  const convert = (source: JsonSchema, open: ReadonlySet<string>): JsonSchema => {
    spend(1);
    const { schema: whole, open: within, cut } = inline(source, definition, open);
    if (cut !== undefined) return cut;
    return convertKeywords(whole, (subschema) => (isObject(subschema) ? convert(subschema, within) : {}));
  };
  return convert(schema, new Set());
}

const maxSteps = 20_000;
const supportedKeywords = new Set(['description', 'maximum', 'maxItems', 'minimum', 'minItems', 'required', 'type']);
const describedKeywords = new Set([
  'const',
  'contains',
  'default',
  'dependentRequired',
  'dependentSchemas',
  'else',
  'enum',
  'examples',
  'exclusiveMaximum',
  'exclusiveMinimum',
  'format',
  'if',
  'maxLength',
  'maxProperties',
  'minLength',
  'minProperties',
  'multipleOf',
  'not',
  'oneOf',
  'pattern',
  'patternProperties',
  'propertyNames',
  'then',
  'uniqueItems',
]);

type Convert = (subschema: unknown) => JsonSchema;

function convertKeywords(schema: JsonSchema, convert: Convert): JsonSchema {
  const described: [string, unknown][] = [];
  const entries: [string, unknown][] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    const entry = supportedKeywords.has(keyword)
      ? ([keyword, value] as const)
      : convertKeyword(keyword, value, schema, convert);
    if (entry !== undefined) entries.push([...entry]);
    else if (describedKeywords.has(keyword)) described.push([keyword, value]);
  }
  return addToDescription(Object.fromEntries(entries), described);
}

/** Undefined if Gemini has no such keyword. */
function convertKeyword(keyword: string, value: unknown, schema: JsonSchema, convert: Convert) {
  switch (keyword) {
    case 'properties':
      return isObject(value)
        ? ([
            keyword,
            Object.fromEntries(Object.entries(value).map(([name, member]) => [name, convert(member)])),
          ] as const)
        : undefined;
    case 'items':
      return [keyword, convert(value)] as const;
    case 'additionalProperties':
      return [keyword, typeof value === 'boolean' ? value : convert(value)] as const;
    case 'anyOf':
    case 'oneOf':
      // Gemini has one kind of union: with both keywords, `anyOf` is kept.
      if (!Array.isArray(value) || (keyword === 'oneOf' && 'anyOf' in schema)) return undefined;
      return ['anyOf', value.map(convert)] as const;
    case 'prefixItems':
      return Array.isArray(value) ? ([keyword, value.map(convert)] as const) : undefined;
    case 'const':
      return isChoice(value) && !('enum' in schema) ? (['enum', [value]] as const) : undefined;
    case 'enum':
      return Array.isArray(value) && value.every(isChoice) ? ([keyword, value] as const) : undefined;
    case 'exclusiveMinimum':
      return isWhole(schema, value) ? (['minimum', Number(value) + 1] as const) : undefined;
    case 'exclusiveMaximum':
      return isWhole(schema, value) ? (['maximum', Number(value) - 1] as const) : undefined;
    default:
      return undefined;
  }
}

function isChoice(value: unknown): boolean {
  return typeof value === 'number' || (typeof value === 'string' && value !== '');
}

function isWhole(schema: JsonSchema, value: unknown): boolean {
  return schema.type === 'integer' && Number.isInteger(value);
}

interface Inlined {
  readonly schema: JsonSchema;
  /** The definitions around this schema. */
  readonly open: ReadonlySet<string>;
  /** Replaces the first repetition of a circular reference. */
  readonly cut?: JsonSchema;
}

/** Merges the schema with the target of its `$ref` and its `allOf`. The outer schema wins. */
function inline(source: JsonSchema, definition: (name: string) => unknown, open: ReadonlySet<string>): Inlined {
  let schema = source;
  let within = open;
  const parts: unknown[] = [];
  if (typeof source.$ref === 'string') {
    const name = source.$ref.slice('#/$defs/'.length);
    const target = definition(name);
    if (open.has(name)) return { schema, open, cut: repeated(name, target) };
    within = new Set([...open, name]);
    parts.push(target);
  }
  if (Array.isArray(source.allOf)) parts.push(...source.allOf);
  for (const part of parts) {
    if (!isObject(part)) continue;
    const inner = inline(part, definition, within);
    if (inner.cut !== undefined) continue;
    within = inner.open;
    schema = merged(schema, inner.schema);
  }
  return { schema, open: within };
}

function repeated(name: string, target: unknown): JsonSchema {
  const type = isObject(target) ? target.type : undefined;
  return {
    ...(type !== undefined && { type }),
    ...(isObject(target) && hasType(target, 'array') && { items: {} }),
    description: `Has the same shape as ${name} around it.`,
  };
}

function merged(outer: JsonSchema, inner: JsonSchema): JsonSchema {
  const list = (value: unknown) => (Array.isArray(value) ? value : []);
  const required = new Set([...list(outer.required), ...list(inner.required)]);
  const members = (value: unknown) => (isObject(value) ? value : {});
  const properties = { ...members(inner.properties), ...members(outer.properties) };
  return {
    ...inner,
    ...outer,
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.size > 0 && { required: [...required] }),
  };
}
