import type { Posting } from './postings.ts';

/** Scores by number, such as those of tools by their slots. Most are 0; `touched` has the numbers of the others. */
export interface Scores {
  values: Float64Array;
  touched: Int32Array;
  /** The number of entries of `touched` in use. */
  count: number;
}

/** Creates scores that are all 0. */
export function createScores(): Scores {
  return { values: new Float64Array(64), touched: new Int32Array(64), count: 0 };
}

/** Sets all scores to 0, and makes room for numbers below `size`. */
export function resetScores(scores: Scores, size: number): void {
  const { values, touched, count } = scores;
  for (let at = 0; at < count; at++) values[touched[at] as number] = 0;
  scores.count = 0;
  if (size <= values.length) return;
  scores.values = new Float64Array(2 * size);
  scores.touched = new Int32Array(2 * size);
}

/** Adds the impacts of a term, multiplied by a positive factor. */
export function addScores(scores: Scores, { slots, impacts, length }: Posting, factor: number): void {
  const { values, touched } = scores;
  let { count } = scores;
  for (let at = 0; at < length; at++) {
    const slot = slots[at] as number;
    const before = values[slot] as number;
    if (before === 0) touched[count++] = slot;
    values[slot] = before + factor * (impacts[at] as number);
  }
  scores.count = count;
}

/** Like `addScores`, for scores that are not 0 only. */
export function addToScores({ values }: Scores, { slots, impacts, length }: Posting, factor: number): void {
  for (let at = 0; at < length; at++) {
    const slot = slots[at] as number;
    const before = values[slot] as number;
    if (before !== 0) values[slot] = before + factor * (impacts[at] as number);
  }
}

/** Raises scores to the impacts of a term, multiplied by a positive factor, where these are higher. */
export function raiseScores(scores: Scores, { slots, impacts, length }: Posting, factor: number): void {
  const { values, touched } = scores;
  let { count } = scores;
  for (let at = 0; at < length; at++) {
    const slot = slots[at] as number;
    const before = values[slot] as number;
    const score = factor * (impacts[at] as number);
    if (before === 0) touched[count++] = slot;
    if (score > before) values[slot] = score;
  }
  scores.count = count;
}

/** Adds scores to others, and sets them to 0. */
export function moveScores(from: Scores, to: Scores): void {
  const { values, touched } = to;
  let { count } = to;
  for (let at = 0; at < from.count; at++) {
    const number = from.touched[at] as number;
    const before = values[number] as number;
    if (before === 0) touched[count++] = number;
    values[number] = before + (from.values[number] as number);
    from.values[number] = 0;
  }
  to.count = count;
  from.count = 0;
}

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
