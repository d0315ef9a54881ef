import { isObject, type JsonObject } from '../../kernel/json.ts';

const kept = new WeakSet<object>();
const tails = new WeakMap<object, Buffer>();
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

/** A message as text. */
export function toJson(message: JsonObject): string {
  const parts = toKeptBytes(message);
  return parts ? parts.head + parts.tail.toString('utf8') : JSON.stringify(message);
}

/** A message with a kept result, which is not written again: its end as bytes, and what comes before. */
export function toKeptBytes(message: JsonObject): { readonly head: string; readonly tail: Buffer } | undefined {
  const { result } = message;
  if (!isObject(result) || !kept.has(result)) return undefined;
  const { result: _result, ...envelope } = message;
  const tail = tails.get(result) ?? Buffer.from(`${JSON.stringify(result)}}`);
  tails.set(result, tail);
  return { head: `${JSON.stringify(envelope).slice(0, -1)},"result":`, tail };
}
