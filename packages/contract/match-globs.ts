import { ToolwharfError } from './errors.ts';

type Piece =
  | { readonly kind: 'any' }
  | { readonly kind: 'one'; readonly matches: (character: string) => boolean }
  | { readonly kind: 'literal'; readonly text: string };

const maxAlternatives = 1000;
const matchesAll = () => true;

/**
 * Matches names by globs: `*` any text, `?` one character, `[a-z]` and `[!a-z]` a set, `{a,b}` alternatives, `\` escapes the
 * next character. There are no paths: `*` matches `/` and `.` too. The cost is at most the product of the lengths of name
 * and pattern, so that no tool name can stall the matcher.
 */
export function createMatcher(patterns: readonly string[]): (name: string) => boolean {
  const all = patterns.flatMap(parseGlobs);
  const literals = new Set(all.filter(({ isLiteral }) => isLiteral).map(({ prefix }) => prefix));
  const globs = all.filter(({ isLiteral }) => !isLiteral);
  return (name) => literals.has(name) || globs.some((glob) => glob.matches(name));
}

/** One alternative of a pattern. */
export interface Glob {
  readonly text: string;
  /** The text before the first wildcard. */
  readonly prefix: string;
  /** There is no wildcard: the prefix is the whole pattern. */
  readonly isLiteral: boolean;
  matches(name: string): boolean;
}

/** The alternatives that a pattern stands for. */
export function parseGlobs(pattern: string): readonly Glob[] {
  refuseNegation(pattern);
  return expandBraces(pattern).map((alternative) => {
    const pieces = parse(alternative);
    const wildcard = pieces.findIndex(({ kind }) => kind !== 'literal');
    const isLiteral = wildcard < 0;
    const prefix = (isLiteral ? pieces : pieces.slice(0, wildcard))
      .map((piece) => (piece.kind === 'literal' ? piece.text : ''))
      .join('');
    return {
      text: alternative,
      prefix,
      isLiteral,
      matches: (name) => (isLiteral ? name === prefix : matches(pieces, [...name])),
    };
  });
}

/**
 * Finds the patterns that match a name, in their order. Thousands of literal patterns cost one lookup: only globs are tried
 * one by one.
 */
export function createPatternIndex(patterns: readonly string[]): (name: string) => readonly string[] {
  const literals = new Map<string, number[]>();
  const globs: { readonly index: number; readonly matches: (name: string) => boolean }[] = [];
  for (const [index, pattern] of patterns.entries()) {
    const [only, ...others] = parseGlobs(pattern);
    if (only?.isLiteral && others.length === 0)
      literals.set(only.prefix, [...(literals.get(only.prefix) ?? []), index]);
    else globs.push({ index, matches: createMatcher([pattern]) });
  }
  return (name) => {
    const matching = globs.filter(({ matches }) => matches(name)).map(({ index }) => index);
    const indexes = [...(literals.get(name) ?? []), ...matching].sort((one, other) => one - other);
    return indexes.map((index) => patterns[index] as string);
  };
}

function refuseNegation(pattern: string): void {
  if (!pattern.startsWith('!')) return;
  // Read literally it would match nothing, and a deny list that matches nothing fails open.
  throw new ToolwharfError(
    'CONFIG_INVALID',
    `The pattern "${pattern}" starts with "!", which is not supported: list what to allow under allow and what to refuse under deny, or write "\\!" for a name that starts with it.`,
    { data: { pattern } },
  );
}

/** Greedy, with backtracking to the last `*` only, which is enough and keeps the cost a product. */
function matches(pieces: readonly Piece[], name: readonly string[]): boolean {
  let piece = 0;
  let position = 0;
  let star = -1;
  let resume = 0;
  while (position < name.length) {
    const current = pieces[piece];
    if (current?.kind === 'any') {
      star = piece++;
      resume = position;
    } else if (current !== undefined && fits(current, name[position] ?? '')) {
      piece++;
      position++;
    } else if (star >= 0) {
      piece = star + 1;
      position = ++resume;
    } else return false;
  }
  return pieces.slice(piece).every((rest) => rest.kind === 'any');
}

function fits(piece: Piece, character: string): boolean {
  if (piece.kind === 'literal') return piece.text === character;
  return piece.kind === 'one' && piece.matches(character);
}

function parse(glob: string): Piece[] {
  const characters = [...glob];
  const pieces: Piece[] = [];
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] ?? '';
    const set = character === '[' ? parseSet(characters, at) : undefined;
    if (character === '\\') pieces.push({ kind: 'literal', text: characters[++at] ?? '\\' });
    else if (character === '*') {
      if (pieces.at(-1)?.kind !== 'any') pieces.push({ kind: 'any' });
    } else if (character === '?') pieces.push({ kind: 'one', matches: matchesAll });
    else if (set) {
      pieces.push({ kind: 'one', matches: set.matches });
      at = set.end;
    } else pieces.push({ kind: 'literal', text: character });
  }
  return pieces;
}

/** Parses `[…]`; undefined if it is not closed: the bracket is then a literal. */
function parseSet(characters: readonly string[], start: number) {
  const negated = characters[start + 1] === '!' || characters[start + 1] === '^';
  const first = start + (negated ? 2 : 1);
  const end = characters.indexOf(']', first + 1);
  if (end < 0) return undefined;
  const ranges: (readonly [string, string])[] = [];
  for (let at = first; at < end; at++) {
    const from = characters[at] ?? '';
    const isRange = characters[at + 1] === '-' && at + 2 < end;
    ranges.push([from, isRange ? (characters[at + 2] ?? from) : from]);
    if (isRange) at += 2;
  }
  const inside = (character: string) => ranges.some(([from, to]) => order(from, character) && order(character, to));
  return { end, matches: (character: string) => inside(character) !== negated };
}

function order(a: string, b: string): boolean {
  return (a.codePointAt(0) ?? 0) <= (b.codePointAt(0) ?? 0);
}

/** `a{b,c{d,e}}` → `ab`, `acd`, `ace`. A brace without a comma or an end is a literal. */
function expandBraces(pattern: string): string[] {
  const finished: string[] = [];
  const open = [pattern];
  for (let glob = open.pop(); glob !== undefined; glob = open.pop()) {
    const group = firstGroup(glob);
    if (!group) finished.push(glob);
    else for (const choice of group.choices) open.push(group.before + choice + group.after);
    if (open.length + finished.length > maxAlternatives) {
      throw new ToolwharfError(
        'CONFIG_INVALID',
        `The pattern "${pattern.slice(0, 100)}" stands for more than ${maxAlternatives} alternatives: write fewer or nest less.`,
      );
    }
  }
  return finished;
}

function firstGroup(glob: string) {
  for (let at = 0; at < glob.length; at++) {
    if (glob[at] === '\\') at++;
    else if (glob[at] === '{') {
      const group = readGroup(glob, at);
      if (group) return group;
    }
  }
  return undefined;
}

function readGroup(glob: string, start: number) {
  const choices: string[] = [];
  let depth = 0;
  let from = start + 1;
  for (let at = start + 1; at < glob.length; at++) {
    const character = glob[at];
    if (character === '\\') at++;
    else if (character === '{') depth++;
    else if (character === ',' && depth === 0) {
      choices.push(glob.slice(from, at));
      from = at + 1;
    } else if (character === '}' && depth-- === 0) {
      if (choices.length === 0) return undefined;
      return { before: glob.slice(0, start), choices: [...choices, glob.slice(from, at)], after: glob.slice(at + 1) };
    }
  }
  return undefined;
}
