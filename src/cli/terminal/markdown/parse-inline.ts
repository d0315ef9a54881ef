/** A run of text in one style. */
export interface Span {
  readonly text: string;
  readonly bold?: true;
  readonly italic?: true;
  readonly struck?: true;
  readonly code?: true;
  /** The host of a link. */
  readonly dim?: true;
  /** A line break instead of text. */
  readonly lineBreak?: true;
}

/** The parsed part of a paragraph. */
export interface ParsedInline {
  readonly spans: readonly Span[];
  /** The offset at which the spans end; the rest is ambiguous until more text follows. */
  readonly end: number;
}

export interface InlineOptions {
  /** The text is complete, so that all of it is parsed. */
  readonly isWhole: boolean;
  /** The offset to start from; default 0. */
  readonly from?: number;
  readonly style?: Style;
}

type Style = Pick<Span, 'bold' | 'italic' | 'struck'>;

/** Markup that is not closed within this many characters is plain text. */
const maxSpan = 500;

/** Parses emphasis, code and links of a paragraph. If it is incomplete, only the part that cannot change any more. */
export function parseInline(text: string, { isWhole, from = 0, style = {} }: InlineOptions): ParsedInline {
  const spans: Span[] = [];
  let plain = '';
  let at = from;

  function flush(): void {
    if (plain !== '') spans.push({ text: plain, ...style });
    plain = '';
  }

  while (at < text.length) {
    const found = readMarkup(text, at, style);
    if (found === 'open' && !isWhole && text.length - at <= maxSpan) break;
    if (found === 'open' || found === 'plain') {
      const end = plainEnd(text, at);
      plain += text.slice(at, end);
      at = end;
      continue;
    }
    // The next character decides whether the run of marks ends here.
    if (at + found.length === text.length && !isWhole && found.isRun) break;
    flush();
    spans.push(...found.spans);
    at += found.length;
  }
  flush();
  return { spans, end: at };
}

interface Markup {
  readonly spans: readonly Span[];
  readonly length: number;
  /** It ends with a mark that may be repeated. */
  readonly isRun?: boolean;
}

/** Markup, plain text, or text that may become markup. */
type Found = Markup | 'plain' | 'open';

function readMarkup(text: string, at: number, style: Style): Found {
  switch (text[at]) {
    case '\\':
      return readEscape(text, at, style);
    case '`':
      return readCode(text, at);
    case '*':
    case '_':
    case '~':
      return readEmphasis(text, at, style);
    case '[':
    case '!':
      return readLink(text, at, style);
    case '<':
      return readUrl(text, at, style);
    case ' ':
    case '\n':
      return readBreak(text, at, style);
    default:
      return 'plain';
  }
}

/** The offset of the next character that may start markup. */
function plainEnd(text: string, at: number): number {
  const marks = /[\\`*_~[!<\n ]/g;
  marks.lastIndex = at + runLength(text, at);
  return marks.exec(text)?.index ?? text.length;
}

function runLength(text: string, at: number): number {
  let length = 1;
  while (text[at + length] === text[at]) length++;
  return length;
}

function readEscape(text: string, at: number, style: Style): Found {
  const next = text[at + 1];
  if (next === undefined) return 'open';
  if (next === '\n') return { spans: [{ text: '', lineBreak: true }], length: 2 };
  return /[!-/:-@[-`{-~]/.test(next) ? { spans: [{ text: next, ...style }], length: 2 } : 'plain';
}

function readCode(text: string, at: number): Found {
  const ticks = runLength(text, at);
  const limit = at + maxSpan;
  for (let end = text.indexOf('`', at + ticks); end !== -1 && end < limit; ) {
    const length = runLength(text, end);
    if (length === ticks) {
      const inner = codeText(text.slice(at + ticks, end));
      return { spans: [{ text: inner, code: true }], length: end + length - at, isRun: true };
    }
    end = text.indexOf('`', end + length);
  }
  return 'open';
}

/** Joins lines and removes one space on each side, which allows code to start or end with a backtick. */
function codeText(inner: string): string {
  const line = inner.replaceAll('\n', ' ');
  return /^ .*[^ ].* $/.test(line) ? line.slice(1, -1) : line;
}

function readEmphasis(text: string, at: number, style: Style): Found {
  const mark = text[at] ?? '';
  const length = runLength(text, at);
  const inside = at + length;
  if (inside === text.length) return 'open';
  const [min, max] = mark === '~' ? [2, 2] : [1, 3];
  if (length < min || length > max || /\s/.test(text[inside] ?? '')) return 'plain';
  // Names like snake_case have no emphasis.
  if (mark === '_' && isWordCharacter(text[at - 1])) return 'plain';
  const end = closeOf(text, inside, mark, length);
  if (end === undefined) return 'open';
  const inner = { ...style, ...styleOf(mark, length) };
  const { spans } = parseInline(text.slice(inside, end), { isWhole: true, style: inner });
  return { spans, length: end + length - at, isRun: true };
}

function styleOf(mark: string, length: number): Style {
  if (mark === '~') return { struck: true };
  return { ...(length !== 2 && { italic: true }), ...(length !== 1 && { bold: true }) };
}

/** The offset of the closing marks, outside of code and escapes. */
function closeOf(text: string, from: number, mark: string, length: number): number | undefined {
  const limit = Math.min(text.length, from + maxSpan);
  for (let at = from; at < limit; ) {
    const character = text[at];
    if (character === '\\') at += 2;
    else if (character === '`') {
      const code = readCode(text, at);
      at += typeof code === 'string' ? runLength(text, at) : code.length;
    } else if (character !== mark) at++;
    else {
      const run = runLength(text, at);
      const isInWord = mark === '_' && isWordCharacter(text[at + run]);
      if (run === length && !/\s/.test(text[at - 1] ?? '') && !isInWord) return at;
      at += run;
    }
  }
  return undefined;
}

function isWordCharacter(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}]/u.test(character);
}

/** Parses `[text](url)` and `![text](url)` to the text and the host. */
function readLink(text: string, at: number, style: Style): Found {
  const start = text[at] === '!' ? at + 1 : at;
  if (start === text.length) return 'open';
  if (text[start] !== '[') return 'plain';
  const close = closingBracket(text, start);
  if (close === undefined || close + 1 === text.length) return 'open';
  if (text[close + 1] !== '(') return 'plain';
  const end = text.slice(0, close + maxSpan).indexOf(')', close + 2);
  if (end === -1) return 'open';
  const label = text.slice(start + 1, close);
  const target = text.slice(close + 2, end).trim();
  const [url = ''] = /^[^\s<>]*/.exec(target.replace(/^</, '')) ?? [];
  const { spans } = parseInline(label, { isWhole: true, style });
  return { spans: [...spans, ...hostSpans(url, label)], length: end + 1 - at };
}

function closingBracket(text: string, open: number): number | undefined {
  let depth = 0;
  const limit = Math.min(text.length, open + maxSpan);
  for (let at = open; at < limit; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '[') depth++;
    else if (text[at] === ']' && --depth === 0) return at;
  }
  return undefined;
}

/** The host of a link, unless its text is the URL itself. */
function hostSpans(url: string, label: string): readonly Span[] {
  const host = URL.parse(url)?.host || url;
  return host === '' || label.trim() === url ? [] : [{ text: ` (${host})`, dim: true }];
}

function readUrl(text: string, at: number, style: Style): Found {
  const rest = text.slice(at, at + maxSpan);
  const [whole = '', url = ''] = /^<([a-z][a-z0-9+.-]{1,31}:[^\s<>]*)>/i.exec(rest) ?? [];
  if (whole !== '') return { spans: [{ text: url, ...style }], length: whole.length };
  return /^<(?:[a-z][a-z0-9+.-]*(?::[^\s<>]*)?)?$/i.test(rest) ? 'open' : 'plain';
}

/** Two or more spaces before a newline are a line break; a newline alone is a space. */
function readBreak(text: string, at: number, style: Style): Found {
  const spaces = text[at] === ' ' ? runLength(text, at) : 0;
  const next = text[at + spaces];
  if (next === undefined) return 'open';
  if (next !== '\n') return 'plain';
  return { spans: spaces >= 2 ? [{ text: '', lineBreak: true }] : [{ text: ' ', ...style }], length: spaces + 1 };
}
