/** A run of text in one style. */
export interface Span {
  readonly text: string;
  readonly bold?: true;
  readonly italic?: true;
  readonly struck?: true;
  readonly code?: true;
  /** Where a link leads, which is not what it says. */
  readonly dim?: true;
  /** Ends the line here. */
  readonly lineBreak?: true;
}

export interface InlineReading {
  readonly spans: readonly Span[];
  /** Where in the text the spans end; the rest may mean something else once more of it is there. */
  readonly end: number;
}

export interface InlineOptions {
  /** Nothing follows: all of it is read. */
  readonly isWhole: boolean;
  /** Where to begin; 0. */
  readonly from?: number;
  readonly style?: Style;
}

type Style = Pick<Span, 'bold' | 'italic' | 'struck'>;

/** What is not closed within so many characters is no markup, but what it looks like. */
const maxSpan = 500;

/** The styled text of a paragraph: emphasis, code, links. Of one that is still growing, only what can't change any more. */
export function parseInline(text: string, { isWhole, from = 0, style = {} }: InlineOptions): InlineReading {
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
    // The next character decides whether a run of marks ends here.
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
  /** It ends with a mark that may be one of several. */
  readonly isRun?: boolean;
}

/** Markup, what only looks like it, or what may become some. */
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
      return readAddress(text, at, style);
    case ' ':
    case '\n':
      return readBreak(text, at, style);
    default:
      return 'plain';
  }
}

/** Where the next character stands that may mean something. A run of the same one is taken whole. */
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

/** Lines are joined; one space on each side is there so that the code may begin or end with a backtick. */
function codeText(inner: string): string {
  const line = inner.replaceAll('\n', ' ');
  return /^ .*[^ ].* $/.test(line) ? line.slice(1, -1) : line;
}

function readEmphasis(text: string, at: number, style: Style): Found {
  const mark = text[at] ?? '';
  const length = runLength(text, at);
  const inside = at + length;
  if (inside === text.length) return 'open';
  const [least, most] = mark === '~' ? [2, 2] : [1, 3];
  if (length < least || length > most || /\s/.test(text[inside] ?? '')) return 'plain';
  // Names like snake_case are no emphasis.
  if (mark === '_' && isOfWord(text[at - 1])) return 'plain';
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

/** Where as many of the same marks close what was opened; what is code or escaped closes nothing. */
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
      const isInWord = mark === '_' && isOfWord(text[at + run]);
      if (run === length && !/\s/.test(text[at - 1] ?? '') && !isInWord) return at;
      at += run;
    }
  }
  return undefined;
}

function isOfWord(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}]/u.test(character);
}

/** `[text](address)` and `![text](address)` as the text and where it leads. */
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
  const [address = ''] =
    /^[^\s<>]*/.exec(
      text
        .slice(close + 2, end)
        .trim()
        .replace(/^</, ''),
    ) ?? [];
  const { spans } = parseInline(label, { isWhole: true, style });
  return { spans: [...spans, ...placeOf(address, label)], length: end + 1 - at };
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

/** The host is what a person should look at; a text that is the address itself needs no more. */
function placeOf(address: string, label: string): readonly Span[] {
  const place = URL.parse(address)?.host || address;
  return place === '' || label.trim() === address ? [] : [{ text: ` (${place})`, dim: true }];
}

function readAddress(text: string, at: number, style: Style): Found {
  const rest = text.slice(at, at + maxSpan);
  const [whole = '', address = ''] = /^<([a-z][a-z0-9+.-]{1,31}:[^\s<>]*)>/i.exec(rest) ?? [];
  if (whole !== '') return { spans: [{ text: address, ...style }], length: whole.length };
  return /^<(?:[a-z][a-z0-9+.-]*(?::[^\s<>]*)?)?$/i.test(rest) ? 'open' : 'plain';
}

/** Two spaces or more at the end of a line break it; otherwise the end of a line is a space. */
function readBreak(text: string, at: number, style: Style): Found {
  const spaces = text[at] === ' ' ? runLength(text, at) : 0;
  const next = text[at + spaces];
  if (next === undefined) return 'open';
  if (next !== '\n') return 'plain';
  return { spans: spaces >= 2 ? [{ text: '', lineBreak: true }] : [{ text: ' ', ...style }], length: spaces + 1 };
}
