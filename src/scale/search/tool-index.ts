import { createServerScores } from './server-scores.ts';
import { createSimilarWords } from './similar-words.ts';
import { splitWords } from './split-words.ts';
import { type ToolDocument, weighTerms } from './tool-fields.ts';

/** A tool that matches a query. */
export interface ToolMatch {
  readonly id: string;
  readonly score: number;
  /** The words of the query that the tool contains, as they were written; `isue→issue` for a corrected one. */
  readonly matched: readonly string[];
}

export interface ToolSearchOptions {
  /** The maximum number of results; 10. */
  readonly limit?: number;
  /** Only tools of this server. */
  readonly server?: string;
}

/** A full-text index of tools. After changes it scores like a new index of the same tools. */
export interface ToolIndex {
  readonly size: number;
  /** Adds a tool, or replaces the tool with the same id. */
  set(document: ToolDocument): void;
  delete(id: string): void;
  /** The best matches, best first. Tools that match no word are not returned. */
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

/** How fast more occurrences of a term stop to count (BM25's k1). */
const saturation = 1.2;
/** Weight of a corrected word. */
const typoWeight = 0.7;
/** Long queries describe tasks, which usually need several tools of one server; short ones name one tool. */
const shortQuery = 6;
const longQuery = 16;
const serverWeight = { short: 0.3, long: 0.5 };
const bestOfServerWeight = { short: 0.2, long: 0.5 };
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
    if (scores.length < tools.length) scores = new Float64Array(2 * tools.length);
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

  /** The terms of a query with their weights, and the words that they come from. */
  function readQuery(query: string): { weights: Map<number, number>; words: Map<number, string>; length: number } {
    const weights = new Map<number, number>();
    const words = new Map<number, string>();
    const unknown = new Set<string>();
    const add = (id: number, weight: number, word: string) => {
      weights.set(id, (weights.get(id) ?? 0) + weight);
      if (!words.has(id)) words.set(id, word);
    };
    for (const { term, text } of splitWords(query)) {
      const id = termIds.get(term);
      if (id !== undefined && (postings[id] as Posting).live > 0) add(id, 1, text);
      else if (!unknown.has(term)) {
        unknown.add(term);
        const candidates = similar.find(text).flatMap((word) => {
          const found = termIds.get(splitWords(word)[0]?.term ?? '');
          return found !== undefined && (postings[found] as Posting).live > 0 ? [{ word, found }] : [];
        });
        for (const { word, found } of candidates) add(found, typoWeight / candidates.length, `${text}→${word}`);
      }
    }
    return { weights, words, length: weights.size };
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

  function rarity(id: number): number {
    const { live } = postings[id] as Posting;
    return Math.log(1 + (slotOf.size - live + 0.5) / (live + 0.5));
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
    search(query, { limit = 10, server } = {}) {
      const { weights, words, length } = readQuery(query);
      const breadth = Math.min(1, Math.max(0, (length - shortQuery) / (longQuery - shortQuery)));
      const expanded = new Map(weights);
      if (breadth < 1)
        for (const id of weights.keys())
          for (const [other, relation] of relatedTo(id))
            if (!weights.has(other))
              expanded.set(other, Math.max(expanded.get(other) ?? 0, relatedWeight * relation * (1 - breadth)));

      const touched: number[] = [];
      for (const [id, weight] of expanded) {
        const { slots, impacts } = postings[id] as Posting;
        const factor = weight * rarity(id);
        for (let at = 0; at < slots.length; at++) {
          const slot = slots[at] as number;
          if (scores[slot] === 0) touched.push(slot);
          scores[slot] = (scores[slot] as number) + factor * (impacts[at] as number);
        }
      }

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
      const best: { tool: IndexedTool; score: number }[] = [];
      for (const slot of touched) {
        const tool = tools[slot];
        const own = scores[slot] as number;
        scores[slot] = 0;
        if (!tool || (server !== undefined && tool.server.name !== server)) continue;
        const score = own + tool.server.best;
        if (best.length < limit || score >= (best.at(-1)?.score ?? 0)) insert(best, { tool, score }, limit);
      }
      for (const one of found) one.best = 0;
      return best.map(({ tool, score }) => ({
        id: tool.document.id,
        score,
        matched: [...words].filter(([id]) => tool.terms.includes(id)).map(([, word]) => word),
      }));
    },
  };
}

/** Inserts into a list of at most `limit` that is sorted by score, and by id among equals. */
function insert(
  best: { tool: IndexedTool; score: number }[],
  one: { tool: IndexedTool; score: number },
  limit: number,
) {
  const isBefore = (other: (typeof best)[number]) =>
    one.score > other.score || (one.score === other.score && one.tool.document.id < other.tool.document.id);
  const last = best.at(-1);
  if (best.length >= limit && last && !isBefore(last)) return;
  let at = best.length;
  while (at > 0 && isBefore(best[at - 1] as (typeof best)[number])) at--;
  best.splice(at, 0, one);
  if (best.length > limit) best.pop();
}
