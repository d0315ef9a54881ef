import { RE2JS } from 're2js';

/** One kind of text that is detected. */
export interface Rule {
  readonly name: string;
  readonly class: string;
  /** Global. Its work is linear in the length of the text. A group `start` in a lookbehind is the beginning of the value. */
  readonly pattern: RegExp;
  /** The group that is the value, if it is not the whole match. The pattern has the flag `d` then. */
  readonly group?: number;
  /** Texts without any of these are not searched. */
  readonly keywords?: readonly string[];
  /** Whether a match is a value: its checksum is right, or it is no placeholder. `before` is the end of the text before it. */
  readonly accepts?: (value: string, before: string) => boolean;
}

/** A pattern of the configuration, which runs on RE2 in linear time. */
export interface CustomRule {
  readonly name: string;
  readonly class: string;
  readonly custom: RE2JS;
}

/** A value in a text. */
export interface Detected {
  readonly class: string;
  readonly rule: string;
  readonly start: number;
  readonly end: number;
}

/** Compiles a pattern of the configuration. Throws if RE2 does not know it, or if it matches the empty text. */
export function compileCustomRule(name: string, pattern: string): CustomRule {
  const custom = RE2JS.compile(pattern);
  if (custom.matcher('').matches()) throw new Error('the pattern matches the empty text');
  return { name, class: name, custom };
}

/** Without these, only a pattern of the configuration can find something. */
const mayHaveValues = /[\d@]|[:=]|[A-Za-z_]{30}/;
/** Longer texts are searched in slices, so that others run in between. Longer values than the overlap may be cut. */
const longText = 128 * 1024;
const overlap = 16 * 1024;

/** Finds the values of all rules in a text, in order and without overlaps. Yields in between if the text is long. */
export function* detect(text: string, rules: readonly (Rule | CustomRule)[]): Generator<void, readonly Detected[]> {
  const { readable, positionOf } = toReadable(text);
  const found: Detected[] = [];
  for (let start = 0; start < readable.length; start += longText) {
    const isLong = readable.length > longText;
    // A slice has the texts around it, and the values that begin in it.
    const from = Math.max(0, start - overlap);
    const slice = isLong ? readable.slice(from, start + longText + overlap) : readable;
    const hasValues = mayHaveValues.test(slice);
    for (const rule of rules) {
      const inSlice = 'custom' in rule ? matchCustom(slice, rule) : hasValues ? matchRule(slice, rule) : [];
      for (const one of inSlice) {
        const moved = from === 0 ? one : { ...one, start: one.start + from, end: one.end + from };
        if (moved.start >= start && moved.start < start + longText) found.push(moved);
      }
      if (isLong) yield;
    }
  }
  const merged = mergeOverlaps(found);
  if (!positionOf) return merged;
  return merged.map((one) => ({ ...one, start: positionOf(one.start), end: positionOf(one.end - 1, true) }));
}

/** Where values overlap, they become one, with the rule of the longest. */
function mergeOverlaps(found: readonly Detected[]): readonly Detected[] {
  const merged: Detected[] = [];
  let longest = 0;
  for (const one of found.toSorted((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    const length = one.end - one.start;
    if (!last || one.start >= last.end) {
      merged.push(one);
      longest = length;
      continue;
    }
    const { rule, class: kind } = length > longest ? one : last;
    longest = Math.max(length, longest);
    merged[merged.length - 1] = { rule, class: kind, start: last.start, end: Math.max(last.end, one.end) };
  }
  return merged;
}

const maxBefore = 100;

function matchRule(text: string, { name, class: kind, pattern, group, keywords, accepts }: Rule): Detected[] {
  if (keywords && !keywords.some((keyword) => text.includes(keyword))) return [];
  const found: Detected[] = [];
  for (const match of text.matchAll(pattern)) {
    const value = match[group ?? 0];
    if (value === undefined) continue;
    const [first, end] = (group !== undefined && match.indices?.[group]) || [match.index, match.index + value.length];
    const start = match.indices?.groups?.start?.[0] ?? first;
    if (accepts?.(value, text.slice(Math.max(0, start - maxBefore), start)) === false) continue;
    found.push({ class: kind, rule: name, start, end });
  }
  return found;
}

function matchCustom(text: string, { name, class: kind, custom }: CustomRule): Detected[] {
  const found: Detected[] = [];
  const matcher = custom.matcher(text);
  while (matcher.find())
    if (matcher.end() > matcher.start())
      found.push({ class: kind, rule: name, start: matcher.start(), end: matcher.end() });
  return found;
}

interface Readable {
  readonly readable: string;
  /** The position in the original text; undefined if the text is the original. */
  readonly positionOf?: (at: number, isEnd?: boolean) => number;
}

/** Texts without any of these characters are as people read them. */
const mayBeDisguised = /\u00ad|\u034f|[\u0600-\uffff]/;
/** Invisible characters, and letters and digits that are written as wide or mathematical characters. */
const disguised = /[\p{Default_Ignorable_Code_Point}\u{ff01}-\u{ff5e}\u{1d400}-\u{1d7ff}\u{2460}-\u{24ff}]/u;

/** The text as people read it, so that nobody hides a value with characters that look like others. */
function toReadable(text: string): Readable {
  if (!mayBeDisguised.test(text) || !disguised.test(text)) return { readable: text };
  let readable = '';
  const positions: number[] = [];
  let at = 0;
  for (const character of text) {
    const shown = disguised.test(character)
      ? character.normalize('NFKC').replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
      : character;
    for (let index = 0; index < shown.length; index++) positions.push(at + (shown === character ? index : 0));
    readable += shown;
    at += character.length;
  }
  const lengthAt = (position: number) => ((text.codePointAt(position) ?? 0) > 0xffff ? 2 : 1);
  return {
    readable,
    positionOf(index, isEnd = false) {
      const position = positions[index] ?? text.length;
      return isEnd ? position + (/[\udc00-\udfff]/.test(text[position] ?? '') ? 1 : lengthAt(position)) : position;
    },
  };
}
