import { isRecord } from '../content/is-record.ts';
import type { FormSchema } from './form-schema.ts';

const maxLevels = 16;

/**
 * What a form begins with: defaults of what is asked for, constants, and the objects that are required. What is optional and has no
 * default of its own is left out.
 */
export function initialValue(schema: FormSchema, root: FormSchema = schema, level = 0): unknown {
  const { 'x-default': fallback, ...resolved } = resolveReference(schema, root);
  if (fallback !== undefined) return structuredClone(fallback);
  if (level > maxLevels || resolved['x-nullable']) return undefined;
  if (resolved.const !== undefined) return resolved.const;
  const [option] = resolved.anyOf ?? resolved.oneOf ?? [];
  if (option && resolved.type !== 'object') return initialValue(option, root, level + 1);
  if (resolved.type !== 'object') return undefined;
  const { properties = {}, required = [] } = resolved;
  const members = Object.entries(properties).flatMap(([name, property]) => {
    const value = required.includes(name) ? initialValue(property, root, level + 1) : ownDefault(property, root);
    return value === undefined ? [] : [[name, value] as const];
  });
  const chosen = option ? initialValue(option, root, level + 1) : {};
  return { ...(isRecord(chosen) && chosen), ...Object.fromEntries(members) };
}

/** A schema with its reference followed; what is said beside the reference wins. */
export function resolveReference(schema: FormSchema, root: FormSchema): FormSchema {
  let resolved = schema;
  for (let hops = 0; resolved.$ref !== undefined && hops < 100; hops++) {
    const { $ref, ...beside }: FormSchema = resolved;
    resolved = { ...root.$defs?.[$ref?.slice('#/$defs/'.length) ?? ''], ...beside };
  }
  return resolved;
}

/** Leaving out what is `null` by default says the same. */
function ownDefault(schema: FormSchema, root: FormSchema): unknown {
  const fallback = resolveReference(schema, root)['x-default'];
  return fallback === null ? undefined : structuredClone(fallback);
}
