import {
  type Document,
  type DocumentOptions,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Pair,
  type ParseOptions,
  parseAllDocuments,
  parseDocument,
  visit,
  type YAMLError,
  type YAMLMap,
} from 'yaml';
import type { Path } from './problems.ts';

export interface Place {
  readonly line: number;
  readonly column: number;
}

/** A syntax or structure problem in the text. */
export interface TextProblem extends Place {
  readonly message: string;
}

/** A parsed file with source positions. */
export interface LocatedDocument {
  readonly value: unknown;
  /**
   * Returns the position of a value or of its key. For a missing value, returns the position of the nearest ancestor.
   * With an offset, returns the position of that character of a text.
   */
  locate(path: Path, atKey?: boolean, offset?: number): Place;
  readonly problems: readonly TextProblem[];
}

/** Parses YAML, JSON, or JSON with comments. Never throws; errors are listed in `problems`. */
export function readDocument(text: string, options: { readonly json?: boolean } = {}): LocatedDocument {
  const lines = new LineCounter();
  // prettyErrors quotes the source, which may contain secrets. structureProblems checks for duplicate keys, because the
  // check of the parser takes quadratic time.
  const parseOptions = {
    lineCounter: lines,
    prettyErrors: false,
    uniqueKeys: false,
    stringKeys: true,
    merge: true,
    logLevel: 'error',
  } as const;
  const spring = options.json ? undefined : readSpringDocuments(text, parseOptions);
  const document = spring?.main ?? parseDocument(options.json ? blankComments(text) : text, parseOptions);
  const place = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const errors: YAMLError[] = [...document.errors, ...document.warnings];
  const exhausted = errors.find((error) => error.code === 'RESOURCE_EXHAUSTION');
  const problems = (exhausted ? [exhausted] : errors)
    .slice(0, mostTextProblems)
    .map((error) => ({ ...place(error.pos[0]), message: wordingOf(error) }));
  if (problems.length === 0) for (const problem of structureProblems(document, place)) problems.push(problem);
  const main = problems.length === 0 ? toValue(document, problems) : undefined;
  const value = spring && problems.length === 0 ? { ...spring.others, ...(main as object) } : main;
  const pairs = createPairs();
  return {
    value,
    problems,
    locate(path, atKey, offset) {
      const start = offsetOf(document, pairs, path, atKey);
      const node = offset === undefined ? undefined : document.getIn(path, true);
      if (!isScalar(node) || typeof node.value !== 'string' || offset === undefined) return place(start);
      return place(offsetInText(text, start, node.value, offset));
    },
  };
}

/**
 * Where a character of a text is written in the file. The file may write the text with quotes, escapes, indentation or
 * folded lines: what the text does not have is skipped.
 */
function offsetInText(source: string, start: number, value: string, offset: number): number {
  const header = /^[|>][^\n]*\n/.exec(source.slice(start, start + 1_000))?.[0].length ?? 0;
  let at = start + header;
  for (let position = 0; position <= offset && position < value.length; position++) {
    const character = value[position] as string;
    const isFolded = character === ' ' || character === '\n';
    if (position === 0 && /^['"]$/.test(source[at] ?? '') && header === 0) at++;
    while (at < source.length && source[at] !== character) {
      if (!(isFolded ? /[\s]/ : /[\s\\'"]/).test(source[at] as string)) break;
      at++;
    }
    if (position < offset) at++;
  }
  return Math.min(at, source.length);
}

/**
 * The documents of a Spring application file: the one with `myai`, and the keys of the others. Undefined for any other file.
 * Documents that belong to a profile are not used, unless only they have `myai`.
 */
function readSpringDocuments(text: string, options: ParseOptions & DocumentOptions) {
  if (!/^---/m.test(text) || !/^myai:/m.test(text)) return undefined;
  const documents = parseAllDocuments(text, options);
  if (documents.length < 2 || 'empty' in documents) return undefined;
  const has = (document: Document.Parsed, path: readonly string[]) => document.hasIn(path);
  const withTools = documents.filter((document) => has(document, ['myai', 'toolbox']));
  const isOfProfile = (document: Document.Parsed) =>
    has(document, ['spring', 'config', 'activate', 'on-profile']) || has(document, ['spring', 'profiles']);
  const general = withTools.filter((document) => !isOfProfile(document));
  const [main, ...more] = general.length > 0 ? general : withTools;
  if (!main || more.length > 0) return undefined;
  const keys = documents
    .filter((document) => document !== main)
    .flatMap((document) => (isMap(document.contents) ? document.contents.items : []))
    .map(({ key }) => (isScalar(key) ? String(key.value) : ''))
    .filter((key) => key !== '' && key !== 'myai');
  return { main, others: Object.fromEntries(keys.map((key) => [key, {}])) };
}

/** Returns true if the text should be parsed as JSON, where `//` starts a comment. */
export function looksLikeJson(text: string, file?: string): boolean {
  if (file && /\.ya?ml$/i.test(file)) return false;
  return /^\s*(?:\{|\[|\/\/|\/\*)/.test(text);
}

const mostTextProblems = 5;

/** Replaces JSON comments by spaces, which preserves all positions. */
function blankComments(text: string): string {
  return text.replace(/"(?:[^"\\\n]|\\.)*"|\/\/[^\r\n]*|\/\*[\s\S]*?\*\//g, (match) =>
    match.startsWith('"') ? match : match.replace(/[^\r\n]/g, ' '),
  );
}

function structureProblems(document: Document.Parsed, place: (offset: number) => Place): TextProblem[] {
  const problems: TextProblem[] = [];
  visit(document, {
    Map(_, map) {
      const seen = new Map<string, number>();
      for (const { key } of map.items) {
        if (!isScalar(key) || !key.range) continue;
        const name = String(key.value);
        const first = seen.get(name);
        if (first === undefined) seen.set(name, key.range[0]);
        else {
          const message = `duplicate key '${name.slice(0, 100)}', first at line ${place(first).line}`;
          problems.push({ ...place(key.range[0]), message });
        }
      }
    },
    Alias(_, alias) {
      // The message omits the alias name: an unquoted password that starts with * parses as an alias.
      if (!alias.resolve(document)) {
        const message = 'alias (*) without an anchor (&) before it; put text that starts with * in quotes';
        problems.push({ ...place(alias.range?.[0] ?? 0), message });
      }
    },
  });
  return problems;
}

function toValue(document: Document.Parsed, problems: TextProblem[]): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (cause) {
    // The parser throws a ReferenceError for an alias bomb. Deep nesting overflows the stack.
    const bomb = cause instanceof ReferenceError;
    problems.push({ line: 1, column: 1, message: bomb ? 'aliases expand to too much' : 'is nested too deeply' });
    return undefined;
  }
}

type Pairs = (map: YAMLMap) => ReadonlyMap<string, Pair>;

/** Indexes the pairs of each map by key once, because a file can have thousands of problems to locate. */
function createPairs(): Pairs {
  const indexes = new WeakMap<YAMLMap, Map<string, Pair>>();
  return (map) => {
    const known = indexes.get(map);
    if (known) return known;
    const index = new Map(map.items.map((pair) => [isScalar(pair.key) ? String(pair.key.value) : '', pair]));
    indexes.set(map, index);
    return index;
  };
}

function offsetOf(document: Document.Parsed, pairs: Pairs, path: Path, atKey = false): number {
  let node: unknown = document.contents;
  let offset = document.contents?.range?.[0] ?? 0;
  for (const [index, part] of path.entries()) {
    if (isAlias(node)) node = node.resolve(document);
    const last = index === path.length - 1;
    if (isMap(node)) {
      const pair = pairs(node).get(String(part));
      if (!pair) break;
      const key = isScalar(pair.key) ? pair.key.range?.[0] : undefined;
      node = pair.value;
      offset = (last && atKey ? key : (startOf(node) ?? key)) ?? offset;
      // A missing key is reported at the key of the map that should contain it.
      if (!last && isMap(node) && !pairs(node).has(String(path[index + 1]))) offset = key ?? offset;
    } else if (isSeq(node) && typeof part === 'number') {
      node = node.items[part];
      offset = startOf(node) ?? offset;
    } else break;
  }
  return offset;
}

function startOf(node: unknown): number | undefined {
  if (isScalar(node) && node.value === null) return undefined;
  return isScalar(node) || isMap(node) || isSeq(node) || isAlias(node) ? node.range?.[0] : undefined;
}

/** Returns a message for a parser error. The message never quotes the source. */
function wordingOf(error: YAMLError): string {
  if (error.code === 'RESOURCE_EXHAUSTION') return 'is nested too deeply';
  if (error.code === 'TAG_RESOLVE_FAILED') return 'unknown tag (!): only plain YAML values are read';
  if (error.code === 'MULTIPLE_DOCS') return 'holds more than one document; keep one';
  if (error.code === 'NON_STRING_KEY') return 'a key must be plain text';
  if (error.code === 'TAB_AS_INDENT') return 'tabs are not allowed as indentation; use spaces';
  const [words = error.message] = error.message.split(/: | \\/);
  return `not valid YAML or JSON: ${words.charAt(0).toLowerCase()}${words.slice(1)}`;
}
