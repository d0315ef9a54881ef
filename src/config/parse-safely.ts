import type { z } from 'zod';
import { isObject } from '../kernel/json.ts';

/**
 * What a schema says of plain data; never throws. Zod compares the `length` of whatever stands where a text or a list is wanted, and
 * fails on a map that has a member of that name which is no number.
 */
export function parseSafely<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.ZodSafeParseResult<z.output<Schema>> {
  try {
    return schema.safeParse(value);
  } catch (cause) {
    // The same with harmless lengths has the same problems. It can't be right, since a map was where it must not be.
    const again = schema.safeParse(withoutLengths(value));
    if (again.success) throw cause;
    return again;
  }
}

function withoutLengths(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutLengths);
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([key, member]) => [
    key,
    key === 'length' && typeof member === 'object' ? 0 : withoutLengths(member),
  ]);
  return Object.fromEntries(members);
}
