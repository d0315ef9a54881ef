import type { Message } from '../../../contract/records/conversation.ts';
import { editDistance } from '../../../toolwharf/kernel/closest.ts';

/** A text for comparison, with the position of each of its characters in the original. */
export interface FoldedText {
  readonly text: string;
  readonly positions: readonly number[];
}

/** Removes case and accents: "Café" and "CAFE" fold to the same text. */
export function foldText(original: string): FoldedText {
  let text = '';
  const positions: number[] = [];
  let at = 0;
  for (const character of original) {
    const folded = character.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
    for (let index = 0; index < folded.length; index++) positions.push(at);
    text += folded;
    at += character.length;
  }
  return { text, positions };
}

const maxWords = 8;

/** The words of a query, folded. */
export function toWords(query: string): readonly string[] {
  const words = foldText(query.slice(0, 200)).text.split(/\s+/).filter(Boolean);
  return [...new Set(words)].slice(0, maxWords);
}

const maxSearchedLength = 20_000;

/** The text of a message that searches read, folded: its texts, those of apps, and the names of its attachments. */
export function searchableText({ parts }: Pick<Message, 'parts'>): string {
  const texts = parts.flatMap((part) => {
    if (part.type === 'attachment') return [part.name];
    return part.type === 'text' || part.type === 'app' ? [part.text] : [];
  });
  // A null character is not valid in a text of Postgres.
  return foldText(texts.join('\n').slice(0, maxSearchedLength)).text.replaceAll('\0', ' ');
}

/** The first range of a folded text that a word matches, or undefined. */
export type MatchWord = (text: string, word: string) => readonly [start: number, end: number] | undefined;

/** Matches a word exactly, also within a longer word. */
export const matchExactly: MatchWord = (text, word) => {
  const at = text.indexOf(word);
  return at === -1 ? undefined : [at, at + word.length];
};

/** Matches a word, or one that differs by a typo: one edit from four letters on, two from six letters on. */
export const matchRoughly: MatchWord = (text, word) => {
  const exact = matchExactly(text, word);
  if (exact || maxEdits(word) === 0) return exact;
  for (const { 0: token, index } of text.matchAll(/[\p{L}\p{N}]+/gu)) {
    if (Math.abs(token.length - word.length) > maxEdits(word)) continue;
    if (editDistance(word, token) <= maxEdits(word)) return [index, index + token.length];
  }
  return undefined;
};

function maxEdits(word: string): number {
  if (word.length < 4 || word.length > 40) return 0;
  return word.length < 6 ? 1 : 2;
}

/**
 * Splits a word so that a text with a typo of it still contains one of the pieces: one edit changes at most one of two pieces,
 * two edits at most two of three.
 */
export function piecesOf(word: string): readonly string[] {
  const count = maxEdits(word) + 1;
  const cuts = Array.from({ length: count + 1 }, (_, index) => Math.floor((index * word.length) / count));
  return cuts.slice(1).map((end, index) => word.slice(cuts[index], end));
}

/** Whether all words match. */
export function matchesAll(text: string, words: readonly string[], match: MatchWord): boolean {
  return words.every((word) => match(text, word) !== undefined);
}

/** The maximum number of messages reported of one conversation. */
export const maxFoundMessages = 3;
