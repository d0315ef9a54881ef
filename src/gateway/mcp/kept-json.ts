import { isObject, type JsonObject } from '../../kernel/json.ts';

const kept = new WeakSet<object>();
const texts = new WeakMap<object, string>();
const made = new WeakMap<object, Map<string, JsonObject>>();

/** A result that many clients get: it is made once for its owner and key, and its text is written once. */
export function keepFor(owner: object, key: string, make: () => JsonObject): JsonObject {
  const known = made.get(owner) ?? new Map<string, JsonObject>();
  made.set(owner, known);
  const before = known.get(key);
  if (before) return before;
  const result = make();
  kept.add(result);
  known.set(key, result);
  return result;
}

/** The same result in other words: kept where the one it is made of is kept. */
export function keepAs(result: JsonObject, key: string, make: () => JsonObject): JsonObject {
  return kept.has(result) ? keepFor(result, key, make) : make();
}

/** A message as text; a kept result is not written again. */
export function toJson(message: JsonObject): string {
  const { result, ...envelope } = message;
  if (!isObject(result) || !kept.has(result)) return JSON.stringify(message);
  const text = texts.get(result) ?? JSON.stringify(result);
  texts.set(result, text);
  return `${JSON.stringify(envelope).slice(0, -1)},"result":${text}}`;
}
