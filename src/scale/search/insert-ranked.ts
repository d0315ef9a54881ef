/** A result of a search by its number. */
export interface Ranked {
  readonly number: number;
  readonly score: number;
}

/**
 * Inserts a result into a list of at most `limit`, sorted by score, and among equals by `isBefore`. For the few results of a search,
 * that is faster than a heap.
 */
export function insertRanked(
  best: Ranked[],
  one: Ranked,
  limit: number,
  isBefore: (one: number, other: number) => boolean,
): void {
  let at = best.length;
  for (; at > 0; at--) {
    const other = best[at - 1] as Ranked;
    if (other.score > one.score || (other.score === one.score && isBefore(other.number, one.number))) break;
  }
  if (at >= limit) return;
  if (best.length === limit) best.pop();
  // Moving the entries takes less time than `splice`.
  for (let to = best.length; to > at; to--) best[to] = best[to - 1] as Ranked;
  best[at] = one;
}
