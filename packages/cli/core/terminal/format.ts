import { stripVTControlCharacters } from 'node:util';
import { toJsonText, toLine } from '../../../toolwharf/kernel/exact-json.ts';
import { toDisplayText } from '../../../toolwharf/policy/display-text.ts';

/** Any text as one line that is safe to print on a terminal. */
export function oneLine(text: string): string {
  return toDisplayText(text.replace(/\s+/g, ' ').trim(), { maxLength: 2_000 }).replaceAll('\n', ' ');
}

/** The number of terminal columns of a line. */
export function widthOf(text: string): number {
  if (plain.test(text)) return text.length;
  let width = 0;
  for (const { segment } of segments(text)) width += wide.test(segment) ? 2 : 1;
  return width;
}

/** Pads the text with spaces to a width in columns. */
export function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

/** Shortens the text to a width in columns; a cut is marked with `…`. */
export function shorten(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let kept = '';
  let used = 1;
  for (const { segment } of segments(text)) {
    used += wide.test(segment) ? 2 : 1;
    if (used > width) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}

/** Wraps the text, which may be coloured, at spaces into lines of at most `width` columns. Text in backticks is not broken. */
export function wrap(text: string, width: number, indent = ''): string[] {
  const lines: string[] = [];
  let line: string | undefined;
  for (const word of wordsOf(text)) {
    const longer: string = line === undefined ? word : `${line} ${word}`;
    if (line === undefined || widthOf(stripVTControlCharacters(longer)) <= width) line = longer;
    else {
      lines.push(line);
      line = `${indent}${word}`;
    }
  }
  return [...lines, line ?? ''];
}

/** Joins parts with ` · ` into lines of at most `width` columns. A line never ends within a part. */
export function wrapParts(parts: readonly string[], width: number): string[] {
  const text = parts.map((part) => part.replaceAll(' ', '\u00a0')).join(' · ');
  return wrap(text, width).map((line) => line.replaceAll('\u00a0', ' '));
}

/** The parts of a text between spaces; text in backticks, such as a command, is one part. */
function wordsOf(text: string): readonly string[] {
  const words: string[] = [];
  for (const [index, part] of text.split('`').entries()) {
    const [first = '', ...more] = index % 2 === 1 ? [`\`${part}\``] : part.split(' ');
    words.push(`${words.pop() ?? ''}${first}`, ...more);
  }
  return words;
}

/** `1 tool`, `2 tools`. */
export function count(number: number, noun: string, plural = `${noun}s`): string {
  return `${number} ${number === 1 ? noun : plural}`;
}

/** A duration: `85 ms`, `1.2 s`, `2 min`. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  return `${Math.round(ms / 60_000)} min`;
}

// ASCII needs no segmenter, which is slow to create.
const plain = /^[\x20-\x7e]*$/;
let graphemes: Intl.Segmenter | undefined;

function segments(text: string): Iterable<Intl.SegmentData> {
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return graphemes.segment(text);
}

const wide =
  /\p{Emoji_Presentation}|\ufe0f|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\uff01-\uff60]/u;

/** The time since then: `just now`, `5 min ago`, `3 h ago`, `2 days ago`. */
export function ago(time: string, now = Date.now()): string {
  return `${span(now - Date.parse(time))} ago`.replace(/^0 s ago$/, 'just now');
}

/** The time until then: `in 5 min`; `now` if it has passed. */
export function until(time: string, now = Date.now()): string {
  const ms = Date.parse(time) - now;
  return ms <= 0 ? 'now' : `in ${span(ms)}`;
}

function span(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 2 * 86_400) return `${Math.floor(seconds / 3_600)} h`;
  return `${Math.floor(seconds / 86_400)} days`;
}

// Control, bidirectional and invisible characters that JSON.stringify does not escape.
const unseen = /\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}|\p{Variation_Selector}|[\u115f\u1160\u3164\uffa0]/gu;

/** The value as JSON. Characters that a terminal would interpret or hide are escaped, which does not change the value. */
export function jsonText(value: unknown, { indent = 2 }: { readonly indent?: number } = {}): string {
  // Between the tokens of a text that arrived may be tabs and line ends.
  const text = indent === 0 ? toLine(toJsonText(value)).replaceAll('\t', ' ') : JSON.stringify(value, null, indent);
  return text.replace(unseen, (found) => (found === '\n' ? found : escapeOf(found)));
}

function escapeOf(character: string): string {
  return [...Array(character.length).keys()]
    .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
    .join('');
}

/** The part of an id that lists show: the last characters, because a version 7 UUID begins with its time. */
export function shortId(id: string): string {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-7/.test(id) ? id.slice(-8) : id.slice(0, 8);
}
