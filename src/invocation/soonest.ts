/** A collection that gives back what has the lowest order first. Adding and taking cost the logarithm of its size. */
export interface Soonest<Value> {
  add(order: number, value: Value): void;
  take(): { readonly order: number; readonly value: Value } | undefined;
}

/** A binary heap. */
export function createSoonest<Value>(): Soonest<Value> {
  const entries: { readonly order: number; readonly value: Value }[] = [];
  const orderAt = (at: number) => entries[at]?.order ?? Number.POSITIVE_INFINITY;

  function swap(a: number, b: number): void {
    const [first, second] = [entries[a], entries[b]];
    if (first && second) [entries[a], entries[b]] = [second, first];
  }

  return {
    add(order, value) {
      let at = entries.push({ order, value }) - 1;
      for (let parent = (at - 1) >> 1; at > 0 && orderAt(parent) > order; parent = (at - 1) >> 1) {
        swap(at, parent);
        at = parent;
      }
    },
    take() {
      const lowest = entries[0];
      const last = entries.pop();
      if (lowest === undefined || last === undefined || entries.length === 0) return lowest;
      entries[0] = last;
      for (let at = 0; ; ) {
        const left = 2 * at + 1;
        const child = orderAt(left + 1) < orderAt(left) ? left + 1 : left;
        if (orderAt(child) >= last.order) return lowest;
        swap(at, child);
        at = child;
      }
    },
  };
}
