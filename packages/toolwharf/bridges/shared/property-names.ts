import { isObject, type JsonSchema } from '../../../contract/json.ts';
import { isRawNumber } from '../../kernel/exact-json.ts';
import { InexpressibleError } from './inexpressible.ts';
import { mapSubschemas } from './map-subschemas.ts';
import { shortHash } from './provider-name.ts';

/** The tool's own property names by the names that the provider accepts; only those that differ. */
export type OriginalNames = ReadonlyMap<string, string>;

/** Renames properties so that every provider accepts them; `originals` restores the names in arguments. */
export function renameProperties(schema: JsonSchema): {
  readonly schema: JsonSchema;
  readonly originals: OriginalNames;
} {
  const originals = new Map<string, string>();
  const rename = (name: string) => {
    const accepted = toPropertyName(name);
    if (accepted !== name) originals.set(accepted, name);
    return accepted;
  };
  return { schema: renamed(schema, rename), originals };
}

/** Throws `InexpressibleError` for a property name that some provider rejects. */
export function assertPortableProperties(schema: JsonSchema): JsonSchema {
  return renamed(schema, (name) => {
    if (toPropertyName(name) === name) return name;
    throw new InexpressibleError(`its property name ${JSON.stringify(name)} is not allowed there`);
  });
}

/** Restores the tool's own property names in the model's arguments, at every depth. */
export function restoreProperties(value: unknown, originals: OriginalNames, depth = 0): unknown {
  // Schemas are never this deep, so there is nothing to restore.
  if (originals.size === 0 || depth > maxDepth) return value;
  if (Array.isArray(value)) return value.map((item) => restoreProperties(item, originals, depth + 1));
  if (!isObject(value) || isRawNumber(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      originals.get(name) ?? name,
      restoreProperties(member, originals, depth + 1),
    ]),
  );
}

const maxLength = 64;
const maxDepth = 500;

function toPropertyName(name: string): string {
  const allowed = name.replace(/[^a-zA-Z0-9_.-]/g, '_');
  if (allowed === name && name.length > 0 && name.length <= maxLength) return name;
  return `${allowed.slice(0, maxLength - 9)}_${shortHash(name)}`;
}

function renamed(schema: JsonSchema, rename: (name: string) => string): JsonSchema {
  const inner = mapSubschemas(schema, (subschema) => renamed(subschema, rename));
  const names = (value: unknown) =>
    Array.isArray(value) ? value.map((name) => (typeof name === 'string' ? rename(name) : name)) : value;
  const keys = (value: unknown, change = (member: unknown) => member) =>
    isObject(value)
      ? Object.fromEntries(Object.entries(value).map(([name, member]) => [rename(name), change(member)]))
      : value;
  return Object.fromEntries(
    Object.entries(inner).map(([keyword, value]) => {
      if (keyword === 'properties' || keyword === 'dependentSchemas') return [keyword, keys(value)];
      if (keyword === 'dependentRequired') return [keyword, keys(value, names)];
      if (keyword === 'required') return [keyword, names(value)];
      return [keyword, value];
    }),
  );
}
