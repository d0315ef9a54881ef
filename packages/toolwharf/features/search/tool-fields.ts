import { isObject } from '../../../contract/json.ts';
import { splitWords } from './split-words.ts';

/** The indexed fields of a tool. */
export interface ToolDocument {
  /** Identifies the tool in the index: the name under which its caller sees it. */
  readonly id: string;
  /** The server; undefined for local tools. */
  readonly server?: string;
  /** The purpose of the server. */
  readonly serverText?: string;
  /** The tool's own name, without the server. */
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema?: unknown;
}

/** A field with its weight and the number of words that one normally has. A longer field counts less per word. */
interface Field {
  readonly weight: number;
  readonly usualLength: number;
  readonly read: (document: ToolDocument) => string;
}

const fields: readonly Field[] = [
  { weight: 2, usualLength: 3, read: ({ name }) => name },
  { weight: 1, usualLength: 3, read: ({ title = '' }) => title },
  { weight: 1.3, usualLength: 9, read: ({ description = '' }) => firstSentence(description) },
  {
    weight: 0.8,
    usualLength: 25,
    read: ({ description = '' }) => description.slice(firstSentence(description).length),
  },
  { weight: 0.3, usualLength: 5, read: ({ inputSchema }) => readParameters(inputSchema).names.join(' ') },
  { weight: 0.2, usualLength: 25, read: ({ inputSchema }) => readParameters(inputSchema).texts.join(' ') },
  { weight: 1, usualLength: 4, read: ({ server = '' }) => server },
  { weight: 0.4, usualLength: 15, read: ({ serverText = '' }) => serverText },
];

/** How much a long field is discounted: 0 not at all, 1 in proportion to its length. */
const lengthDiscount = 0.5;

/** A term of a tool: its frequency, weighted by field and field length, and the words that it stands for. */
export interface WeighedTerm {
  frequency: number;
  readonly words: Set<string>;
}

/** The terms of a tool. */
export function weighTerms(document: ToolDocument): Map<string, WeighedTerm> {
  const weighed = new Map<string, WeighedTerm>();
  for (const { weight, usualLength, read } of fields) {
    const words = splitWords(read(document));
    const share = weight / (1 - lengthDiscount + lengthDiscount * (words.length / usualLength));
    for (const { term, text } of words) {
      const one = weighed.get(term) ?? { frequency: 0, words: new Set() };
      one.frequency += share;
      one.words.add(text);
      weighed.set(term, one);
    }
  }
  return weighed;
}

/** The terms of a server that it has without its tools, weighted. */
export function weighServer(name: string, text: string): Map<string, number> {
  const weighed = new Map<string, number>();
  for (const { term } of splitWords(name)) weighed.set(term, (weighed.get(term) ?? 0) + 3);
  for (const { term } of splitWords(text)) weighed.set(term, (weighed.get(term) ?? 0) + 1);
  return weighed;
}

/** The terms that a tool adds to its server, weighted. */
export function weighForServer({ name, description = '' }: ToolDocument): Map<string, number> {
  const weighed = new Map<string, number>();
  for (const term of new Set(splitWords(name).map((word) => word.term))) weighed.set(term, 1);
  for (const { term } of splitWords(description)) weighed.set(term, (weighed.get(term) ?? 0) + 0.5);
  return weighed;
}

const maxSentence = 300;

/** The first sentence of a description, or its first line if that is shorter. */
export function firstSentence(text: string): string {
  const end = /[.!?](?=\s|$)|\n|。/.exec(text.trimStart().slice(0, maxSentence));
  const start = text.length - text.trimStart().length;
  return text.slice(0, start + (end ? end.index + 1 : maxSentence));
}

const maxDepth = 4;
const maxTextLength = 4_000;

/** The names and descriptions of the parameters in a JSON Schema, those of nested objects included. */
function readParameters(schema: unknown): { names: string[]; texts: string[] } {
  const names: string[] = [];
  const texts: string[] = [];
  let room = maxTextLength;
  function visit(value: unknown, depth: number): void {
    if (!isObject(value) || depth > maxDepth || room <= 0) return;
    visit(value.items, depth + 1);
    if (!isObject(value.properties)) return;
    for (const [name, parameter] of Object.entries(value.properties)) {
      names.push(name);
      if (!isObject(parameter)) continue;
      const choices = Array.isArray(parameter.enum)
        ? parameter.enum.filter((choice) => typeof choice === 'string')
        : [];
      const text = [parameter.description, ...choices].filter((part) => typeof part === 'string').join(' ');
      texts.push(text);
      room -= name.length + text.length;
      visit(parameter, depth + 1);
    }
  }
  visit(schema, 0);
  return { names, texts };
}
