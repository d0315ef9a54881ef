import { isObject, type JsonObject, type JsonSchema } from '../../contract/json.ts';
import { isInexact } from '../kernel/decimal.ts';
import { isRawNumber, parseExactly } from '../kernel/exact-json.ts';

const maxDepth = 64;

/** Parses a text that does not have the type that the schema requires; undefined if it is not JSON. */
type Parse = (text: string) => unknown;

/**
 * The arguments with texts converted to the type that the schema requires, such as "1" to 1. Values that already fit,
 * or cannot be converted, stay as they are. Follows `properties` and `items` only.
 */
export function coerceArguments(schema: JsonSchema, args: JsonObject, parse: Parse = parseOrUndefined): JsonObject {
  return coerce(schema, args, 0, parse) as JsonObject;
}

function coerce(schema: unknown, value: unknown, depth: number, parse: Parse): unknown {
  if (!isObject(schema) || depth > maxDepth) return value;
  const converted = convert(typesOf(schema), value, parse);
  if (Array.isArray(converted)) {
    const items = converted.map((item) => coerce(schema.items, item, depth + 1, parse));
    return items.some((item, at) => item !== converted[at]) ? items : converted;
  }
  if (!isObject(converted) || !isObject(schema.properties)) return converted;
  const { properties } = schema;
  const members = Object.entries(converted).map(
    ([name, member]) =>
      [name, Object.hasOwn(properties, name) ? coerce(properties[name], member, depth + 1, parse) : member] as const,
  );
  return members.some(([name, member]) => member !== converted[name]) ? Object.fromEntries(members) : converted;
}

function typesOf({ type }: JsonObject): readonly unknown[] {
  return Array.isArray(type) ? type : [type];
}

function convert(types: readonly unknown[], value: unknown, parse: Parse): unknown {
  if ((typeof value === 'number' || typeof value === 'boolean') && types.length === 1 && types[0] === 'string')
    return String(value);
  if (isRawNumber(value) && types.length === 1 && types[0] === 'string') return value.rawJSON;
  if (typeof value !== 'string' || types.includes('string')) return value;
  const parsed = toFittingNumber(types, parse(value));
  const fits = types.some((type) => isOfType(type, parsed));
  return parsed !== undefined && fits ? parsed : value;
}

/** `1.0` is the integer 1, and stays `1.0` where any number may stand. */
function toFittingNumber(types: readonly unknown[], parsed: unknown): unknown {
  return isRawNumber(parsed) && !types.includes('number') && !isInexact(parsed) ? Number(parsed.rawJSON) : parsed;
}

function isOfType(type: unknown, value: unknown): boolean {
  switch (type) {
    case 'integer':
      return Number.isSafeInteger(value) || (isRawNumber(value) && /^-?\d+$/.test(value.rawJSON));
    case 'number':
      return typeof value === 'number' || isRawNumber(value);
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isObject(value) && !isRawNumber(value);
    case 'null':
      return value === null;
    default:
      return typeof value === type;
  }
}

/** Parses JSON. */
export function parseOrUndefined(text: string): unknown {
  try {
    return parseExactly(text);
  } catch {
    return undefined;
  }
}
