import { z } from 'zod';
import { closest } from '../kernel/closest.ts';
import type { CheckContext } from './check-context.ts';
import { isPlainMap, type PlainData, type PlainObject } from './plain-data.ts';
import type { Path } from './problems.ts';

/**
 * Converts the keys of all maps in a value to the camelCase of their schema. Accepts the snake_case spelling of known
 * keys. Reports and removes unknown keys and keys that occur in both spellings. Removes keys without a value.
 */
export function canonicalize(value: PlainData, schema: z.core.$ZodType, path: Path, context: CheckContext): PlainData {
  const type = unwrap(schema);
  if (Array.isArray(value)) {
    if (!(type instanceof z.ZodArray)) return value;
    return value.map((item, index) => canonicalize(item, type.element, [...path, index], context));
  }
  if (!isPlainMap(value)) return value;
  if (type instanceof z.ZodRecord) {
    const entries = Object.entries(value).map(([key, member]) => {
      return [key, canonicalize(member, type.valueType, [...path, key], context)] as const;
    });
    return Object.fromEntries(entries);
  }
  const map = type instanceof z.ZodDiscriminatedUnion ? optionFor(value, type) : type;
  return map instanceof z.ZodObject ? canonicalizeMap(value, map, path, context) : value;
}

export function canonicalizeMap(map: PlainObject, schema: z.ZodObject, path: Path, context: CheckContext): PlainObject {
  const known = Object.keys(schema.shape);
  const canonical: PlainObject = {};
  for (const [key, value] of Object.entries(map)) {
    const name = known.includes(key) ? key : toCamelCase(key);
    const member = Object.hasOwn(schema.shape, name) ? schema.shape[name] : undefined;
    if (!member) {
      const allowed = context.dialect === 'myai' ? known.map((name) => inMyai(name, path)) : known;
      const suggestion = closest(key, allowed);
      const message = 'unknown key';
      context.report({ path: [...path, key], message, found: `'${key}'`, allowed, suggestion, atKey: true });
    } else if (value === null) {
      // A known key without a value has its default.
    } else if (Object.hasOwn(canonical, name)) {
      const message = `the same key as '${otherSpelling(map, key)}': keep one`;
      context.report({ path: [...path, key], message, atKey: true });
    } else {
      if (name !== key) context.written.set([...path, name], [...context.written.resolve(path), key]);
      canonical[name] = canonicalize(value, member, [...path, name], context);
    }
  }
  return canonical;
}

/** `max_concurrent` → `maxConcurrent`. */
export function toCamelCase(key: string): string {
  return key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** `maxConcurrent` → `max_concurrent`. */
export function toSnakeCase(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The spelling of a key in a `myai` file, which has its own names for two keys of a server. */
function inMyai(key: string, path: Path): string {
  const isOfServer = path[0] === 'servers' && path.length === 2;
  return isOfServer && (key === 'allow' || key === 'deny') ? `tool_${key}list` : toSnakeCase(key);
}

function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return unwrap(schema.unwrap());
  return schema;
}

function optionFor(value: PlainObject, { options }: z.ZodDiscriminatedUnion): z.core.$ZodType | undefined {
  return options.find((option) => {
    const type = option instanceof z.ZodObject ? option.shape.type : undefined;
    return type instanceof z.ZodLiteral && type.value === value.type;
  });
}

function otherSpelling(map: PlainObject, key: string): string {
  return Object.keys(map).find((other) => other !== key && toCamelCase(other) === toCamelCase(key)) ?? key;
}
