import type { SimilarWords } from './similar-words.ts';
import { splitWords } from './split-words.ts';
import { isCommon, synonymsOf } from './word-classes.ts';

/** The terms of a query, by their numbers in an index. */
export interface Query {
  readonly weights: ReadonlyMap<number, number>;
  /** The words of the query that the terms come from. */
  readonly words: ReadonlyMap<number, string>;
  /** Words with others of similar meaning. `own` is undefined if no tool has the word itself. */
  readonly alike: readonly { readonly own: number | undefined; readonly synonyms: readonly number[] }[];
  /** 0 for a short query, 1 for a long one. */
  readonly breadth: number;
}

/** The words of an index. */
export interface Vocabulary {
  /** The number of a term that a tool has. */
  findTerm(term: string): number | undefined;
  readonly similar: SimilarWords;
}

/** Further characters are not read: a search takes a bounded time. */
const maxLength = 2_000;
/** Encoded data, such as an image in base64, has no words. */
const data = /[a-z\d+/=]{100,}/gi;
/** Weight of a corrected word. */
const typoWeight = 0.7;
/** Further unknown words are not corrected. */
const maxCorrected = 50;
/** Weight of common words in long queries. In short ones, most words are about the tool. */
const commonWeight = 0.4;
/** Long queries describe tasks, which usually need several tools of one server; short ones name one tool. */
const shortQuery = 6;
const longQuery = 16;

/** Reads the terms of a query with their weights, and the words that they come from. */
export function readQuery(query: string, { findTerm, similar }: Vocabulary): Query {
  const weights = new Map<number, number>();
  const words = new Map<number, string>();
  const common = new Set<number>();
  const alike: { own: number | undefined; synonyms: number[] }[] = [];
  const name = (id: number, word: string) => {
    if (!words.has(id)) words.set(id, word);
  };
  const add = (id: number, weight: number, word: string) => {
    weights.set(id, (weights.get(id) ?? 0) + weight);
    name(id, word);
  };
  const isKnown = (word: string) => findTerm(splitWords(word)[0]?.term ?? '') !== undefined;
  const terms = new Set<string>();
  let corrected = 0;
  for (const { term, text } of splitWords(query.slice(0, maxLength).replace(data, ' '))) {
    const own = findTerm(term);
    if (own !== undefined) add(own, 1, text);
    if (terms.has(term)) continue;
    terms.add(term);
    if (own !== undefined && isCommon(term)) common.add(own);
    const synonyms: number[] = [];
    for (const synonym of synonymsOf(term)) {
      const id = findTerm(synonym.term);
      if (id === undefined) continue;
      synonyms.push(id);
      name(id, `${text}≈${synonym.word}`);
    }
    if (synonyms.length > 0) alike.push({ own, synonyms });
    if (own !== undefined || synonyms.length > 0 || ++corrected > maxCorrected) continue;
    const candidates = similar.find(text, isKnown);
    for (const word of candidates) {
      const found = findTerm(splitWords(word)[0]?.term ?? '');
      if (found !== undefined) add(found, typoWeight / candidates.length, `${text}→${word}`);
    }
  }
  const factor = 1 - (1 - commonWeight) * breadthOf(terms.size);
  for (const id of common) weights.set(id, (weights.get(id) ?? 0) * factor);
  return { weights, words, alike, breadth: breadthOf(weights.size) };
}

/** 0 for a short query, 1 for a long one. */
function breadthOf(terms: number): number {
  return Math.min(1, Math.max(0, (terms - shortQuery) / (longQuery - shortQuery)));
}
