/** An entry of a `LinkedQueue`, for removing it early. */
export interface QueueEntry<Value> {
  readonly value: Value;
  before: QueueEntry<Value> | undefined;
  after: QueueEntry<Value> | undefined;
}

/** A first-in, first-out queue. Pushing and removing any entry take constant time. */
export interface LinkedQueue<Value> {
  readonly size: number;
  readonly first: Value | undefined;
  push(value: Value): QueueEntry<Value>;
  /** Removes an entry that is still in this queue. */
  remove(entry: QueueEntry<Value>): void;
}

/** Creates an empty queue backed by a doubly linked list: an array would shift its items, a set would keep tombstones. */
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
      const entry: QueueEntry<Value> = { value, before: tail, after: undefined };
      if (tail) tail.after = entry;
      else head = entry;
      tail = entry;
      size++;
      return entry;
    },
    remove({ before, after }) {
      if (before) before.after = after;
      else head = after;
      if (after) after.before = before;
      else tail = before;
      size--;
    },
  };
}
