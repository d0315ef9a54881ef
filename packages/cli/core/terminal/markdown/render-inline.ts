import type { Token, Tokens } from 'marked';
import { toDisplayText } from '../../../../toolwharf/policy/display-text.ts';
import { widthOf } from '../format.ts';
import type { Terminal } from '../terminal.ts';

/** The colours and the width of rendered text. */
export interface InlineStyle {
  readonly colors: Terminal['colors'];
  readonly width: number;
}

interface Emphasis {
  readonly bold?: boolean;
  readonly italic?: boolean;
  readonly struck?: boolean;
}

/** A run of text in one style. */
interface Span extends Emphasis {
  readonly text: string;
  readonly code?: boolean;
  /** The host of a link. */
  readonly dim?: boolean;
}

/** Renders emphasis, code and links, wrapped to the width. A link is shown with the host of its URL. */
export function renderInline(
  tokens: readonly Token[],
  { colors, width }: InlineStyle,
  emphasis: Emphasis = {},
): string {
  let text = '';
  let column = 0;
  for (const word of toWords(toSpans(tokens, emphasis))) {
    const shown = word.map((span) => ({ span, text: visibleText(span, colors.isColorSupported) }));
    const length = shown.reduce((sum, part) => sum + widthOf(part.text), 0);
    const isBreak = word.length === 0;
    if (isBreak || (column > 0 && column + 1 + length > width)) {
      text += '\n';
      column = 0;
    } else if (column > 0) {
      text += ' ';
      column++;
    }
    for (const part of shown) text += paint(part.span, part.text, colors);
    column += length;
  }
  return text;
}

/** The text without styles, in one line. */
export function plainText(tokens: readonly Token[]): string {
  const text = toSpans(tokens).map((span) => span.text);
  return toDisplayText(text.join(''), { maxLength: 2_000 }).replaceAll('\n', ' ');
}

/** The first tokens of an open paragraph, up to the last word that more text cannot change. */
export function stableTokens(tokens: readonly Token[]): readonly Token[] {
  let stable: readonly Token[] = [];
  for (const [index, token] of tokens.entries()) {
    const isLast = index === tokens.length - 1;
    if (token.type !== 'text') {
      if (isLast) break;
      continue;
    }
    const open = token.raw.search(openMarkup);
    const known = open === -1 ? token.raw : token.raw.slice(0, open);
    const isFollowed = open !== -1 || !isLast;
    const end = isFollowed ? /.*\s/su.exec(known) : /.*\s(?=\S)/su.exec(known);
    if (end) stable = [...tokens.slice(0, index), { ...token, text: end[0] }];
    if (open !== -1) break;
  }
  return stable;
}

/** Text that becomes markup if its closing mark follows. */
const openMarkup =
  /`|\[(?![^[\]]*\](?:[^(]|$))|!$|<(?=[a-z/]|$)|\\$|(?<![\p{L}\p{N}])_+(?=\S|$)|[*~]+(?=[^\s*~]|$)|(?:https?:|www\.)\S*$/iu;

function toSpans(tokens: readonly Token[], emphasis: Emphasis = {}): Span[] {
  return (tokens as readonly InlineToken[]).flatMap((token): readonly Span[] => {
    switch (token.type) {
      case 'strong':
        return toSpans(token.tokens, { ...emphasis, bold: true });
      case 'em':
        return toSpans(token.tokens, { ...emphasis, italic: true });
      case 'del':
        return toSpans(token.tokens, { ...emphasis, struck: true });
      case 'codespan':
        return [{ text: token.text, code: true }];
      case 'br':
        return [{ text: '\n' }];
      case 'checkbox':
        return [];
      case 'link':
      case 'image':
        return [...toSpans(token.tokens, emphasis), ...hostSpans(token)];
      default:
        return [{ ...emphasis, text: token.text.replaceAll('\n', ' ') }];
    }
  });
}

type InlineToken =
  | Tokens.Strong
  | Tokens.Em
  | Tokens.Del
  | Tokens.Codespan
  | Tokens.Br
  | Tokens.Checkbox
  | Tokens.Link
  | (Tokens.Image & { readonly autolink?: boolean })
  | Tokens.Text;

/** The host of a link, unless its text is the URL itself. */
function hostSpans({ href, text, autolink }: Tokens.Link | (Tokens.Image & { readonly autolink?: boolean })): Span[] {
  const host = URL.parse(href)?.host || href;
  return autolink || host === '' || text.trim() === href ? [] : [{ text: ` (${host})`, dim: true }];
}

/** The words of a text; an empty word is a line break. */
function toWords(spans: readonly Span[]): Span[][] {
  const words: Span[][] = [];
  let word: Span[] = [];
  const endWord = () => {
    if (word.length > 0) words.push(word);
    word = [];
  };
  for (const span of spans) {
    if (span.text === '\n') {
      endWord();
      if (words.length > 0) words.push([]);
      continue;
    }
    const [start = '', ...others] = span.text.split(/[ \t\n]+/);
    if (start !== '') word.push({ ...span, text: start });
    for (const next of others) {
      endWord();
      if (next !== '') word.push({ ...span, text: next });
    }
  }
  endWord();
  return words;
}

/** Without colours, code is shown in backticks. */
function visibleText({ text, code }: Span, isColored: boolean): string {
  const shown = toDisplayText(text, { maxLength: 10_000 });
  return code && !isColored ? `\`${shown}\`` : shown;
}

function paint({ bold, italic, struck, code, dim }: Span, text: string, colors: InlineStyle['colors']): string {
  let painted = text;
  if (code) painted = colors.cyan(painted);
  if (dim) painted = colors.dim(painted);
  if (struck) painted = colors.strikethrough(painted);
  if (italic) painted = colors.italic(painted);
  return bold ? colors.bold(painted) : painted;
}
