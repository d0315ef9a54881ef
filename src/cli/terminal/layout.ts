import { toDisplayText } from '../../policy/display-text.ts';

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

/** Wraps the text at spaces into lines of at most `width` columns. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (widthOf(longer) <= width || line === '') line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line];
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
