/** A map for what comes and goes by the thousand: calls under way, and whatever belongs to them. */
export interface PassingMap<Key, Value> {
  readonly size: number;
  get(key: Key): Value | undefined;
  has(key: Key): boolean;
  set(key: Key, value: Value): void;
  delete(key: Key): boolean;
  keys(): Iterable<Key>;
  values(): Iterable<Value>;
}

/**
 * A `Map` that is written to all the time gets a new table every so often, and each old one goes on pointing to its
 * successor. One of them that has grown old holds all that follow, with every entry they ever had, until V8 collects
 * its whole heap. So the entries here are boxes, emptied when they are taken out.
 */
export function createPassingMap<Key, Value>(): PassingMap<Key, Value> {
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
