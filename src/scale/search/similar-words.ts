/** Finds the words of a vocabulary that a misspelt word may have meant. */
export interface SimilarWords {
  add(word: string): void;
  /** The words within one edit of a short word, or two edits of a long one; the closest only. */
  find(word: string): readonly string[];
}

const shortest = 4;
const longWord = 8;
const maxFound = 3;

/** Creates an empty vocabulary. Candidates share enough pairs of characters with the word; edits are counted for those only. */
export function createSimilarWords(): SimilarWords {
  const known = new Set<string>();
  const byPair = new Map<string, string[]>();

  return {
    add(word) {
      if (known.has(word) || word.length < shortest - 1) return;
      known.add(word);
      for (const pair of pairsOf(word)) {
        const words = byPair.get(pair);
        if (words) words.push(word);
        else byPair.set(pair, [word]);
      }
    },
    find(word) {
      if (word.length < shortest) return [];
      const maxEdits = word.length >= longWord ? 2 : 1;
      const pairs = pairsOf(word);
      const shared = new Map<string, number>();
      for (const pair of pairs)
        for (const other of byPair.get(pair) ?? []) shared.set(other, (shared.get(other) ?? 0) + 1);
      const found: { other: string; edits: number }[] = [];
      for (const [other, count] of shared) {
        // One edit changes at most two pairs, a transposition three.
        if (count < pairs.size - 3 * maxEdits) continue;
        const edits = countEdits(word, other, maxEdits);
        if (edits <= maxEdits) found.push({ other, edits });
      }
      const least = Math.min(...found.map(({ edits }) => edits));
      const closest = found.filter(({ edits }) => edits === least).map(({ other }) => other);
      return closest.sort().slice(0, maxFound);
    },
  };
}

function pairsOf(word: string): Set<string> {
  const padded = `^${word}$`;
  return new Set(Array.from({ length: padded.length - 1 }, (_, index) => padded.slice(index, index + 2)));
}

/** Counts insertions, deletions, replacements and transpositions of neighbours; more than `max` if there are more. */
export function countEdits(one: string, other: string, max: number): number {
  if (Math.abs(one.length - other.length) > max) return max + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1];
      let edits = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
      );
      if (row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1])
        edits = Math.min(edits, (beforeLast[column - 2] ?? 0) + 1);
      current.push(edits);
    }
    if (Math.min(...current) > max) return max + 1;
    beforeLast = last;
    last = current;
  }
  return last[other.length] ?? max + 1;
}
