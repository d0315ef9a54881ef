import { addPosting, createPosting, dropPostings, type Posting } from './postings.ts';
import { type Query, readQuery } from './read-query.ts';
import {
  addScores,
  addToScores,
  createScores,
  insertRanked,
  moveScores,
  type Ranked,
  raiseScores,
  resetScores,
} from './scores.ts';
import { createSimilarWords } from './similar-words.ts';
import { type ToolDocument, termsOfName, weighTerms } from './tool-fields.ts';

/** A tool that matches a query. */
export interface ToolMatch {
  readonly id: string;
  readonly score: number;
  /**
   * The words of the query that the tool contains, as they were written; `isue→issue` for a corrected one, `save≈write` for a word
   * of similar meaning.
   */
  readonly matched: readonly string[];
}

export interface ToolSearchOptions {
  /** The maximum number of results; 10. */
  readonly limit?: number;
  /** Only tools of this server. */
  readonly server?: string;
  /**
   * How close each tool is to the meaning of the query, by id. Words and meaning count in standard deviations over all tools, so that what
   * tells tools apart decides.
   */
  readonly meaning?: ReadonlyMap<string, number>;
}

/** A full-text index of tools. After changes it scores like a new index of the same tools. */
export interface ToolIndex {
  readonly size: number;
  /** Adds a tool, or replaces the tool with the same id. */
  set(document: ToolDocument): void;
  delete(id: string): void;
  /** Drops the entries of deleted tools if there are many, in small steps. No other method may be called before it has ended. */
  sweep(): Iterable<void>;
  /** The best matches, best first. Tools that match no word are returned only if their meaning stands out. */
  search(query: string, options?: ToolSearchOptions): ToolMatch[];
}

interface IndexedTool {
  readonly document: ToolDocument;
  readonly terms: readonly number[];
  readonly nameTerms: readonly number[];
}

/** A term, or the number of one that no tool has any more and that the next new term gets. */
interface Term {
  readonly text: string;
  /** The words that it stands for. */
  readonly words: Set<string>;
  readonly posting: Posting;
}

interface WeighedPosting {
  readonly posting: Posting;
  readonly factor: number;
}

/** How fast more occurrences of a term stop to count (BM25's k1). */
const saturation = 2;
/** How much more rare terms count, as the exponent of their rarity. */
const rarityPower = 1.2;
/** How much a tool gains if a query has all terms of its name, as a share of its score. */
const nameShare = 0.4;
/** Weight of a word with a similar meaning, in tools that do not have the word itself. */
const synonymWeight = 0.4;
/** A tool without a word of the query deviates by at least this in its meaning. */
const minDeviation = 2;
/** Terms that a larger share of the tools has count little. */
const broadShare = 0.5;
/** Sums differ by less than this share if their terms are added in another order. */
const roundingError = 1e-9;

/** Creates an empty index. */
export function createToolIndex(): ToolIndex {
  const terms: Term[] = [];
  const termIds = new Map<string, number>();
  const freeTerms: number[] = [];
  const similar = createSimilarWords();
  const tools: (IndexedTool | undefined)[] = [];
  const slotOf = new Map<string, number>();
  let deadSlots: number[] = [];
  let freeSlots: number[] = [];

  const scores = createScores();
  /** The best score of a tool for one word and its synonyms. */
  const bestOfWord = createScores();

  function postingOf(id: number): Posting {
    return (terms[id] as Term).posting;
  }

  function termId(text: string): number {
    const known = termIds.get(text);
    if (known !== undefined) return known;
    const id = freeTerms.pop() ?? terms.length;
    terms[id] = { text, words: new Set(), posting: createPosting() };
    termIds.set(text, id);
    return id;
  }

  function add(document: ToolDocument): void {
    const slot = freeSlots.pop() ?? tools.length;
    const ofTool: number[] = [];
    for (const [text, { frequency, words }] of weighTerms(document)) {
      const id = termId(text);
      const term = terms[id] as Term;
      for (const word of words) {
        if (term.words.has(word)) continue;
        term.words.add(word);
        similar.add(word);
      }
      ofTool.push(id);
      addPosting(term.posting, slot, (frequency * (saturation + 1)) / (frequency + saturation));
    }
    tools[slot] = { document, terms: ofTool, nameTerms: [...termsOfName(document)].map(termId) };
    slotOf.set(document.id, slot);
  }

  function remove(id: string): void {
    const slot = slotOf.get(id);
    const tool = slot === undefined ? undefined : tools[slot];
    if (slot === undefined || !tool) return;
    slotOf.delete(id);
    tools[slot] = undefined;
    for (const term of tool.terms) postingOf(term).live--;
    deadSlots.push(slot);
  }

  /** Postings of removed tools are dropped together: one removal must not scan them all. */
  function* sweep(): Generator<void> {
    if (deadSlots.length <= 100 + slotOf.size / 4) return;
    for (const [text, id] of termIds) {
      yield;
      const { words, posting } = terms[id] as Term;
      dropPostings(posting, (slot) => tools[slot] === undefined);
      if (posting.live > 0) continue;
      for (const word of words) similar.delete(word);
      termIds.delete(text);
      freeTerms.push(id);
    }
    freeSlots = [...freeSlots, ...deadSlots];
    deadSlots = [];
  }

  const vocabulary = {
    similar,
    findTerm(text: string): number | undefined {
      const id = termIds.get(text);
      return id !== undefined && postingOf(id).live > 0 ? id : undefined;
    },
  };

  function rarity(id: number): number {
    const { live } = postingOf(id);
    return Math.log(1 + (slotOf.size - live + 0.5) / (live + 0.5)) ** rarityPower;
  }

  /** Computes the scores of the tools that match; of all that can be among the best. Returns a score that the best reach. */
  function scoreTools({ weights, alike }: Query, limit: number, wanted: string | undefined): number {
    resetScores(scores, tools.length);
    resetScores(bestOfWord, tools.length);
    const counted = new Set<number>();
    for (const { own, synonyms } of alike) {
      if (own !== undefined) counted.add(own);
      scoreAlike(own, synonyms, weights);
    }
    const broad: WeighedPosting[] = [];
    for (const [id, weight] of weights) {
      if (counted.has(id)) continue;
      const posting = postingOf(id);
      const factor = weight * rarity(id);
      if (posting.live > slotOf.size * broadShare) broad.push({ posting, factor });
      else addScores(scores, posting, factor);
    }
    if (broad.length === 0) return 0;
    const narrow = limit === Number.POSITIVE_INFINITY ? [] : rank(limit, weights, wanted);
    const least = narrow.length < limit ? 0 : (narrow.at(-1)?.score ?? 0);
    // Almost all tools have the broad terms, but these count little: a tool with such terms only is rarely among the best. This bound
    // is known as MaxScore.
    const most = broad.reduce((sum, { factor }) => sum + factor * (saturation + 1), 0);
    const isEnough = most * (1 + nameShare) < least * (1 - roundingError);
    for (const { posting, factor } of broad) (isEnough ? addToScores : addScores)(scores, posting, factor);
    return least;
  }

  /** A tool gets the score of the best of a word and its synonyms. */
  function scoreAlike(own: number | undefined, synonyms: readonly number[], weights: Query['weights']): void {
    const weight = own === undefined ? 1 : (weights.get(own) ?? 1);
    const maxRarity = own === undefined ? Number.POSITIVE_INFINITY : rarity(own);
    if (own !== undefined) raiseScores(bestOfWord, postingOf(own), weight * maxRarity);
    for (const id of synonyms)
      if (!weights.has(id))
        raiseScores(bestOfWord, postingOf(id), synonymWeight * weight * Math.min(maxRarity, rarity(id)));
    moveScores(bestOfWord, scores);
  }

  /** The share of a tool's name that the query has, by the rarity of its terms. */
  function coverName({ nameTerms }: IndexedTool, weights: Query['weights']): number {
    let all = 0;
    let covered = 0;
    for (const id of nameTerms) {
      const rare = rarity(id);
      all += rare;
      if (weights.has(id)) covered += rare;
    }
    return all === 0 ? 0 : covered / all;
  }

  /** The best tools without regard to their meaning. */
  function rank(limit: number, weights: Query['weights'], wanted: string | undefined, reached = 0): readonly Ranked[] {
    const best: Ranked[] = [];
    const { values, touched, count } = scores;
    let least = reached;
    for (let at = 0; at < count; at++) {
      const slot = touched[at] as number;
      const value = values[slot] as number;
      if (value * (1 + nameShare) < least) continue;
      const tool = tools[slot];
      if (!tool || (wanted !== undefined && tool.document.server !== wanted)) continue;
      const score = value * (1 + nameShare * coverName(tool, weights) ** 2);
      if (score < least) continue;
      insertRanked(best, { number: slot, score }, limit, isBefore);
      if (best.length === limit) least = (best[limit - 1] as Ranked).score;
    }
    return best;
  }

  /** The best tools by the sum of the deviations of their words and of their meaning. */
  function rankByMeaning(
    limit: number,
    weights: Query['weights'],
    wanted: string | undefined,
    meaning: ReadonlyMap<string, number>,
  ): readonly Ranked[] {
    const slots = [...slotOf.values()];
    const indexed = slots.map((slot) => tools[slot] as IndexedTool);
    const byWords = slots.map((slot, at) => {
      const value = scores.values[slot] as number;
      return value === 0 ? 0 : value * (1 + nameShare * coverName(indexed[at] as IndexedTool, weights) ** 2);
    });
    const ofWords = toDeviations(byWords);
    const ofMeaning = toDeviations(indexed.map(({ document }) => meaning.get(document.id) ?? 0));
    // The highest of as many random values deviates by about this. A model that does not know the language stays below it.
    const chance = Math.sqrt(2 * Math.log(slots.length)) || 1;
    const trust = Math.min(1, (highest(ofMeaning) / chance) ** 2);
    // In a small catalog, no tool deviates by much.
    const leastAlone = Math.min(minDeviation, Math.sqrt(slots.length - 1) / 2);
    const best: Ranked[] = [];
    for (const [at, slot] of slots.entries()) {
      if (wanted !== undefined && indexed[at]?.document.server !== wanted) continue;
      if (byWords[at] === 0 && (ofMeaning[at] as number) < leastAlone) continue;
      const score = (ofWords[at] as number) + trust * (ofMeaning[at] as number);
      insertRanked(best, { number: slot, score }, limit, isBefore);
    }
    return best;
  }

  function isBefore(one: number, other: number): boolean {
    return (tools[one]?.document.id ?? '') < (tools[other]?.document.id ?? '');
  }

  return {
    get size() {
      return slotOf.size;
    },
    set(document) {
      remove(document.id);
      add(document);
    },
    delete: remove,
    sweep,
    search(text, { limit = 10, server, meaning } = {}) {
      const query = readQuery(text, vocabulary);
      const reached = scoreTools(query, meaning ? Number.POSITIVE_INFINITY : limit, server);
      const best = meaning
        ? rankByMeaning(limit, query.weights, server, meaning)
        : rank(limit, query.weights, server, reached * (1 - roundingError));
      return best.map(({ number, score }) => {
        const { document, terms: ofTool } = tools[number] as IndexedTool;
        return { id: document.id, score, matched: namesOf(query.words, ofTool) };
      });
    },
  };
}

/** The words of a query that a tool contains; those of similar meaning only if it does not contain the word itself. */
function namesOf(words: ReadonlyMap<number, string>, terms: readonly number[]): string[] {
  const found = [...words].filter(([id]) => terms.includes(id)).map(([, word]) => word);
  return found.filter((word) => !found.includes(word.split('≈')[0] ?? '') || !word.includes('≈'));
}

/** How many standard deviations each value is above the mean. */
function toDeviations(values: readonly number[]): readonly number[] {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  const deviation = Math.sqrt(variance) || 1;
  return values.map((value) => (value - mean) / deviation);
}

/** `Math.max` takes a limited number of arguments. */
function highest(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), 0);
}
