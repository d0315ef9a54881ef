import { isObject, type JsonObject } from '../../../kernel/json.ts';

const maxDepth = 20;

/** The TypeScript type of a JSON Schema. What TypeScript cannot express, such as a pattern, is not checked. */
export function schemaToType(schema: unknown, root: unknown = schema, depth = 0): string {
  if (!isObject(schema) || depth > maxDepth) return 'unknown';
  const inner = (one: unknown) => schemaToType(one, root, depth + 1);
  if (typeof schema.$ref === 'string') return inner(findReference(schema.$ref, root));
  if ('const' in schema) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return union(schema.enum.map((value) => JSON.stringify(value)));
  const branches = Array.isArray(schema.anyOf) ? schema.anyOf : schema.oneOf;
  if (Array.isArray(branches)) return union(branches.map(inner));
  if (Array.isArray(schema.allOf)) return schema.allOf.map(inner).join(' & ');
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  return union(types.map((type) => typeOf(type, schema, inner)));
}

function typeOf(type: unknown, schema: JsonObject, inner: (schema: unknown) => string): string {
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
      return type;
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return `readonly (${inner(schema.items)})[]`;
    case 'object':
      return objectType(schema, inner);
    default:
      return isObject(schema.properties) ? objectType(schema, inner) : 'unknown';
  }
}

function objectType(
  { properties, required, additionalProperties }: JsonObject,
  inner: (schema: unknown) => string,
): string {
  const members = Object.entries(isObject(properties) ? properties : {}).map(([name, schema]) => {
    const isRequired = Array.isArray(required) && required.includes(name);
    return `readonly ${memberName(name)}${isRequired ? '' : '?'}: ${inner(schema)}`;
  });
  if (members.length > 0) return `{ ${members.join('; ')} }`;
  if (additionalProperties === false) return 'Readonly<Record<string, never>>';
  return `Readonly<Record<string, ${isObject(additionalProperties) ? inner(additionalProperties) : 'unknown'}>>`;
}

/** A name as it is written in an object: quoted unless it is an identifier. */
export function memberName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

function union(types: readonly string[]): string {
  const distinct = [...new Set(types)];
  return distinct.includes('unknown') || distinct.length === 0 ? 'unknown' : distinct.join(' | ');
}

function findReference(reference: string, root: unknown): unknown {
  if (!reference.startsWith('#')) return undefined;
  const names = reference.slice(1).split('/').slice(1);
  return names.reduce<unknown>((value, name) => {
    const key = name.replaceAll('~1', '/').replaceAll('~0', '~');
    return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }, root);
}
