/** A place in a line, for leaving it early. */
export interface LineEntry<Value> {
  readonly value: Value;
  before: LineEntry<Value> | undefined;
  after: LineEntry<Value> | undefined;
}

/** First in, first out, with leaving from anywhere: each step costs the same however long the line is. */
export interface Line<Value> {
  readonly size: number;
  readonly first: Value | undefined;
  join(value: Value): LineEntry<Value>;
  /** Only for an entry that is still in this line. */
  leave(entry: LineEntry<Value>): void;
}

/** A linked list: arrays move and sets leave holes when the front is taken. */
export function createLine<Value>(): Line<Value> {
  let head: LineEntry<Value> | undefined;
  let tail: LineEntry<Value> | undefined;
  let size = 0;
  return {
    get size() {
      return size;
    },
    get first() {
      return head?.value;
    },
    join(value) {
      const entry: LineEntry<Value> = { value, before: tail, after: undefined };
      if (tail) tail.after = entry;
      else head = entry;
      tail = entry;
      size++;
      return entry;
    },
    leave({ before, after }) {
      if (before) before.after = after;
      else head = after;
      if (after) after.before = before;
      else tail = before;
      size--;
    },
  };
}
