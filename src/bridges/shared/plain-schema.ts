import { isObject, type JsonSchema } from '../../kernel/json.ts';
import { Inexpressible } from './inexpressible.ts';

const maxDepth = 64;
const maxBytes = 256 * 1024;

/** A copy of the schema as plain JSON, or the reason why it cannot be sent: not JSON, too deep, too large. */
export function toPlainSchema(schema: unknown): JsonSchema {
  if (!isObject(schema)) throw new Inexpressible('its input schema is not an object');
  checkDepth(schema, 1);
  const text = serialise(schema);
  const bytes = Buffer.byteLength(text);
  if (bytes > maxBytes)
    throw new Inexpressible(`its input schema is too large: ${Math.ceil(bytes / 1024)} kB, at most 256 kB`);
  return JSON.parse(text) as JsonSchema;
}

// Depth comes first: it bounds every recursion after it, and finds circles before JSON.stringify has to.
function checkDepth(value: unknown, depth: number): void {
  if (typeof value !== 'object' || value === null) return;
  if (depth > maxDepth) throw new Inexpressible(`its input schema is nested deeper than ${maxDepth} levels`);
  for (const member of Object.values(value)) checkDepth(member, depth + 1);
}

function serialise(schema: JsonSchema): string {
  try {
    return JSON.stringify(schema);
  } catch (cause) {
    throw new Inexpressible(`its input schema cannot be written as JSON: ${(cause as Error).message}`);
  }
}
