import { isRecord } from '../is-record.ts';
import { type FormSchema, formLimits, itemSchema, resolveReference } from './form-schema.ts';

/** The first value of a form: defaults, constants and required objects. Optional members without a default are omitted. */
export function initialValue(schema: FormSchema, root: FormSchema = schema, level = 0): unknown {
  const { 'x-default': fallback, ...resolved } = resolveReference(schema, root);
  if (fallback !== undefined) return fallback;
  if (level > formLimits.levels || resolved['x-nullable']) return undefined;
  if (resolved.const !== undefined) return resolved.const;
  const [option] = resolved.anyOf ?? resolved.oneOf ?? [];
  if (option && resolved.type !== 'object') return initialValue(option, root, level + 1);
  if (resolved.type !== 'object') return undefined;
  const { properties = {}, required = [] } = resolved;
  const members = Object.entries(properties).flatMap(([name, property]) => {
    const value = required.includes(name) ? initialValue(property, root, level + 1) : optionalDefault(property, root);
    return value === undefined ? [] : [[name, value] as const];
  });
  const chosen = option ? initialValue(option, root, level + 1) : {};
  return { ...(isRecord(chosen) && chosen), ...Object.fromEntries(members) };
}

/** Omitting an argument whose default is `null` has the same effect as sending `null`. */
function optionalDefault(schema: FormSchema, root: FormSchema): unknown {
  const fallback = resolveReference(schema, root)['x-default'];
  return fallback === null ? undefined : fallback;
}

/** Removes members and items without a value, and optional lists without items. */
export function omitEmpty(value: unknown, schema: FormSchema | undefined, root: FormSchema): unknown {
  const resolved = schema && resolveReference(schema, root);
  if (Array.isArray(value))
    return value.flatMap((item, at) =>
      item === undefined ? [] : [omitEmpty(item, resolved && itemSchema(resolved, at), root)],
    );
  if (!isRecord(value)) return value;
  const members = Object.entries(value).flatMap(([name, member]) => {
    const known = Object.hasOwn(resolved?.properties ?? {}, name) ? resolved?.properties?.[name] : undefined;
    const kept = omitEmpty(member, known, root);
    const isEmptyList = known !== undefined && Array.isArray(kept) && kept.length === 0;
    if (kept === undefined || (isEmptyList && !resolved?.required?.includes(name))) return [];
    return [[name, kept] as const];
  });
  return Object.fromEntries(members);
}

/** Converts an ISO time to the value of a `datetime-local` input in local time; undefined for any other text. */
export function toLocalTime(isoTime: string): string | undefined {
  const date = new Date(isoTime);
  if (isoTime === '' || Number.isNaN(date.getTime())) return undefined;
  const shifted = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 19);
}

/** Converts the value of a `datetime-local` input to an ISO time. */
export function fromLocalTime(local: string): string | undefined {
  const date = new Date(local);
  if (local === '' || Number.isNaN(date.getTime())) return undefined;
  return date.toISOString().replace('.000Z', 'Z');
}
