/** A priority queue: `pop` returns the entry with the lowest key. Both operations take logarithmic time. */
export interface MinHeap<Value> {
  push(key: number, value: Value): void;
  pop(): { readonly key: number; readonly value: Value } | undefined;
}

/** Creates an empty binary heap. */
export function createMinHeap<Value>(): MinHeap<Value> {
  const entries: { readonly key: number; readonly value: Value }[] = [];
  const keyAt = (index: number) => entries[index]?.key ?? Number.POSITIVE_INFINITY;

  function swap(a: number, b: number): void {
    const [first, second] = [entries[a], entries[b]];
    if (first && second) [entries[a], entries[b]] = [second, first];
  }

  return {
    push(key, value) {
      let index = entries.push({ key, value }) - 1;
      for (let parent = (index - 1) >> 1; index > 0 && keyAt(parent) > key; parent = (index - 1) >> 1) {
        swap(index, parent);
        index = parent;
      }
    },
    pop() {
      const lowest = entries[0];
      const last = entries.pop();
      if (lowest === undefined || last === undefined || entries.length === 0) return lowest;
      entries[0] = last;
      for (let index = 0; ; ) {
        const left = 2 * index + 1;
        const child = keyAt(left + 1) < keyAt(left) ? left + 1 : left;
        if (keyAt(child) >= last.key) return lowest;
        swap(index, child);
        index = child;
      }
    },
  };
}
