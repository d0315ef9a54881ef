import { createServerScores } from './server-scores.ts';
import { createSimilarWords } from './similar-words.ts';
import { splitWords } from './split-words.ts';
import { type ToolDocument, weighTerms } from './tool-fields.ts';
import { isCommon, synonymsOf } from './word-classes.ts';

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
  /** The best matches, best first. Tools that match no word are returned for their meaning only. */
  search(query: string, options?: ToolSearchOptions): ToolMatch[];
}

interface Posting {
  readonly slots: number[];
  readonly impacts: number[];
  /** The number of tools that have the term. */
  live: number;
}

/** A server's part in the scores of one search. One object per server is faster than a map by name. */
interface SearchedServer {
  readonly name: string;
  /** The best score of its tools in the running search; 0 between searches. */
  best: number;
}

interface IndexedTool {
  readonly document: ToolDocument;
  readonly server: SearchedServer;
  readonly terms: readonly number[];
}

interface Query {
  readonly weights: ReadonlyMap<number, number>;
  readonly words: ReadonlyMap<number, string>;
  /** Words with others of similar meaning. `own` is undefined if no tool has the word itself. */
  readonly alike: readonly { readonly own: number | undefined; readonly synonyms: readonly number[] }[];
  /** 0 for a short query, 1 for a long one. */
  readonly breadth: number;
}

interface Ranked {
  readonly tool: IndexedTool;
  readonly score: number;
}

/** How fast more occurrences of a term stop to count (BM25's k1). */
const saturation = 1.2;
/** Weight of a corrected word. */
const typoWeight = 0.7;
/** Long queries describe tasks, which usually need several tools of one server; short ones name one tool. */
const shortQuery = 6;
const longQuery = 16;
const serverWeight = { short: 0.3, long: 0.5 };
const bestOfServerWeight = { short: 0.2, long: 0.5 };
/** Weight of a word with a similar meaning, in tools that do not have the word itself. */
const synonymWeight = 0.5;
/** Weight of common words in long queries. In short ones, most words are about the tool. */
const commonWeight = 0.4;
/** Related terms only help short queries. */
const relatedWeight = 0.3;
const minRelation = 0.4;
const maxRelated = 3;
/** Terms in more tools than this have no related terms: they say little. */
const maxToolsOfRelated = 80;

/** Creates an empty index. */
export function createToolIndex(): ToolIndex {
  const termIds = new Map<string, number>();
  const terms: string[] = [];
  const postings: Posting[] = [];
  const similar = createSimilarWords();
  const tools: (IndexedTool | undefined)[] = [];
  const slotOf = new Map<string, number>();
  const servers = createServerScores();
  const serverByName = new Map<string, SearchedServer>();
  let deadSlots: number[] = [];
  let freeSlots: number[] = [];
  let related = new Map<number, readonly (readonly [id: number, relation: number])[]>();
  let scores = new Float64Array(64);
  /** The best score of a tool for one word and its synonyms. */
  let bestOfWord = new Float64Array(64);

  function termId(term: string): number {
    const known = termIds.get(term);
    if (known !== undefined) return known;
    const id = postings.push({ slots: [], impacts: [], live: 0 }) - 1;
    termIds.set(term, id);
    terms.push(term);
    return id;
  }

  function add(document: ToolDocument): void {
    const slot = freeSlots.pop() ?? tools.length;
    const ofTool: number[] = [];
    for (const [term, { frequency, words }] of weighTerms(document)) {
      for (const word of words) similar.add(word);
      const id = termId(term);
      const posting = postings[id] as Posting;
      ofTool.push(id);
      posting.slots.push(slot);
      posting.impacts.push((frequency * (saturation + 1)) / (frequency + saturation));
      posting.live++;
    }
    const { server: name = '' } = document;
    const server = serverByName.get(name) ?? { name, best: 0 };
    serverByName.set(name, server);
    tools[slot] = { document, server, terms: ofTool };
    slotOf.set(document.id, slot);
    servers.add(document, termId);
    related = new Map();
    if (scores.length >= tools.length) return;
    scores = new Float64Array(2 * tools.length);
    bestOfWord = new Float64Array(2 * tools.length);
  }

  function remove(id: string): void {
    const slot = slotOf.get(id);
    const tool = slot === undefined ? undefined : tools[slot];
    if (slot === undefined || !tool) return;
    slotOf.delete(id);
    tools[slot] = undefined;
    for (const term of tool.terms) (postings[term] as Posting).live--;
    servers.remove(tool.document, termId);
    related = new Map();
    deadSlots.push(slot);
    // Postings of removed tools are dropped together: one removal must not scan them all.
    if (deadSlots.length > 100 + slotOf.size / 4) dropDeadSlots();
  }

  function dropDeadSlots(): void {
    const dead = new Set(deadSlots);
    for (const { slots, impacts } of postings) {
      let kept = 0;
      for (let at = 0; at < slots.length; at++) {
        if (dead.has(slots[at] as number)) continue;
        slots[kept] = slots[at] as number;
        impacts[kept++] = impacts[at] as number;
      }
      slots.length = kept;
      impacts.length = kept;
    }
    freeSlots = [...freeSlots, ...deadSlots];
    deadSlots = [];
  }

  function findLive(term: string): number | undefined {
    const id = termIds.get(term);
    return id !== undefined && (postings[id] as Posting).live > 0 ? id : undefined;
  }

  /** The terms of a query with their weights, and the words that they come from. */
  function readQuery(query: string): Query {
    const weights = new Map<number, number>();
    const words = new Map<number, string>();
    const common = new Set<number>();
    const alike = new Map<string, { readonly own: number | undefined; readonly synonyms: readonly number[] }>();
    const name = (id: number, word: string) => {
      if (!words.has(id)) words.set(id, word);
    };
    const add = (id: number, weight: number, word: string) => {
      weights.set(id, (weights.get(id) ?? 0) + weight);
      name(id, word);
    };
    const terms = new Set<string>();
    for (const { term, text } of splitWords(query)) {
      const own = findLive(term);
      if (own !== undefined) add(own, 1, text);
      if (own !== undefined && isCommon(term)) common.add(own);
      if (terms.has(term)) continue;
      terms.add(term);
      const synonyms = synonymsOf(term).flatMap((synonym) => {
        const id = findLive(synonym.term);
        return id === undefined ? [] : [{ id, word: synonym.word }];
      });
      if (synonyms.length > 0) alike.set(term, { own, synonyms: synonyms.map(({ id }) => id) });
      for (const { id, word } of synonyms) name(id, `${text}≈${word}`);
      if (own !== undefined || synonyms.length > 0) continue;
      const candidates = similar.find(text).flatMap((word) => {
        const found = findLive(splitWords(word)[0]?.term ?? '');
        return found === undefined ? [] : [{ word, found }];
      });
      for (const { word, found } of candidates) add(found, typoWeight / candidates.length, `${text}→${word}`);
    }
    const factor = 1 - (1 - commonWeight) * breadthOf(terms.size);
    for (const id of common) weights.set(id, (weights.get(id) ?? 0) * factor);
    return { weights, words, alike: [...alike.values()], breadth: breadthOf(weights.size) };
  }

  /** The terms that mostly occur in the same tools: synonyms, abbreviations and parts of the same name. */
  function relatedTo(id: number): readonly (readonly [id: number, relation: number])[] {
    const known = related.get(id);
    if (known) return known;
    const { slots, live } = postings[id] as Posting;
    const together = new Map<number, number>();
    if (live > 1 && live <= maxToolsOfRelated)
      for (const slot of slots)
        for (const other of tools[slot]?.terms ?? [])
          if (other !== id) together.set(other, (together.get(other) ?? 0) + 1);
    const found = [...together]
      .filter(([, count]) => count > 1)
      .map(([other, count]) => [other, count / Math.sqrt(live * (postings[other] as Posting).live)] as const)
      .filter(([, relation]) => relation >= minRelation)
      .sort(([one, first], [other, second]) => second - first || ((terms[one] ?? '') < (terms[other] ?? '') ? -1 : 1))
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
    const { live } = postings[id] as Posting;
    return Math.log(1 + (slotOf.size - live + 0.5) / (live + 0.5));
  }

  /** The score of a tool with that of its server, during a search. */
  function totalOf(slot: number): number {
    const own = scores[slot] as number;
    return own === 0 ? 0 : own + (tools[slot]?.server.best ?? 0);
  }

  /** Computes the scores of the tools that match, and of their servers; returns the slots of the tools. */
  function scoreTools({ weights, alike, breadth }: Omit<Query, 'words'>): readonly number[] {
    const touched: number[] = [];
    const addScore = (slot: number, score: number) => {
      if (scores[slot] === 0) touched.push(slot);
      scores[slot] = (scores[slot] as number) + score;
    };
    const addTerm = (id: number, weight: number) => {
      const { slots, impacts } = postings[id] as Posting;
      const factor = weight * rarity(id);
      for (let at = 0; at < slots.length; at++) addScore(slots[at] as number, factor * (impacts[at] as number));
    };
    const counted = new Set<number>();
    for (const { own, synonyms } of alike) {
      if (own !== undefined) counted.add(own);
      for (const [slot, score] of scoreAlike(own, synonyms, weights)) addScore(slot, score);
    }
    for (const [id, weight] of weights) if (!counted.has(id)) addTerm(id, weight);
    if (breadth < 1)
      for (const [id, relation] of relatedToAll(weights)) addTerm(id, relatedWeight * relation * (1 - breadth));
    scoreServers(touched, weights, breadth);
    return touched;
  }

  /** A tool gets the score of the best of a word and its synonyms. */
  function* scoreAlike(own: number | undefined, synonyms: readonly number[], weights: Query['weights']) {
    const touched: number[] = [];
    const weight = own === undefined ? 1 : (weights.get(own) ?? 1);
    const maxRarity = own === undefined ? Number.POSITIVE_INFINITY : rarity(own);
    const take = (id: number, factor: number) => {
      const { slots, impacts } = postings[id] as Posting;
      for (let at = 0; at < slots.length; at++) {
        const slot = slots[at] as number;
        const score = factor * (impacts[at] as number);
        const before = bestOfWord[slot] as number;
        if (before === 0) touched.push(slot);
        if (score > before) bestOfWord[slot] = score;
      }
    };
    if (own !== undefined) take(own, weight * maxRarity);
    for (const id of synonyms) if (!weights.has(id)) take(id, synonymWeight * weight * Math.min(maxRarity, rarity(id)));
    for (const slot of touched) {
      yield [slot, bestOfWord[slot] as number] as const;
      bestOfWord[slot] = 0;
    }
  }

  /** Tools of a server that matches rank higher: its best tool and the server as a whole count for all of its tools. */
  function scoreServers(touched: readonly number[], weights: Query['weights'], breadth: number): void {
    const found = new Set<SearchedServer>();
    for (const slot of touched) {
      const tool = tools[slot];
      const own = scores[slot] as number;
      if (!tool || own <= tool.server.best) continue;
      tool.server.best = own;
      found.add(tool.server);
    }
    const between = ({ short, long }: { short: number; long: number }) => short + (long - short) * breadth;
    const [serverFactor, bestFactor] = [between(serverWeight), between(bestOfServerWeight)];
    const asWhole = servers.score(weights);
    for (const one of found) one.best = bestFactor * one.best + serverFactor * (asWhole.get(one.name) ?? 0);
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
    search(query, { limit = 10, server, meaning } = {}) {
      const { words, ...read } = readQuery(query);
      const touched = scoreTools(read);
      const max = meaning ? touched.reduce((most, slot) => Math.max(most, totalOf(slot)), 0) || 1 : 1;
      const best: Ranked[] = [];
      for (const slot of meaning ? slotOf.values() : touched) {
        const tool = tools[slot];
        if (!tool || (server !== undefined && tool.server.name !== server)) continue;
        const score = totalOf(slot) / max + (meaning?.get(tool.document.id) ?? 0);
        if (best.length < limit || score >= (best.at(-1)?.score ?? 0)) insert(best, { tool, score }, limit);
      }
      for (const slot of touched) {
        scores[slot] = 0;
        const tool = tools[slot];
        if (tool) tool.server.best = 0;
      }
      return best.map(({ tool, score }) => ({ id: tool.document.id, score, matched: namesOf(words, tool) }));
    },
  };
}

/** The words of a query that a tool contains; those of similar meaning only if it does not contain the word itself. */
function namesOf(words: ReadonlyMap<number, string>, { terms }: IndexedTool): string[] {
  const found = [...words].filter(([id]) => terms.includes(id)).map(([, word]) => word);
  return found.filter((word) => !found.includes(word.split('≈')[0] ?? '') || !word.includes('≈'));
}

/** 0 for a short query, 1 for a long one. */
function breadthOf(terms: number): number {
  return Math.min(1, Math.max(0, (terms - shortQuery) / (longQuery - shortQuery)));
}

/** Inserts into a list of at most `limit` that is sorted by score, and by id among equals. */
function insert(best: Ranked[], one: Ranked, limit: number): void {
  const isBefore = (other: Ranked) =>
    one.score > other.score || (one.score === other.score && one.tool.document.id < other.tool.document.id);
  const last = best.at(-1);
  if (best.length >= limit && last && !isBefore(last)) return;
  let at = best.length;
  while (at > 0 && isBefore(best[at - 1] as Ranked)) at--;
  best.splice(at, 0, one);
  if (best.length > limit) best.pop();
}
