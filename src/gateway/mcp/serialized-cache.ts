import { isObject, type JsonObject } from '../../kernel/json.ts';

/** Results that many clients receive, such as lists of tools: each is created once and serialized once. */
export interface SerializedCache {
  /** The cached result for this owner and key. It is released together with its owner. */
  get(owner: object, key: string, create: () => JsonObject): JsonObject;
  /** Another form of a result; cached only if the result itself is. */
  derive(result: JsonObject, key: string, create: () => JsonObject): JsonObject;
  stringify(message: JsonObject): string;
  /** A message whose result is cached, in two parts: the envelope, and the serialized result. Undefined for any other. */
  split(message: JsonObject): SplitMessage | undefined;
}

/** The two parts of a serialized message, in the order they are sent. */
export interface SplitMessage {
  readonly head: string;
  readonly tail: Buffer;
}

export function createSerializedCache(): SerializedCache {
  const byOwner = new WeakMap<object, Map<string, JsonObject>>();
  /** The serialized results; undefined until a result is sent for the first time. */
  const tails = new WeakMap<object, Buffer | undefined>();

  function get(owner: object, key: string, create: () => JsonObject): JsonObject {
    const results = byOwner.get(owner) ?? new Map<string, JsonObject>();
    byOwner.set(owner, results);
    const known = results.get(key);
    if (known) return known;
    const result = create();
    results.set(key, result);
    tails.set(result, undefined);
    return result;
  }

  function split(message: JsonObject): SplitMessage | undefined {
    if (!isObject(message.result) || !tails.has(message.result)) return undefined;
    const { result, ...envelope } = message as { readonly result: JsonObject };
    const tail = tails.get(result) ?? Buffer.from(`${JSON.stringify(result)}}`);
    tails.set(result, tail);
    return { head: `${JSON.stringify(envelope).slice(0, -1)},"result":`, tail };
  }

  return {
    get,
    derive: (result, key, create) => (tails.has(result) ? get(result, key, create) : create()),
    stringify(message) {
      const parts = split(message);
      return parts ? parts.head + parts.tail.toString('utf8') : JSON.stringify(message);
    },
    split,
  };
}
