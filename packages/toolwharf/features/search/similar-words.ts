/** Finds the words of a vocabulary that a misspelt word may have meant. */
export interface SimilarWords {
  add(word: string): void;
  delete(word: string): void;
  /** The closest words, within one edit of a short word or two edits of a long one, among those that `accepts` returns true for. */
  find(word: string, accepts?: (word: string) => boolean): readonly string[];
  /** The shortest compounds that begin or end with a word, among those that `accepts` returns true for. */
  findCompounds(word: string, accepts?: (word: string) => boolean): readonly string[];
}

const shortest = 4;
/** Shorter words are parts of others by chance. */
const shortestPart = 5;
const longWord = 8;
/** Longer words are identifiers or data; nobody types them. */
const longest = 40;
const maxFound = 3;

/** Creates an empty vocabulary. Candidates share enough pairs of characters with the word; edits are counted for those only. */
export function createSimilarWords(): SimilarWords {
  const numbers = new Map<string, number>();
  let words: (string | undefined)[] = [];
  /** The numbers of words by their length and a pair of their characters. */
  let byPair = new Map<string, number[]>();
  let shared = new Uint8Array(64);

  function insert(word: string): void {
    const number = words.push(word) - 1;
    numbers.set(word, number);
    for (const pair of pairsOf(word)) {
      const key = `${word.length}${pair}`;
      const others = byPair.get(key);
      if (others) others.push(number);
      else byPair.set(key, [number]);
    }
    if (shared.length < words.length) shared = new Uint8Array(2 * words.length);
  }

  /** The words that share at least this number of pairs with a word, and are about as long. */
  function findCandidates(word: string, maxEdits: number): readonly string[] {
    const pairs = pairsOf(word);
    const touched: number[] = [];
    for (let length = word.length - maxEdits; length <= word.length + maxEdits; length++)
      for (const pair of pairs)
        for (const number of byPair.get(`${length}${pair}`) ?? []) {
          if (shared[number] === 0) touched.push(number);
          shared[number] = (shared[number] as number) + 1;
        }
    // One edit changes at most two pairs, a transposition three.
    const minShared = pairs.size - 3 * maxEdits;
    const found = touched.filter((number) => (shared[number] as number) >= minShared).map((number) => words[number]);
    for (const number of touched) shared[number] = 0;
    return found.filter((candidate) => candidate !== undefined);
  }

  return {
    add(word) {
      if (!numbers.has(word) && word.length >= shortest - 1 && word.length <= longest) insert(word);
    },
    delete(word) {
      const number = numbers.get(word);
      if (number === undefined) return;
      numbers.delete(word);
      words[number] = undefined;
      if (words.length <= 100 + 2 * numbers.size) return;
      const left = [...numbers.keys()];
      words = [];
      byPair = new Map();
      for (const one of left) insert(one);
    },
    find(word, accepts = () => true) {
      if (word.length < shortest || word.length > longest) return [];
      const maxEdits = word.length >= longWord ? 2 : 1;
      let least = maxEdits;
      let closest: string[] = [];
      for (const other of findCandidates(word, maxEdits)) {
        const edits = countEdits(word, other, least);
        if (edits > least || !accepts(other)) continue;
        if (edits < least) closest = [];
        least = edits;
        closest.push(other);
      }
      return closest.sort().slice(0, maxFound);
    },
    findCompounds(word, accepts = () => true) {
      if (word.length < shortestPart) return [];
      const compounds: string[] = [];
      for (const other of numbers.keys())
        if ((other.startsWith(word) || other.endsWith(word)) && accepts(other)) compounds.push(other);
      return compounds.sort((one, other) => one.length - other.length || (one < other ? -1 : 1)).slice(0, maxFound);
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
    let least = row;
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
      if (edits < least) least = edits;
    }
    if (least > max) return max + 1;
    beforeLast = last;
    last = current;
  }
  return last[other.length] ?? max + 1;
}
