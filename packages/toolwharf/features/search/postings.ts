/** The tools that have a term, with how much the term counts in each. Typed arrays: a search reads thousands of entries. */
export interface Posting {
  /** The slots of tools; those of removed tools stay until `drop`. */
  slots: Int32Array;
  impacts: Float64Array;
  /** The number of entries in use. */
  length: number;
  /** The number of tools that have the term. */
  live: number;
}

/** Creates the posting of a term that no tool has yet. */
export function createPosting(): Posting {
  return { slots: new Int32Array(2), impacts: new Float64Array(2), length: 0, live: 0 };
}

/** Adds a tool. The arrays double, so that adding takes constant time on average. */
export function addPosting(posting: Posting, slot: number, impact: number): void {
  const { length } = posting;
  if (length === posting.slots.length) {
    posting.slots = grow(posting.slots, new Int32Array(2 * length));
    posting.impacts = grow(posting.impacts, new Float64Array(2 * length));
  }
  posting.slots[length] = slot;
  posting.impacts[length] = impact;
  posting.length++;
  posting.live++;
}

/** Drops the entries of removed tools. */
export function dropPostings(posting: Posting, isDead: (slot: number) => boolean): void {
  const { slots, impacts, length } = posting;
  let kept = 0;
  for (let at = 0; at < length; at++) {
    if (isDead(slots[at] as number)) continue;
    slots[kept] = slots[at] as number;
    impacts[kept++] = impacts[at] as number;
  }
  posting.length = kept;
}

/** Copies values into a larger array. */
export function grow<T extends Int32Array | Float64Array>(values: T, larger: T): T {
  larger.set(values);
  return larger;
}
