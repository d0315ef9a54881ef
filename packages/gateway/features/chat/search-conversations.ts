import type { Conversation, Message } from '../../../contract/records/conversation.ts';
import type { ConversationStore } from '../../../toolwharf/storage/ports/conversation-store.ts';
import { foldText, type MatchWord, matchExactly, matchRoughly, toWords } from '../../core/storage/text-search.ts';

export interface SearchOptions {
  readonly owners: readonly string[];
  readonly query: string;
  /** Maximum number of conversations; 20. */
  readonly limit?: number;
}

/** Ranges of a text that match a word, as start and end, in order. */
export type Highlights = readonly (readonly [start: number, end: number])[];

/** A conversation that a search found. */
export interface ConversationMatch {
  readonly conversation: Conversation;
  readonly titleHighlights: Highlights;
  /** The newest matching messages, of any branch. */
  readonly messages: readonly MessageMatch[];
}

export interface MessageMatch {
  readonly id: string;
  readonly role: Message['role'];
  readonly createdAt: string;
  /** The text around the first match. */
  readonly excerpt: string;
  readonly highlights: Highlights;
}

/** What a search found: the latest conversations, and how many there are in all. */
export interface ConversationMatches {
  readonly matches: readonly ConversationMatch[];
  readonly total: number;
}

/** Searches titles and messages, and returns excerpts with the matching words. */
export async function searchConversations(
  store: Pick<ConversationStore, 'search'>,
  { owners, query, limit = 20 }: SearchOptions,
): Promise<ConversationMatches> {
  const words = toWords(query);
  const { matches, total } = await store.search({ owners, words, limit });
  const found = matches.map(({ conversation, messages }) => ({
    conversation,
    titleHighlights: highlightsIn(conversation.title, words),
    messages: messages.map((message) => toMatch(message, words)),
  }));
  return { matches: found, total };
}

const leadLength = 50;
const excerptLength = 180;

function toMatch({ id, role, createdAt, parts }: Message, words: readonly string[]): MessageMatch {
  const texts = parts.flatMap((part) => {
    if (part.type === 'attachment') return [part.name];
    return part.type === 'text' || part.type === 'app' ? [part.text] : [];
  });
  // An excerpt without the marks of Markdown.
  const plain = texts.join('\n').replaceAll(/\*\*|__|`+|^#+ /gm, '');
  const text = plain.replaceAll(/\s+/g, ' ').trim();
  const first = highlightsIn(text, words)[0]?.[0] ?? 0;
  const start = first > leadLength ? text.lastIndexOf(' ', first - leadLength) + 1 : 0;
  const excerpt = text.slice(start, start + excerptLength).toWellFormed();
  return { id, role, createdAt, excerpt, highlights: highlightsIn(excerpt, words) };
}

/** The ranges of a text that match the words: exactly, or with typos for words that do not occur. */
function highlightsIn(text: string, words: readonly string[]): Highlights {
  const folded = foldText(text);
  const toOriginal = (at: number) => folded.positions[at] ?? text.length;
  const ranges = words.flatMap((word) => {
    const exact = allMatches(folded.text, word, matchExactly);
    return exact.length > 0 ? exact : allMatches(folded.text, word, matchRoughly);
  });
  const sorted = ranges.map(([start, end]) => [toOriginal(start), toOriginal(end)] as const).sort(([a], [b]) => a - b);
  return sorted.filter(([start], index) => sorted.slice(0, index).every(([, end]) => end <= start));
}

const maxRanges = 20;

function allMatches(text: string, word: string, match: MatchWord): [number, number][] {
  const ranges: [number, number][] = [];
  for (let from = 0; ranges.length < maxRanges; ) {
    const found = match(text.slice(from), word);
    if (!found) break;
    ranges.push([from + found[0], from + found[1]]);
    from += found[1];
  }
  return ranges;
}
