import { addPosting, createPosting, dropPostings, grow, type Posting } from './postings.ts';
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
import { createServerScores } from './server-scores.ts';
import { createSimilarWords } from './similar-words.ts';
import { type ToolDocument, weighTerms } from './tool-fields.ts';

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
  /** How close each tool is to the meaning of the query, by id; added to the keyword scores, of which the best is 1. */
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
  /** The best matches, best first. Tools that match no word are returned for their meaning only. */
  search(query: string, options?: ToolSearchOptions): ToolMatch[];
}

interface IndexedTool {
  readonly document: ToolDocument;
  readonly terms: readonly number[];
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

/** How much the best tool of a server and the server as a whole count for its tools in a query. */
interface ServerShares {
  readonly best: number;
  readonly server: number;
  /** By the number of the server. */
  readonly asWhole: Float64Array;
}

/** How fast more occurrences of a term stop to count (BM25's k1). */
const saturation = 1.2;
/** The values for a short query and for a long one. */
const serverWeight = { short: 0.3, long: 0.5 };
const bestOfServerWeight = { short: 0.2, long: 0.5 };
/** Weight of a word with a similar meaning, in tools that do not have the word itself. */
const synonymWeight = 0.5;
/** Related terms only help short queries. */
const relatedWeight = 0.3;
const minRelation = 0.4;
const maxRelated = 3;
/** Terms in more tools than this have no related terms: they say little. */
const maxToolsOfRelated = 80;
/** Terms that a larger share of the tools has count little. */
const broadShare = 0.5;
/** Sums differ by less than this share if their terms are added in another order. */
const roundingError = 1e-9;
/** The number of the server of a removed tool. */
const removed = -1;

/** Creates an empty index. */
export function createToolIndex(): ToolIndex {
  const terms: Term[] = [];
  const termIds = new Map<string, number>();
  const freeTerms: number[] = [];
  const similar = createSimilarWords();
  const tools: (IndexedTool | undefined)[] = [];
  const slotOf = new Map<string, number>();
  const servers = createServerScores();
  let deadSlots: number[] = [];
  let freeSlots: number[] = [];
  const related = new Map<number, readonly (readonly [id: number, relation: number])[]>();

  /** The number of the server of each tool, by slot. */
  let serverOf = new Int32Array(64);
  const scores = createScores();
  /** The best score of a tool for one word and its synonyms. */
  const bestOfWord = createScores();
  // By the number of the server: the best score of its tools, and what its tools get in addition.
  let bestOfServers = new Float64Array(0);
  let bonuses = new Float64Array(0);

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
    tools[slot] = { document, terms: ofTool };
    slotOf.set(document.id, slot);
    if (serverOf.length < tools.length) serverOf = grow(serverOf, new Int32Array(2 * tools.length));
    serverOf[slot] = servers.add(document, termId);
    related.clear();
  }

  function remove(id: string): void {
    const slot = slotOf.get(id);
    const tool = slot === undefined ? undefined : tools[slot];
    if (slot === undefined || !tool) return;
    slotOf.delete(id);
    tools[slot] = undefined;
    serverOf[slot] = removed;
    for (const term of tool.terms) postingOf(term).live--;
    servers.remove(tool.document, termId);
    related.clear();
    deadSlots.push(slot);
  }

  /** Postings of removed tools are dropped together: one removal must not scan them all. */
  function* sweep(): Generator<void> {
    if (deadSlots.length <= 100 + slotOf.size / 4) return;
    for (const [text, id] of termIds) {
      yield;
      const { words, posting } = terms[id] as Term;
      dropPostings(posting, (slot) => serverOf[slot] === removed);
      if (posting.live > 0 || servers.has(id)) continue;
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

  /** The terms that mostly occur in the same tools: synonyms, abbreviations and parts of the same name. */
  function relatedTo(id: number): readonly (readonly [id: number, relation: number])[] {
    const known = related.get(id);
    if (known) return known;
    const { slots, length, live } = postingOf(id);
    const together = new Map<number, number>();
    if (live > 1 && live <= maxToolsOfRelated)
      for (const slot of slots.subarray(0, length))
        for (const other of tools[slot]?.terms ?? [])
          if (other !== id) together.set(other, (together.get(other) ?? 0) + 1);
    const textOf = (other: number) => (terms[other] as Term).text;
    const found = [...together]
      .filter(([, count]) => count > 1)
      .map(([other, count]) => [other, count / Math.sqrt(live * postingOf(other).live)] as const)
      .filter(([, relation]) => relation >= minRelation)
      .sort(([one, first], [other, second]) => second - first || (textOf(one) < textOf(other) ? -1 : 1))
      .slice(0, maxRelated);
    related.set(id, found);
    return found;
  }

  /** The terms that are related to one of these, and how much at most. */
  function relatedToAll(weights: ReadonlyMap<number, number>): ReadonlyMap<number, number> {
    const found = new Map<number, number>();
    for (const id of weights.keys())
      for (const [other, relation] of relatedTo(id))
        if (!weights.has(other)) found.set(other, Math.max(found.get(other) ?? 0, relation));
    return found;
  }

  function rarity(id: number): number {
    const { live } = postingOf(id);
    return Math.log(1 + (slotOf.size - live + 0.5) / (live + 0.5));
  }

  /**
   * Computes the scores of the tools that match, and what their servers add to them; of all that can be among the best. Returns a score
   * that the best reach.
   */
  function scoreTools({ weights, alike, breadth }: Query, limit: number, wanted: number | undefined): number {
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
    if (breadth < 1)
      for (const [id, relation] of relatedToAll(weights))
        addScores(scores, postingOf(id), relatedWeight * relation * (1 - breadth) * rarity(id));
    const between = ({ short, long }: { short: number; long: number }) => short + (long - short) * breadth;
    const shares = {
      server: between(serverWeight),
      best: between(bestOfServerWeight),
      asWhole: servers.score(weights),
    };
    scoreServers(shares);
    if (broad.length === 0) return 0;
    const narrow = limit === Number.POSITIVE_INFINITY ? [] : rankByWords(limit, wanted);
    const least = narrow.length < limit ? 0 : (narrow.at(-1)?.score ?? 0);
    const isEnough = canOnlyReorder(broad, shares, least);
    for (const { posting, factor } of broad) (isEnough ? addToScores : addScores)(scores, posting, factor);
    scoreServers(shares);
    return least;
  }

  /**
   * Whether tools that have broad terms only cannot reach the score of the last of the best: almost all tools have these terms, but
   * they count little. This bound is known as MaxScore.
   */
  function canOnlyReorder(broad: readonly WeighedPosting[], shares: ServerShares, least: number): boolean {
    const most = broad.reduce((sum, { factor }) => sum + factor * (saturation + 1), 0);
    return shares.asWhole.every((asWhole, server) => {
      const bestOfServer = bestOfServers[server] ?? 0;
      // If no tool of a server has a higher score than the broad terms can give, its best tool is not known yet.
      const own = bestOfServer < most ? 2 * most : most;
      return (
        own + shares.best * (Math.max(bestOfServer, most) + most) + shares.server * asWhole <
        least * (1 - roundingError)
      );
    });
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

  /** Tools of a server that matches rank higher: its best tool and the server as a whole count for all of its tools. */
  function scoreServers({ server: serverShare, best, asWhole }: ServerShares): void {
    const { values, touched, count } = scores;
    if (bonuses.length < asWhole.length) {
      bestOfServers = new Float64Array(asWhole.length);
      bonuses = new Float64Array(asWhole.length);
    }
    bestOfServers.fill(0);
    for (let at = 0; at < count; at++) {
      const slot = touched[at] as number;
      const server = serverOf[slot] as number;
      const score = values[slot] as number;
      // False for removed tools, whose server has no number.
      if (score > (bestOfServers[server] as number)) bestOfServers[server] = score;
    }
    for (let server = 0; server < asWhole.length; server++)
      bonuses[server] = best * (bestOfServers[server] as number) + serverShare * (asWhole[server] as number);
  }

  /** The best tools without regard to their meaning. */
  function rankByWords(limit: number, wanted: number | undefined, reached = 0): readonly Ranked[] {
    const best: Ranked[] = [];
    const { values, touched, count } = scores;
    let least = reached;
    for (let at = 0; at < count; at++) {
      const slot = touched[at] as number;
      const server = serverOf[slot] as number;
      const score = (values[slot] as number) + (bonuses[server] as number);
      // The bonus of a removed tool is not a number, and no comparison with such a score is true.
      if (!(score >= least) || (wanted !== undefined && server !== wanted)) continue;
      insertRanked(best, { number: slot, score }, limit, isBefore);
      if (best.length === limit) least = (best[limit - 1] as Ranked).score;
    }
    return best;
  }

  /** The best tools by the sum of the scores of their words, of which the best is 1, and their meaning. */
  function rankByMeaning(limit: number, wanted: number | undefined, meaning: ReadonlyMap<string, number>) {
    const best: Ranked[] = [];
    const byWords = (slot: number) => {
      const own = scores.values[slot] as number;
      return own === 0 ? 0 : own + (bonuses[serverOf[slot] as number] as number);
    };
    let max = 0;
    for (const slot of slotOf.values()) max = Math.max(max, byWords(slot));
    for (const [id, slot] of slotOf) {
      if (wanted !== undefined && serverOf[slot] !== wanted) continue;
      const score = byWords(slot) / (max || 1) + (meaning.get(id) ?? 0);
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
      const wanted = server === undefined ? undefined : (servers.find(server) ?? removed);
      const reached = scoreTools(query, meaning ? Number.POSITIVE_INFINITY : limit, wanted);
      const best = meaning
        ? rankByMeaning(limit, wanted, meaning)
        : rankByWords(limit, wanted, reached * (1 - roundingError));
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
