import { isObject, type JsonObject, type JsonSchema } from '../../kernel/json.ts';
import { parseLocalReference, valueAt } from '../../kernel/json-pointer.ts';

/** Why an operation can't be a tool. */
export class UnusableOperation extends Error {}

/** Copies schemas of one operation out of its document, with everything they refer to. */
export interface SchemaCopier {
  copy(schema: unknown): JsonSchema | boolean;
  /** What the copies refer to, by name, under `#/$defs`. */
  readonly definitions: Readonly<Record<string, JsonSchema | boolean>>;
}

const mostValues = 10_000;
const deepest = 64;
// Of OpenAPI, and nothing to a JSON Schema.
const foreign = new Set(['xml', 'discriminator', 'externalDocs', 'example']);
const mapsOfSchemas = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions']);
const plainData = new Set(['enum', 'const', 'default', 'examples', 'required']);

export function createSchemaCopier(document: JsonObject): SchemaCopier {
  const definitions: Record<string, JsonSchema | boolean> = {};
  const names = new Map<string, string>();
  let count = 0;

  function copySchema(schema: unknown, depth: number): JsonSchema | boolean {
    if (typeof schema === 'boolean') return schema;
    if (!isObject(schema)) return {};
    if (++count > mostValues) throw new UnusableOperation('its schema is too large');
    if (depth > deepest) throw new UnusableOperation('its schema is nested too deeply');
    const { $ref, ...rest } = schema;
    const members = Object.entries(rest).flatMap(([key, value]) =>
      foreign.has(key) || key.startsWith('x-') ? [] : [[key, copyMember(key, value, depth + 1)] as const],
    );
    const copied = withoutReadOnly(Object.fromEntries(members));
    return typeof $ref === 'string' ? { ...copied, $ref: `#/$defs/${nameOf($ref, depth)}` } : copied;
  }

  function copyMember(key: string, value: unknown, depth: number): unknown {
    if (plainData.has(key)) return value;
    if (mapsOfSchemas.has(key) && isObject(value))
      return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, copySchema(member, depth)]));
    if (Array.isArray(value)) return value.map((item) => (isObject(item) ? copySchema(item, depth) : item));
    return isObject(value) ? copySchema(value, depth) : value;
  }

  function nameOf(reference: string, depth: number): string {
    const known = names.get(reference);
    if (known !== undefined) return known;
    const plain = (reference.split('/').at(-1) ?? '').replaceAll(/[^A-Za-z0-9_.-]/g, '_') || 'schema';
    let name = plain;
    for (let number = 2; Object.hasOwn(definitions, name) || name === '__proto__'; number++)
      name = `${plain}_${number}`;
    names.set(reference, name);
    // It may refer to itself.
    definitions[name] = {};
    definitions[name] = copySchema(resolveReference(document, reference), depth + 1);
    return name;
  }

  return { copy: (schema) => copySchema(schema, 0), definitions };
}

/** What stands at a place of the document, through as many references as it takes. */
export function follow(document: JsonObject, value: unknown): unknown {
  let found = value;
  for (let hops = 0; isObject(found) && typeof found.$ref === 'string'; hops++) {
    if (hops > 20) throw new UnusableOperation('its references go round in circles');
    found = resolveReference(document, found.$ref);
  }
  return found;
}

function resolveReference(document: JsonObject, reference: string): unknown {
  const keys = parseLocalReference(reference);
  if (!keys?.length) throw new UnusableOperation(`it refers to another document, ${reference}`);
  const found = valueAt(document, keys);
  if (found === undefined) throw new UnusableOperation(`it refers to ${reference}, which is not there`);
  return found;
}

/** What the API sets by itself is not for the caller to send. */
function withoutReadOnly(schema: JsonSchema): JsonSchema {
  const { properties, required } = schema;
  if (!isObject(properties)) return schema;
  const readOnly = new Set(
    Object.keys(properties).filter((name) => isObject(properties[name]) && properties[name].readOnly === true),
  );
  if (readOnly.size === 0) return schema;
  return {
    ...schema,
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => !readOnly.has(name))),
    ...(Array.isArray(required) && { required: required.filter((name) => !readOnly.has(String(name))) }),
  };
}
