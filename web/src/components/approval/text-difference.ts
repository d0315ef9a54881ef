/** A piece of two texts: in both, only in the older, or only in the newer. */
export interface DifferencePiece {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

// The table of the comparison grows with the product; beyond this a word-for-word answer would cost more than it tells.
const maxTable = 250_000;

/** What became of a text, word by word. Where too much differs, the old text as a whole and then the new one. */
export function textDifference(before: string, after: string): readonly DifferencePiece[] {
  const olds = wordsOf(before);
  const news = wordsOf(after);
  let start = 0;
  while (start < olds.length && start < news.length && olds[start] === news[start]) start += 1;
  let end = 0;
  while (
    end < olds.length - start &&
    end < news.length - start &&
    olds[olds.length - 1 - end] === news[news.length - 1 - end]
  )
    end += 1;
  const middle = compare(olds.slice(start, olds.length - end), news.slice(start, news.length - end));
  return join([...olds.slice(0, start).map(same), ...middle, ...olds.slice(olds.length - end).map(same)]);
}

/** Words, the spaces between them, single marks, and each written-out invisible character for itself. */
function wordsOf(text: string): readonly string[] {
  return text.match(/⟨U\+[0-9A-F]+⟩|[\p{L}\p{N}_]+|\s+|[^\s\p{L}\p{N}_]/gu) ?? [];
}

function compare(olds: readonly string[], news: readonly string[]): readonly DifferencePiece[] {
  if (olds.length * news.length > maxTable) return [...olds.map(removed), ...news.map(added)];
  const lengths = commonLengths(olds, news);
  const width = news.length + 1;
  const lengthAt = (old: number, fresh: number) => lengths[old * width + fresh] ?? 0;
  const pieces: DifferencePiece[] = [];
  let old = 0;
  let fresh = 0;
  while (old < olds.length || fresh < news.length) {
    const oldWord = olds[old];
    const newWord = news[fresh];
    if (oldWord !== undefined && oldWord === newWord) {
      pieces.push(same(oldWord));
      old += 1;
      fresh += 1;
    } else if (
      oldWord !== undefined &&
      (newWord === undefined || lengthAt(old + 1, fresh) >= lengthAt(old, fresh + 1))
    ) {
      pieces.push(removed(oldWord));
      old += 1;
    } else if (newWord !== undefined) {
      pieces.push(added(newWord));
      fresh += 1;
    }
  }
  return pieces;
}

/** How many words the rests of both have in common, from each pair of places on. */
function commonLengths(olds: readonly string[], news: readonly string[]): Uint32Array {
  const width = news.length + 1;
  const table = new Uint32Array((olds.length + 1) * width);
  for (let old = olds.length - 1; old >= 0; old -= 1) {
    for (let fresh = news.length - 1; fresh >= 0; fresh -= 1) {
      table[old * width + fresh] =
        olds[old] === news[fresh]
          ? (table[(old + 1) * width + fresh + 1] ?? 0) + 1
          : Math.max(table[(old + 1) * width + fresh] ?? 0, table[old * width + fresh + 1] ?? 0);
    }
  }
  return table;
}

function join(pieces: readonly DifferencePiece[]): readonly DifferencePiece[] {
  const joined: DifferencePiece[] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    if (last?.kind === piece.kind) joined[joined.length - 1] = { kind: piece.kind, text: last.text + piece.text };
    else joined.push(piece);
  }
  return joined;
}

const same = (text: string): DifferencePiece => ({ kind: 'same', text });
const removed = (text: string): DifferencePiece => ({ kind: 'removed', text });
const added = (text: string): DifferencePiece => ({ kind: 'added', text });
