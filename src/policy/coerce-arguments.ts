import { isObject, type JsonObject, type JsonSchema } from '../kernel/json.ts';

const maxDepth = 64;

/**
 * Pure: the arguments with texts converted to the type that the schema requires, such as "1" to 1. Values that already fit,
 * or cannot be converted, stay as they are. Follows `properties` and `items` only.
 */
export function coerceArguments(schema: JsonSchema, args: JsonObject): JsonObject {
  return coerce(schema, args, 0) as JsonObject;
}

function coerce(schema: unknown, value: unknown, depth: number): unknown {
  if (!isObject(schema) || depth > maxDepth) return value;
  const converted = convert(typesOf(schema), value);
  if (Array.isArray(converted)) return converted.map((item) => coerce(schema.items, item, depth + 1));
  if (!isObject(converted) || !isObject(schema.properties)) return converted;
  const { properties } = schema;
  return Object.fromEntries(
    Object.entries(converted).map(([name, member]) => [
      name,
      Object.hasOwn(properties, name) ? coerce(properties[name], member, depth + 1) : member,
    ]),
  );
}

function typesOf({ type }: JsonObject): readonly unknown[] {
  return Array.isArray(type) ? type : [type];
}

function convert(types: readonly unknown[], value: unknown): unknown {
  if ((typeof value === 'number' || typeof value === 'boolean') && types.length === 1 && types[0] === 'string')
    return String(value);
  if (typeof value !== 'string' || types.includes('string')) return value;
  const parsed = parseOrUndefined(value);
  const fits = types.some((type) => isOfType(type, parsed));
  return parsed !== undefined && fits ? parsed : value;
}

function isOfType(type: unknown, value: unknown): boolean {
  switch (type) {
    case 'integer':
      return Number.isSafeInteger(value);
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isObject(value);
    case 'null':
      return value === null;
    default:
      return typeof value === type;
  }
}

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
