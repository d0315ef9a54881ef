/** A map for short-lived entries at a high rate, such as running calls. Deleted values are collected promptly. */
export interface EphemeralMap<Key, Value> {
  readonly size: number;
  get(key: Key): Value | undefined;
  has(key: Key): boolean;
  set(key: Key, value: Value): void;
  delete(key: Key): boolean;
  keys(): Iterable<Key>;
  values(): Iterable<Value>;
}

/**
 * Creates an empty map. V8 rehashes a `Map` with many writes into new tables, and each old table points to its
 * successor: one old table that survives into the old generation keeps all later tables, with every entry they ever
 * held, until a full collection. Values are therefore boxed, and the box is emptied on deletion.
 */
export function createEphemeralMap<Key, Value>(): EphemeralMap<Key, Value> {
  const boxes = new Map<Key, { value: Value | undefined }>();
  return {
    get size() {
      return boxes.size;
    },
    get: (key) => boxes.get(key)?.value,
    has: (key) => boxes.has(key),
    set(key, value) {
      const box = boxes.get(key);
      if (box) box.value = value;
      else boxes.set(key, { value });
    },
    delete(key) {
      const box = boxes.get(key);
      if (!box) return false;
      box.value = undefined;
      return boxes.delete(key);
    },
    keys: () => boxes.keys(),
    *values() {
      for (const { value } of boxes.values()) if (value !== undefined) yield value;
    },
  };
}
