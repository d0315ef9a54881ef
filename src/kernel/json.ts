export type JsonObject = { readonly [key: string]: unknown };

/** JSON Schema as servers send it: checked where it is used, not where it is read. */
export type JsonSchema = JsonObject;

/** True for a plain JSON object: not null, not an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
