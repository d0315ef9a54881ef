import { isObject, type JsonSchema } from '../../kernel/json.ts';
import { InexpressibleError } from './inexpressible.ts';

const maxDepth = 64;
const maxBytes = 256 * 1024;

/** Copies the schema as plain JSON. Throws `InexpressibleError` if it is not JSON, too deep or too large. */
export function toPlainSchema(schema: unknown): JsonSchema {
  if (!isObject(schema)) throw new InexpressibleError('its input schema is not an object');
  checkDepth(schema, 1);
  const text = serialise(schema);
  const bytes = Buffer.byteLength(text);
  if (bytes > maxBytes)
    throw new InexpressibleError(`its input schema is too large: ${Math.ceil(bytes / 1024)} kB, at most 256 kB`);
  return JSON.parse(text) as JsonSchema;
}

// First, because it bounds every later recursion and finds circular values before JSON.stringify does.
function checkDepth(value: unknown, depth: number): void {
  if (typeof value !== 'object' || value === null) return;
  if (depth > maxDepth) throw new InexpressibleError(`its input schema is nested deeper than ${maxDepth} levels`);
  for (const member of Object.values(value)) checkDepth(member, depth + 1);
}

function serialise(schema: JsonSchema): string {
  try {
    return JSON.stringify(schema);
  } catch (cause) {
    throw new InexpressibleError(`its input schema cannot be written as JSON: ${(cause as Error).message}`);
  }
}
