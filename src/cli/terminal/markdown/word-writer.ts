import { toDisplayText } from '../../../policy/display-text.ts';
import { widthOf } from '../layout.ts';
import type { Terminal } from '../terminal.ts';
import type { Span } from './parse-inline.ts';

/** Where text goes, and what that looks like. */
export interface Page {
  /** Writes as it is. */
  readonly write: (text: string) => void;
  readonly width: () => number;
  readonly colors: Terminal['colors'];
}

/** The words of one paragraph, written as each is complete, in lines that fit. What would act on the terminal is written out. */
export interface WordWriter {
  add(spans: readonly Span[]): void;
  /** Writes the last word and ends the line. */
  end(): void;
}

export interface Margins {
  /** Before the first line. */
  readonly first: string;
  /** Before every other line. */
  readonly rest: string;
}

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

  function place(): void {
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

  /** Pieces of one style are one: what is in a character must be seen together. */
  function grow(span: Span, text: string): void {
    const last = word.at(-1);
    if (last && isSameStyle(last, span)) word[word.length - 1] = { ...last, text: last.text + text };
    else word.push({ ...span, text });
  }

  return {
    add(spans) {
      for (const span of spans) {
        if (span.lineBreak) {
          place();
          if (!isFirst) newLine();
          continue;
        }
        const [begin = '', ...others] = span.text.split(/[ \t\n]+/);
        if (begin !== '') grow(span, begin);
        for (const next of others) {
          place();
          if (next !== '') word.push({ ...span, text: next });
        }
      }
    },
    end() {
      place();
      write('\n');
    },
  };
}

function isSameStyle(one: Span, other: Span): boolean {
  return (['bold', 'italic', 'struck', 'code', 'dim'] as const).every((key) => one[key] === other[key]);
}

/** Without colours, code keeps the marks that tell it from words. */
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
