import { isObject, type JsonObject, type JsonSchema } from '../../../contract/json.ts';
import { isRawNumber } from '../../kernel/exact-json.ts';
import { parseLocalReference, valueAt } from '../../kernel/json-pointer.ts';

/** Thrown for an operation that cannot become a tool, with the reason. */
export class UnusableOperation extends Error {}

/** Copies the schemas of one operation from its document, with all definitions they refer to. */
export interface SchemaCopier {
  copy(schema: unknown): JsonSchema | boolean;
  /** The referenced definitions by name, for `#/$defs`. */
  readonly definitions: Readonly<Record<string, JsonSchema | boolean>>;
}

const maxSchemas = 10_000;
const maxDepth = 64;
// Keywords of OpenAPI that JSON Schema does not have.
const openApiKeywords = new Set(['xml', 'discriminator', 'externalDocs', 'example']);
const schemaMaps = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions']);
const dataKeywords = new Set(['enum', 'const', 'default', 'examples', 'required']);

export function createSchemaCopier(document: JsonObject): SchemaCopier {
  const definitions: Record<string, JsonSchema | boolean> = {};
  const names = new Map<string, string>();
  let count = 0;

  function copySchema(schema: unknown, depth: number): JsonSchema | boolean {
    if (typeof schema === 'boolean') return schema;
    if (!isObject(schema)) return {};
    if (++count > maxSchemas) throw new UnusableOperation('its schema is too large');
    if (depth > maxDepth) throw new UnusableOperation('its schema is nested too deeply');
    const { $ref, ...rest } = schema;
    const members = Object.entries(rest).flatMap(([key, value]) =>
      openApiKeywords.has(key) || key.startsWith('x-') ? [] : [[key, copyMember(key, value, depth + 1)] as const],
    );
    const copied = withoutReadOnly(Object.fromEntries(members));
    return typeof $ref === 'string' ? { ...copied, $ref: `#/$defs/${nameOf($ref, depth)}` } : copied;
  }

  function copyMember(key: string, value: unknown, depth: number): unknown {
    if (dataKeywords.has(key)) return value;
    if (schemaMaps.has(key) && isObject(value))
      return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, copySchema(member, depth)]));
    if (Array.isArray(value))
      return value.map((item) => (isObject(item) && !isRawNumber(item) ? copySchema(item, depth) : item));
    return isObject(value) && !isRawNumber(value) ? copySchema(value, depth) : value;
  }

  function nameOf(reference: string, depth: number): string {
    const known = names.get(reference);
    if (known !== undefined) return known;
    const plain = (reference.split('/').at(-1) ?? '').replaceAll(/[^A-Za-z0-9_.-]/g, '_') || 'schema';
    let name = plain;
    for (let number = 2; Object.hasOwn(definitions, name) || name === '__proto__'; number++)
      name = `${plain}_${number}`;
    names.set(reference, name);
    // Reserved first, because the definition may refer to itself.
    definitions[name] = {};
    definitions[name] = copySchema(resolveReference(document, reference), depth + 1);
    return name;
  }

  return { copy: (schema) => copySchema(schema, 0), definitions };
}

/** Resolves a value that may be a `$ref`, repeatedly. */
export function resolve(document: JsonObject, value: unknown): unknown {
  let found = value;
  for (let hops = 0; isObject(found) && typeof found.$ref === 'string'; hops++) {
    if (hops > 20) throw new UnusableOperation('its references are circular');
    found = resolveReference(document, found.$ref);
  }
  return found;
}

function resolveReference(document: JsonObject, reference: string): unknown {
  const keys = parseLocalReference(reference);
  if (!keys?.length) throw new UnusableOperation(`it refers to another document: ${reference}`);
  const found = valueAt(document, keys);
  if (found === undefined) throw new UnusableOperation(`it refers to ${reference}, which does not exist`);
  return found;
}

/** Removes read-only properties: the API sets them, not the caller. */
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
