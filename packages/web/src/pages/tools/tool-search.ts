import type { Tool } from '../../api/client.ts';

export interface ToolFilter {
  readonly text: string;
  /** Empty for all servers. */
  readonly server: string;
  /** Empty for all kinds. */
  readonly kind: ToolKind | '';
}

export type ToolKind = 'read-only' | 'destructive' | 'changed' | 'off';

/** A search index of tools. */
export interface ToolIndex {
  readonly size: number;
  /** Tools that match every word, best first. Without words, all tools grouped by server. */
  search(filter: ToolFilter): readonly Tool[];
}

interface Entry {
  readonly tool: Tool;
  readonly name: string;
  /** Every word follows a space, so that a search for a space and a prefix finds word beginnings. */
  readonly nameWords: string;
  readonly titleWords: string;
  readonly server: string;
  readonly description: string;
  /** All fields together, for a quick check. */
  readonly all: string;
}

const maxDescription = 2_000;

/** Indexes tools for search. */
export function indexTools(tools: readonly Tool[]): ToolIndex {
  const entries = [...Map.groupBy(tools, ({ server }) => server).values()].flat().map(toEntry);
  return {
    size: tools.length,
    search({ text, server, kind }) {
      const words = text.toLowerCase().split(/\s+/).filter(Boolean).slice(0, 10);
      const candidates = entries.filter(
        ({ tool }) => (server === '' || tool.server === server) && (kind === '' || isOfKind(tool, kind)),
      );
      const scored = (score: (entry: Entry, words: readonly string[]) => number) =>
        candidates.map((entry) => ({ entry, score: score(entry, words) })).filter((one) => one.score > 0);
      const exact = scored(scoreEntry);
      // Typos are forgiven where nothing matches as it is written.
      const found = exact.length > 0 || words.length === 0 ? exact : scored(scoreSimilar);
      if (words.length > 0) {
        found.sort((a, b) => b.score - a.score || a.entry.name.length - b.entry.name.length);
      }
      return found.map(({ entry }) => entry.tool);
    },
  };
}

/** Whether a tool is annotated as this kind, or changed since it was accepted. */
export function isOfKind({ annotations, changed, disabled }: Tool, kind: ToolKind): boolean {
  if (kind === 'off') return disabled === true;
  if (kind === 'changed') return changed !== undefined;
  if (kind === 'read-only') return annotations?.readOnlyHint === true;
  return annotations?.destructiveHint === true && annotations.readOnlyHint !== true;
}

function toEntry(tool: Tool): Entry {
  const name = tool.originalName.toLowerCase();
  const nameWords = ` ${splitWords(`${tool.override?.name ?? ''} ${tool.originalName}`).trim()}`;
  const titleWords = ` ${splitWords(tool.title ?? '')}`;
  const server = (tool.server ?? '').toLowerCase();
  const description = ` ${tool.description.slice(0, maxDescription).toLowerCase()}`;
  const all = [tool.name.toLowerCase(), name, nameWords, titleWords, server, description].join('\n');
  return { tool, name, nameWords, titleWords, server, description, all };
}

function splitWords(name: string): string {
  return name
    .slice(0, 500)
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/[_\-./:]+/g, ' ')
    .toLowerCase();
}

/** Zero if a word is missing. A match in the name scores higher than one in the title, server or description. */
function scoreEntry(entry: Entry, words: readonly string[]): number {
  let score = 1;
  for (const word of words) {
    const points = scoreWord(entry, word);
    if (points === 0) return 0;
    score += points;
  }
  return score;
}

function scoreWord({ tool, name, nameWords, titleWords, server, description, all }: Entry, word: string): number {
  if (!all.includes(word)) return 0;
  if (name === word || tool.name.toLowerCase() === word) return 200;
  if (nameWords.includes(` ${word}`)) return nameWords.startsWith(` ${word}`) ? 80 : 60;
  if (name.includes(word)) return 40;
  if (titleWords.includes(` ${word}`)) return 35;
  if (titleWords.includes(word)) return 20;
  if (server.includes(word)) return 15;
  if (description.includes(` ${word}`)) return 10;
  return 4;
}

/** The same for words with typos: each must match, or be similar to, a word of the name, title or server. Zero if one is not. */
function scoreSimilar(entry: Entry, words: readonly string[]): number {
  const known = `${entry.nameWords} ${entry.titleWords} ${entry.server}`.split(/\s+/).filter(Boolean);
  let score = 1;
  for (const word of words) {
    const points = scoreWord(entry, word) || (known.some((one) => isSimilar(one, word)) ? 1 : 0);
    if (points === 0) return 0;
    score += points;
  }
  return score;
}

const maxComparedLength = 40;

/** Whether a word is the other one, or the beginning of it, with a typo: two in long words, none in those of up to three letters. */
function isSimilar(known: string, word: string): boolean {
  const allowed = word.length < 4 ? 0 : word.length < 8 ? 1 : 2;
  if (allowed === 0 || word.length > maxComparedLength) return false;
  return [0, 1, -1].some((more) => countTypos(known.slice(0, word.length + more), word) <= allowed);
}

/** The number of letters to add, remove, replace or swap with the next one (optimal string alignment). */
function countTypos(one: string, other: string): number {
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1];
      let cost = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (isSame ? 0 : 1));
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1])
        cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      next.push(cost);
    }
    before = row;
    row = next;
  }
  return row[other.length] ?? 0;
}
