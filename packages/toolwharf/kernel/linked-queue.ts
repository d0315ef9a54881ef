/** An entry of a `LinkedQueue`, for removing it early. */
export interface QueueEntry<Value> {
  readonly value: Value;
  before: QueueEntry<Value> | undefined;
  after: QueueEntry<Value> | undefined;
}

/** A first-in, first-out queue. Pushing and removing any entry take constant time, and removed values are collected promptly. */
export interface LinkedQueue<Value> {
  readonly size: number;
  readonly first: Value | undefined;
  push(value: Value): QueueEntry<Value>;
  /** Removes an entry that is still in this queue. */
  remove(entry: QueueEntry<Value>): void;
  /** Moves an entry of this queue to its end. */
  moveToEnd(entry: QueueEntry<Value>): void;
  /** The values, first in first. An entry may be removed while its value is visited. */
  values(): Iterable<Value>;
}

/**
 * Creates an empty queue backed by a doubly linked list. An array would shift its items, and a `Set` would keep removed values
 * alive as a `Map` does (`ephemeral-map.ts`).
 */
export function createLinkedQueue<Value>(): LinkedQueue<Value> {
  let head: QueueEntry<Value> | undefined;
  let tail: QueueEntry<Value> | undefined;
  let size = 0;
  return {
    get size() {
      return size;
    },
    get first() {
      return head?.value;
    },
    push(value) {
      const entry: QueueEntry<Value> = { value, before: undefined, after: undefined };
      append(entry);
      return entry;
    },
    remove,
    moveToEnd(entry) {
      if (entry === tail) return;
      remove(entry);
      append(entry);
    },
    *values() {
      for (let entry = head; entry; ) {
        const { value, after } = entry;
        yield value;
        entry = after;
      }
    },
  };

  function append(entry: QueueEntry<Value>): void {
    entry.before = tail;
    entry.after = undefined;
    if (tail) tail.after = entry;
    else head = entry;
    tail = entry;
    size++;
  }

  function remove(entry: QueueEntry<Value>): void {
    const { before, after } = entry;
    if (before) before.after = after;
    else head = after;
    if (after) after.before = before;
    else tail = before;
    // A removed entry in the old generation would keep its neighbour alive, and that one the next.
    entry.before = undefined;
    entry.after = undefined;
    size--;
  }
}
