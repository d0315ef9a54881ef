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

/** A field with the number of words that one normally has. A longer field counts less per word, a shorter one more. */
interface Field {
  readonly usualLength: number;
  readonly read: (document: ToolDocument) => string;
}

/** All fields count alike: on sets of tools that differ much, each set of weights loses somewhere. */
const fields: readonly Field[] = [
  { usualLength: 3, read: ({ name }) => name },
  { usualLength: 3, read: ({ title = '' }) => title },
  { usualLength: 9, read: ({ description = '' }) => firstSentence(description) },
  { usualLength: 25, read: ({ description = '' }) => description.slice(firstSentence(description).length) },
  { usualLength: 5, read: ({ inputSchema }) => readParameters(inputSchema).names.join(' ') },
  { usualLength: 25, read: ({ inputSchema }) => readParameters(inputSchema).texts.join(' ') },
  { usualLength: 4, read: ({ server = '' }) => server },
  { usualLength: 15, read: ({ serverText = '' }) => serverText },
];

/** How much a long field is discounted: 0 not at all, 1 in proportion to its length. */
const lengthDiscount = 0.5;

/** A term of a tool: its frequency, by the lengths of its fields, and the words that it stands for. */
export interface WeighedTerm {
  frequency: number;
  readonly words: Set<string>;
}

/** The terms of a tool. */
export function weighTerms(document: ToolDocument): Map<string, WeighedTerm> {
  const weighed = new Map<string, WeighedTerm>();
  for (const { usualLength, read } of fields) {
    const words = splitWords(read(document));
    const share = 1 / (1 - lengthDiscount + lengthDiscount * (words.length / usualLength));
    for (const { term, text } of words) {
      const one = weighed.get(term) ?? { frequency: 0, words: new Set() };
      one.frequency += share;
      one.words.add(text);
      weighed.set(term, one);
    }
  }
  return weighed;
}

/** The terms of a tool's name. */
export function termsOfName({ name }: ToolDocument): ReadonlySet<string> {
  return new Set(splitWords(name).map(({ term }) => term));
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
