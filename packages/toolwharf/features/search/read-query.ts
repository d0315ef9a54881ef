import type { SimilarWords } from './similar-words.ts';
import { splitWords } from './split-words.ts';
import { synonymsOf } from './word-classes.ts';

/** The terms of a query, by their numbers in an index. */
export interface Query {
  readonly weights: ReadonlyMap<number, number>;
  /** The words of the query that the terms come from. */
  readonly words: ReadonlyMap<number, string>;
  /** Words with others of similar meaning. `own` is undefined if no tool has the word itself. */
  readonly alike: readonly { readonly own: number | undefined; readonly synonyms: readonly number[] }[];
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
/** Further unknown words are not compared with all words of the index. */
const maxCompared = 5;
/** Shorter words are parts of compounds by chance. */
const shortestPart = 4;
/** Longer words are data. */
const maxCompound = 40;
/** Reads the terms of a query with their weights, and the words that they come from. */
export function readQuery(query: string, { findTerm, similar }: Vocabulary): Query {
  const weights = new Map<number, number>();
  const words = new Map<number, string>();
  const alike: { own: number | undefined; synonyms: number[] }[] = [];
  const name = (id: number, word: string) => {
    if (!words.has(id)) words.set(id, word);
  };
  const add = (id: number, weight: number, word: string) => {
    weights.set(id, (weights.get(id) ?? 0) + weight);
    name(id, word);
  };
  const isKnown = (word: string) => findTerm(splitWords(word)[0]?.term ?? '') !== undefined;
  /** The words that an unknown word may stand for: a misspelt one, a part of compounds, or a compound (`Wettervorhersage`). */
  function findMeant(word: string): readonly string[] {
    const spelt = similar.find(word, isKnown);
    if (spelt.length > 0) return spelt;
    const parts = splitCompound(word, isKnown);
    if (parts.length > 0 || ++compared > maxCompared) return parts;
    return similar.findCompounds(word, isKnown);
  }
  let compared = 0;
  const terms = new Set<string>();
  let corrected = 0;
  for (const { term, text } of splitWords(query.slice(0, maxLength).replace(data, ' '))) {
    const own = findTerm(term);
    if (own !== undefined) add(own, 1, text);
    if (terms.has(term)) continue;
    terms.add(term);
    const synonyms: number[] = [];
    for (const synonym of synonymsOf(term)) {
      const id = findTerm(synonym.term);
      if (id === undefined) continue;
      synonyms.push(id);
      name(id, `${text}≈${synonym.word}`);
    }
    if (synonyms.length > 0) alike.push({ own, synonyms });
    if (own !== undefined || synonyms.length > 0 || ++corrected > maxCorrected) continue;
    const candidates = findMeant(text);
    for (const word of candidates) {
      const found = findTerm(splitWords(word)[0]?.term ?? '');
      if (found !== undefined) add(found, typoWeight / candidates.length, `${text}→${word}`);
    }
  }
  for (const [id, count] of weights) if (count > 1) weights.set(id, 1 + Math.log(count));
  return { weights, words, alike };
}

/** The two known words of a compound, which German may join with `s`, `es`, `n` or `en`; the first one as long as possible. */
function splitCompound(word: string, isKnown: (word: string) => boolean): readonly string[] {
  for (let at = (word.length > maxCompound ? 0 : word.length) - shortestPart; at >= shortestPart; at--) {
    const tail = word.slice(at);
    if (!isKnown(tail)) continue;
    const joined = word.slice(0, at);
    for (const head of [joined, joined.replace(/e?[sn]$/, ''), joined.replace(/[sn]$/, '')])
      if (head.length >= shortestPart && isKnown(head)) return [head, tail];
  }
  return [];
}
