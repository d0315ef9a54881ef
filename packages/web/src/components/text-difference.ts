import { diffArrays } from 'diff';

/** A piece of two texts: in both, only in the older, or only in the newer. */
export interface DifferencePiece {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

// Texts that differ more than this are shown whole: a longer comparison would slow the page down.
const maxEditLength = 500;

/** Compares two texts word by word; texts with little in common are one removed and one added piece. */
export function textDifference(before: string, after: string): readonly DifferencePiece[] {
  const changes = diffArrays(toWords(before), toWords(after), { maxEditLength });
  const pieces: readonly DifferencePiece[] = changes
    ? changes.map(({ added, removed, value }) => ({
        kind: added ? 'added' : removed ? 'removed' : 'same',
        text: value.join(''),
      }))
    : [
        { kind: 'removed', text: before },
        { kind: 'added', text: after },
      ];
  return pieces.filter(({ text }) => text !== '');
}

/** Splits a text into words, white space, single marks and escaped characters (`⟨U+200B⟩`). */
function toWords(text: string): string[] {
  return text.match(/⟨U\+[0-9A-F]+⟩|[\p{L}\p{N}_]+|\s+|[^\s\p{L}\p{N}_]/gu) ?? [];
}
