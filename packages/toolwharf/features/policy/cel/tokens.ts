import { ConditionError } from './errors.ts';

/** A token of a condition. */
export interface Token {
  readonly kind: 'int' | 'double' | 'string' | 'name' | 'symbol' | 'end';
  /** The name or symbol; for a literal, how it is written. */
  readonly text: string;
  readonly value?: bigint | number | string;
  readonly at: number;
}

const space = /(?:[\s]|\/\/[^\n]*)+/y;
const double = /(?:\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)/y;
const int = /0[xX][0-9a-fA-F]+|\d+/y;
const name = /[A-Za-z_][A-Za-z0-9_]*/y;
const symbol = /&&|\|\||==|!=|<=|>=|[-+*/%<>!?:.,()[\]{}]/y;
const stringStart = /([rR]?)('''|"""|'|")/y;

const escapes: Readonly<Record<string, string>> = Object.assign(Object.create(null), {
  ...{ a: '\u0007', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' },
  ...{ '\\': '\\', '?': '?', '"': '"', "'": "'", '`': '`' },
});

/** Splits a condition into tokens; the last one is the end. */
export function readTokens(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const match = (pattern: RegExp) => {
    pattern.lastIndex = at;
    return pattern.exec(text);
  };
  for (;;) {
    at += match(space)?.[0].length ?? 0;
    if (at >= text.length) break;
    const start = match(stringStart);
    if (start) {
      const { value, end } = readString(text, at, start[1] !== '', start[2] ?? "'");
      tokens.push({ kind: 'string', text: text.slice(at, end), value, at });
      at = end;
      continue;
    }
    const token = match(double) ?? match(int) ?? match(name) ?? match(symbol);
    if (!token) throw new ConditionError(`unexpected character ${JSON.stringify(text[at])}`, text, at);
    tokens.push(toToken(token[0], text, at));
    at += token[0].length;
  }
  tokens.push({ kind: 'end', text: 'the end', at });
  return tokens;
}

function toToken(written: string, text: string, at: number): Token {
  if (/^[A-Za-z_]/.test(written)) return { kind: 'name', text: written, at };
  if (!/\d/.test(written)) return { kind: 'symbol', text: written, at };
  const next = text[at + written.length] ?? '';
  if (/[A-Za-z_]/.test(next))
    throw new ConditionError(`unexpected ${JSON.stringify(next)} after a number`, text, at + written.length);
  if (/[.eE]/.test(written) && !/^0[xX]/.test(written))
    return { kind: 'double', text: written, value: Number(written), at };
  return { kind: 'int', text: written, value: BigInt(written), at };
}

function readString(text: string, from: number, isRaw: boolean, quote: string): { value: string; end: number } {
  let at = from + (isRaw ? 1 : 0) + quote.length;
  let value = '';
  while (!text.startsWith(quote, at)) {
    const character = text[at];
    if (character === undefined || (character === '\n' && quote.length === 1))
      throw new ConditionError('the text has no closing quote', text, from);
    if (character === '\\' && !isRaw) {
      const escaped = readEscape(text, at);
      value += escaped.value;
      at = escaped.end;
    } else {
      value += character;
      at++;
    }
  }
  return { value, end: at + quote.length };
}

function readEscape(text: string, at: number): { value: string; end: number } {
  const simple = escapes[text[at + 1] ?? ''];
  if (simple !== undefined) return { value: simple, end: at + 2 };
  const coded = /\\(?:[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))/y;
  coded.lastIndex = at;
  const match = coded.exec(text);
  const code = match ? Number.parseInt(match[1] ?? match[2] ?? match[3] ?? '', 16) : Number.NaN;
  if (!match || code > 0x10ffff)
    throw new ConditionError(
      `unknown escape ${JSON.stringify(text.slice(at, at + 2))}; write \\\\ for a backslash`,
      text,
      at,
    );
  return { value: String.fromCodePoint(code), end: at + match[0].length };
}
