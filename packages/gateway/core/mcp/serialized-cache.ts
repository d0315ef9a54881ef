import { isObject, type JsonObject } from '../../../contract/json.ts';
import { toJsonText } from '../../../toolwharf/kernel/exact-json.ts';
import { stringifyInSlices } from '../../../toolwharf/kernel/slices.ts';

/** Caches results that many clients receive, such as tool lists. Each result is created once and serialized once. */
export interface SerializedCache {
  /** Returns the cached result for this owner and key. The cache holds its owners weakly. */
  get(owner: object, key: string, create: () => JsonObject): JsonObject;
  /** Returns a derived form of a result; cached only if the result itself is cached. */
  derive(result: JsonObject, key: string, create: () => JsonObject): JsonObject;
  /** Serializes a cached result in slices, before it is sent. Undefined if there is nothing to do. */
  prepare(result: JsonObject): Promise<void> | undefined;
  stringify(message: JsonObject): string;
  /** Splits a message with a cached result into the envelope and the serialized result. Undefined for other messages. */
  split(message: JsonObject): SplitMessage | undefined;
}

/** The two parts of a serialized message, in sending order. */
export interface SplitMessage {
  readonly head: string;
  readonly tail: Buffer;
}

export function createSerializedCache(): SerializedCache {
  const byOwner = new WeakMap<object, Map<string, JsonObject>>();
  /** The serialized results; undefined until a result is first sent. */
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
    const tail = tails.get(result) ?? Buffer.from(`${toJsonText(result)}}`);
    tails.set(result, tail);
    return { head: `${JSON.stringify(envelope).slice(0, -1)},"result":`, tail };
  }

  async function serialize(result: JsonObject): Promise<void> {
    tails.set(result, Buffer.concat([await stringifyInSlices(result), Buffer.from('}')]));
  }

  return {
    get,
    prepare: (result) => (tails.has(result) && !tails.get(result) ? serialize(result) : undefined),
    derive: (result, key, create) => (tails.has(result) ? get(result, key, create) : create()),
    stringify(message) {
      const parts = split(message);
      return parts ? parts.head + parts.tail.toString('utf8') : toJsonText(message);
    },
    split,
  };
}
