import { Lexer, type Token, Tokenizer, type Tokens } from 'marked';
import { toDisplayText } from '../../../../toolwharf/policy/display-text.ts';
import { pad, widthOf } from '../format.ts';
import { type InlineStyle, plainText, renderInline, stableTokens } from './render-inline.ts';

/** Renders streamed Markdown: paragraphs word by word, code line by line, headings and tables when they are complete. */
export interface MarkdownWriter {
  add(text: string): void;
  /** Writes the rest of the text. */
  end(): void;
}

/** The output of a Markdown writer. */
export interface Page extends Pick<InlineStyle, 'colors'> {
  /** Writes text unchanged. */
  readonly write: (text: string) => void;
  readonly width: () => number;
}

/** Creates a writer for one text. Control characters of the text are made visible. */
export function createMarkdownWriter({ write, width, colors }: Page): MarkdownWriter {
  const style = { colors, width: width() };
  let source = '';
  let renderedLength = 0;
  let written = 0;

  /** Renders all of the text and writes what is new: the rendering of a longer text starts with that of a shorter one. */
  function update(isEnd: boolean): void {
    const text = isEnd ? source : withoutUndecidedLines(source);
    const tokens = Lexer.lex(text, { gfm: true, tokenizer: new ChatTokenizer() });
    const rendered = renderBlocks(tokens, style, !isEnd);
    write(rendered.slice(written));
    written = Math.max(written, rendered.length);
    renderedLength = source.length;
  }

  return {
    add(text) {
      source += text;
      // Rendering once per percent of growth keeps the total cost proportional to the length of the text.
      if ((source.length - renderedLength) * 100 >= source.length) update(false);
    },
    end() {
      update(true);
      write('\n');
    },
  };
}

/** Markdown without the blocks that would change text that is already written, or hide text. */
class ChatTokenizer extends Tokenizer {
  override lheading(): undefined {}
  override def(): undefined {}
  override html(): undefined {}
}

/** Removes the last lines if more text can turn them into another kind of block. */
function withoutUndecidedLines(source: string): string {
  const lines = source.split('\n');
  const last = lines.at(-1) ?? '';
  let end = lines.length;
  if (onlyMarkers.test(last) || /^[\s>*+-]*(?:```|~~~)/.test(last)) end--;
  // The lines may become a table.
  while (lines[end - 1]?.includes('|')) end--;
  return end === lines.length
    ? source
    : lines
        .slice(0, end)
        .map((line) => `${line}\n`)
        .join('');
}

const onlyMarkers = /^(?:[\s>*+\-_#`~=[\]xX]|\d[.)]?)*$/;

/** Renders blocks. If the last one is open, only the part of it that more text cannot change is rendered. */
function renderBlocks(tokens: readonly Token[], style: InlineStyle, isOpen: boolean): string {
  let text = '';
  let previous: Token | undefined;
  let hasGap = false;
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'space') hasGap = true;
    // The bullet shows whether a task is done.
    if (token.type === 'space' || token.type === 'checkbox') continue;
    const rendered = renderBlock(token as BlockToken, style, isOpen && index === tokens.length - 1);
    if (rendered === undefined) break;
    if (previous) text += hasGap || token.type === 'heading' || previous.type === 'heading' ? '\n\n' : '\n';
    text += rendered;
    previous = token;
    hasGap = token.raw.endsWith('\n\n');
  }
  return text;
}

type BlockToken =
  | Tokens.Blockquote
  | Tokens.Code
  | Tokens.Heading
  | Tokens.Hr
  | Tokens.List
  | Tokens.ListItem
  | Tokens.Paragraph
  | Tokens.Table;

/** Renders one block; undefined if nothing of an open block can be shown yet. */
function renderBlock(token: BlockToken, style: InlineStyle, isOpen: boolean): string | undefined {
  const { colors, width } = style;
  switch (token.type) {
    case 'heading': {
      if (isOpen) return undefined;
      const marks = colors.isColorSupported ? '' : `${'#'.repeat(token.depth)} `;
      return `${marks}${renderInline(token.tokens, style, { bold: true })}`;
    }
    case 'hr':
      return colors.dim('─'.repeat(Math.min(width, 40)));
    case 'code':
      return renderCode(token, style, isOpen);
    case 'table':
      return isOpen ? undefined : renderTable(token, style);
    case 'list':
      return renderBlocks(token.items, style, isOpen);
    case 'list_item': {
      const bullet = bulletOf(token);
      return renderWithin(bullet, ' '.repeat(bullet.length), token.tokens, style, isOpen);
    }
    case 'blockquote':
      return renderWithin('│ ', '│ ', token.tokens, style, isOpen);
    default:
      return renderInline(isOpen ? stableTokens(token.tokens) : token.tokens, style);
  }
}

/** Renders blocks with a prefix on the first line and another on the rest. */
function renderWithin(
  first: string,
  rest: string,
  tokens: readonly Token[],
  { colors, width }: InlineStyle,
  isOpen: boolean,
): string {
  const inner = renderBlocks(tokens, { colors, width: width - first.length }, isOpen);
  return colors.dim(first) + inner.replaceAll(/\n(?!\n)/g, `\n${colors.dim(rest)}`);
}

function bulletOf({ raw, task, checked }: Tokens.ListItem): string {
  if (task) return checked ? '☑ ' : '☐ ';
  const [, number] = /^\s*(\d{1,9}[.)])/.exec(raw) ?? [];
  return `${number ?? '•'} `;
}

/** The lines of a code block in a frame; of an open block, the complete lines. */
function renderCode({ raw, text, lang = '' }: Tokens.Code, { colors }: InlineStyle, isOpen: boolean): string {
  const [fence] = /^ {0,3}(?:`{3,}|~{3,})/.exec(raw) ?? [];
  const isClosed = fence !== undefined && raw.trimEnd().endsWith(`\n${fence}`);
  const lines = text === '' ? [] : text.split('\n');
  if (isOpen && !isClosed && !raw.endsWith('\n')) lines.pop();
  const language = toDisplayText(lang, { maxLength: 40 }).replaceAll('\n', ' ');
  const end = isOpen && !isClosed ? [] : [colors.dim('└──')];
  const shown = lines.map((line) => toDisplayText(line, { maxLength: 100_000 }));
  return [colors.dim(`┌── ${language}`.trimEnd()), ...shown, ...end].join('\n');
}

/** The rows of a table in aligned columns, or unaligned if they are too wide. */
function renderTable({ header, rows }: Tokens.Table, { colors, width }: InlineStyle): string {
  const cells = [header, ...rows].map((row) => row.map((cell) => plainText(cell.tokens)));
  const widths = header.map((_, column) => Math.max(...cells.map((row) => widthOf(row[column] ?? ''))));
  const isTooWide = widths.reduce((sum, column) => sum + column + 3, -3) > width;
  const lines = cells.map((row, index) => {
    const shown = row.map((cell, column) => (isTooWide ? cell : pad(cell, widths[column] ?? 0)));
    const painted = index === 0 ? shown.map((cell) => colors.bold(cell)) : shown;
    return painted.join(colors.dim(' │ ')).trimEnd();
  });
  const line = colors.dim(widths.map((column) => '─'.repeat(column)).join('─┼─'));
  return (isTooWide ? lines : lines.toSpliced(1, 0, line)).join('\n');
}
