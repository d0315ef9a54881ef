import { toDisplayText } from '../../../policy/display-text.ts';
import { widthOf } from '../layout.ts';
import type { Terminal } from '../terminal.ts';
import type { Span } from './parse-inline.ts';

/** Where a text is written, and its style. */
export interface Page {
  /** Writes text unchanged. */
  readonly write: (text: string) => void;
  readonly width: () => number;
  readonly colors: Terminal['colors'];
}

/** Writes the words of one paragraph as they are complete, wrapped, with control characters made visible. */
export interface WordWriter {
  add(spans: readonly Span[]): void;
  /** Writes the last word and ends the line. */
  end(): void;
}

export interface Margins {
  /** The prefix of the first line. */
  readonly first: string;
  /** The prefix of the other lines. */
  readonly rest: string;
}

/** Creates a writer for one paragraph. */
export function createWordWriter({ write, width, colors }: Page, { first, rest }: Margins): WordWriter {
  let word: Span[] = [];
  let isFirst = true;
  let column = widthOf(first);
  let isLineEmpty = true;
  if (first !== '') write(colors.dim(first));

  function newLine(): void {
    write(rest === '' ? '\n' : `\n${colors.dim(rest)}`);
    column = widthOf(rest);
    isLineEmpty = true;
  }

  function writeWord(): void {
    if (word.length === 0) return;
    const shown = word.map((span) => ({ span, text: shownText(span, colors.isColorSupported) }));
    const length = shown.reduce((sum, { text }) => sum + widthOf(text), 0);
    if (!isLineEmpty && column + 1 + length > width()) newLine();
    else if (!isLineEmpty) {
      write(' ');
      column++;
    }
    for (const { span, text } of shown) write(paint(span, text, colors));
    column += length;
    isLineEmpty = false;
    isFirst = false;
    word = [];
  }

  /** Joins text of the same style, since a character may consist of several pieces. */
  function grow(span: Span, text: string): void {
    const last = word.at(-1);
    if (last && isSameStyle(last, span)) word[word.length - 1] = { ...last, text: last.text + text };
    else word.push({ ...span, text });
  }

  return {
    add(spans) {
      for (const span of spans) {
        if (span.lineBreak) {
          writeWord();
          if (!isFirst) newLine();
          continue;
        }
        const [start = '', ...others] = span.text.split(/[ \t\n]+/);
        if (start !== '') grow(span, start);
        for (const next of others) {
          writeWord();
          if (next !== '') word.push({ ...span, text: next });
        }
      }
    },
    end() {
      writeWord();
      write('\n');
    },
  };
}

function isSameStyle(one: Span, other: Span): boolean {
  return (['bold', 'italic', 'struck', 'code', 'dim'] as const).every((key) => one[key] === other[key]);
}

/** Without colours, code keeps its backticks. */
function shownText({ text, code }: Span, isColored: boolean): string {
  const shown = toDisplayText(text, { maxLength: 10_000 });
  return code && !isColored ? `\`${shown}\`` : shown;
}

function paint({ bold, italic, struck, code, dim }: Span, text: string, colors: Page['colors']): string {
  let painted = text;
  if (code) painted = colors.cyan(painted);
  if (dim) painted = colors.dim(painted);
  if (struck) painted = colors.strikethrough(painted);
  if (italic) painted = colors.italic(painted);
  return bold ? colors.bold(painted) : painted;
}
