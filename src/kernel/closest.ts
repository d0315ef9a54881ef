/** The candidate with the smallest edit distance to a mistyped word, or undefined if none is similar enough. */
export function closest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > 60) return undefined;
  const wanted = plain(word);
  let best: string | undefined;
  // A third of the letters may be wrong, but at least one.
  let bestDistance = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of candidates) {
    const name = plain(candidate);
    // Each character too many or too few is an edit.
    if (Math.abs(name.length - wanted.length) >= bestDistance) continue;
    const distance = editDistance(wanted, name);
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
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
