import { mapInSlices } from './slices.ts';

/** The candidate with the smallest edit distance to a mistyped word, or undefined if none is similar enough. */
export function closest(word: string, candidates: Iterable<string>): string | undefined {
  const search = createSearch(word);
  for (const candidate of candidates) search.compare(candidate);
  return search.best();
}

/** Like `closest`, for very many candidates. */
export async function closestOfMany(word: string, candidates: Iterable<string>): Promise<string | undefined> {
  const search = createSearch(word);
  await mapInSlices(candidates, search.compare);
  return search.best();
}

const maxWordLength = 60;

function createSearch(word: string) {
  const wanted = plain(word);
  let best: string | undefined;
  // A third of the letters may be wrong, but at least one.
  let bestDistance = word.length > maxWordLength ? 0 : Math.max(1, Math.floor(wanted.length / 3)) + 1;
  return {
    best: () => best,
    compare(candidate: string): void {
      // Each character too many or too few is an edit.
      if (candidate.length + bestDistance <= wanted.length) return;
      const name = plain(candidate);
      if (Math.abs(name.length - wanted.length) >= bestDistance) return;
      const distance = editDistance(wanted, name);
      if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
    },
  };
}

function plain(word: string): string {
  return word.toLowerCase().replace(/[-_]/g, '');
}

/** The number of inserted, removed and replaced characters between two words. */
export function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const replaced = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}
