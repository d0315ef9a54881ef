/** A JSON object of unknown content. */
export type JsonObject = { readonly [key: string]: unknown };

/** JSON Schema as servers send it: checked where it is used, not where it is read. */
export type JsonSchema = JsonObject;

/** True for a plain JSON object: not null, not an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object without its undefined members, for objects that are printed, or that replace members of another one. */
export function omitUndefined<Value extends object>(value: Value): Value {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as Value;
}

/** The type with all its members, at any depth, readonly. */
export type DeepReadonly<Value> = Value extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> }
    : Value;
