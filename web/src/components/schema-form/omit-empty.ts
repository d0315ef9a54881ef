import { isRecord } from '../content/is-record.ts';
import type { FormSchema } from './form-schema.ts';
import { resolveReference } from './initial-value.ts';

/** What was filled in, without what was left empty: fields without a value, items without one, and optional lists without items. */
export function omitEmpty(value: unknown, schema: FormSchema | undefined, root: FormSchema): unknown {
  const resolved = schema && resolveReference(schema, root);
  if (Array.isArray(value)) {
    const items = resolved?.items;
    return value.flatMap((item, at) => {
      const itemSchema = Array.isArray(items) ? items[at] : (items as FormSchema | undefined);
      return item === undefined || isEmptied(item, itemSchema, root) ? [] : [omitEmpty(item, itemSchema, root)];
    });
  }
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

/** The form's library keeps the place of an item that was emptied with null. */
function isEmptied(item: unknown, schema: FormSchema | undefined, root: FormSchema): boolean {
  if (item !== null || schema === undefined) return false;
  const { type, 'x-nullable': nullable } = resolveReference(schema, root);
  return type !== undefined && type !== 'null' && nullable !== true;
}
