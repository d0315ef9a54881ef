import type { Tool } from '../../api/client.ts';

export interface ToolFilter {
  readonly text: string;
  /** Only this server's; empty for all. */
  readonly server: string;
  /** Only those that say so of themselves, or that changed since they were accepted. */
  readonly kind: ToolKind | '';
}

export type ToolKind = 'read-only' | 'destructive' | 'changed';

/** Tools made ready to be searched, once. */
export interface ToolIndex {
  readonly size: number;
  /** Tools that match every word, best first; in their own order where nothing is searched for. */
  search(filter: ToolFilter): readonly Tool[];
}

interface Entry {
  readonly tool: Tool;
  readonly name: string;
  /** Words begin after a space, so that the beginning of one is found by looking for a space and it. */
  readonly nameWords: string;
  readonly titleWords: string;
  readonly server: string;
  readonly description: string;
  /** All of it: what is not in here is nowhere. */
  readonly all: string;
}

// Nobody searches for what stands further down, and servers may send books.
const maxDescription = 2_000;

export function indexTools(tools: readonly Tool[]): ToolIndex {
  // Those of one server stand together, whatever order they came in.
  const entries = [...Map.groupBy(tools, ({ server }) => server).values()].flat().map(toEntry);
  return {
    size: tools.length,
    search({ text, server, kind }) {
      const words = text.toLowerCase().split(/\s+/).filter(Boolean).slice(0, 10);
      const found: { readonly entry: Entry; readonly score: number }[] = [];
      for (const entry of entries) {
        if (server !== '' && entry.tool.server !== server) continue;
        if (kind !== '' && !isOfKind(entry.tool, kind)) continue;
        const score = scoreOf(entry, words);
        if (score > 0) found.push({ entry, score });
      }
      if (words.length > 0) {
        found.sort((one, other) => other.score - one.score || one.entry.name.length - other.entry.name.length);
      }
      return found.map(({ entry }) => entry.tool);
    },
  };
}

/** What a tool says of itself, or what is known about it. */
export function isOfKind({ annotations, changed }: Tool, kind: ToolKind): boolean {
  if (kind === 'changed') return changed !== undefined;
  if (kind === 'read-only') return annotations?.readOnlyHint === true;
  return annotations?.destructiveHint === true && annotations.readOnlyHint !== true;
}

function toEntry(tool: Tool): Entry {
  const name = tool.originalName.toLowerCase();
  const nameWords = ` ${wordsOf(tool.originalName)}`;
  const titleWords = ` ${wordsOf(tool.title ?? '')}`;
  const server = (tool.server ?? '').toLowerCase();
  const description = ` ${tool.description.slice(0, maxDescription).toLowerCase()}`;
  const all = [tool.name.toLowerCase(), name, nameWords, titleWords, server, description].join('\n');
  return { tool, name, nameWords, titleWords, server, description, all };
}

function wordsOf(name: string): string {
  return name
    .slice(0, 500)
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/[_\-./:]+/g, ' ')
    .toLowerCase();
}

/** Zero where a word is nowhere to be found. A name says more than a title, and that more than a description. */
function scoreOf(entry: Entry, words: readonly string[]): number {
  let score = 1;
  for (const word of words) {
    const points = pointsOf(entry, word);
    if (points === 0) return 0;
    score += points;
  }
  return score;
}

function pointsOf({ tool, name, nameWords, titleWords, server, description, all }: Entry, word: string): number {
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
