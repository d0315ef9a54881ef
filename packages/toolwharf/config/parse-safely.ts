import type { z } from 'zod';
import { isObject } from '../../contract/json.ts';

/**
 * Parses plain data with a schema without throwing. Zod reads `length` of any value where it expects a string or an
 * array, and throws if the value is a map whose `length` member is not a number.
 */
export function parseSafely<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  options?: { readonly jitless: boolean },
): z.ZodSafeParseResult<z.output<Schema>> {
  try {
    return schema.safeParse(value, options);
  } catch (cause) {
    // Replacing each such `length` by 0 avoids the exception and preserves the other issues. The second parse cannot
    // succeed, because the schema does not accept a map there.
    const again = schema.safeParse(withoutLengths(value), options);
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
