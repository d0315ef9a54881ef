/** Splits a text and returns at most the first `count` pieces. */
export function piecesOf(text: string, size: number, count: number): string[] {
  const pieces: string[] = [];
  for (let start = 0; start < text.length && pieces.length < count; ) {
    const end = endOfPiece(text, start, size);
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}

/** The end of a piece: `size` after its start, but never inside a character or a line ending. */
function endOfPiece(text: string, start: number, size: number): number {
  const end = Math.min(text.length, start + size);
  if (end === text.length || end - start < 2) return end;
  const last = text.charCodeAt(end - 1);
  const splitsPair = last >= 0xd800 && last <= 0xdbff;
  const splitsLineEnd = last === 13 && text.charCodeAt(end) === 10;
  return splitsPair || splitsLineEnd ? end - 1 : end;
}
