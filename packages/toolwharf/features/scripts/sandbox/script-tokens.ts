/** A token of a script. Space and comments are between tokens. */
export interface ScriptToken {
  readonly kind: 'name' | 'number' | 'text' | 'regex' | 'sign';
  readonly text: string;
  readonly start: number;
  /** The index of the bracket that this bracket closes. */
  readonly opener?: number;
}

const space = /(?:\s|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$))+/y;
const name = /#?[\p{L}\p{Nl}$_][\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}$\u200c\u200d]*/uy;
const number = /(?:0[xob][\da-f_]+|\d[\d_]*\.?[\d_]*(?:e[+-]?[\d_]+)?|\.\d[\d_]*(?:e[+-]?[\d_]+)?)n?/iy;
// What has no end goes to the end of the line or of the code, so that no character is read twice.
const quoted = /'(?:\\[\s\S]|[^'\\\n])*'?|"(?:\\[\s\S]|[^"\\\n])*"?/y;
const template = /(?:\\[\s\S]|\$(?!\{)|[^`\\$])*(?:`|\$\{|$)/y;
const regex = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/\w*/y;
const sign = /\?\.(?!\d)|\.\.\.|=>|[=!]==?|<<=|>>>?=|\*\*=|(?:&&|\|\||\?\?)=?|\+\+|--|[-+*/%&|^<>]=|[\s\S]/y;

const keywordsBeforeExpressions = new Set(
  'await case const delete do else export extends in instanceof let new of return throw typeof var void yield'.split(
    ' ',
  ),
);
const controls = new Set(['if', 'while', 'for', 'with']);

/** Splits a script into tokens, well enough to find names and positions in it. Reads each character once. */
export function readTokens(code: string): readonly ScriptToken[] {
  const tokens: ScriptToken[] = [];
  const open: number[] = [];
  /** How many brackets are open around each template. */
  const templates: number[] = [];
  let at = 0;

  function match(pattern: RegExp): string | undefined {
    pattern.lastIndex = at;
    const [text] = pattern.exec(code) ?? [];
    return text === '' ? undefined : text;
  }

  function add(kind: ScriptToken['kind'], text: string, opener?: number): void {
    tokens.push({ kind, text, start: at, opener });
    at += text.length;
  }

  /** A template up to its end or to an expression in it, which counts as a bracket. */
  function addTemplate(text: string): void {
    add('text', text);
    if (!text.endsWith('${')) return;
    templates.push(open.length);
    open.push(tokens.length - 1);
  }

  while (at < code.length) {
    at += match(space)?.length ?? 0;
    if (at >= code.length) break;
    const first = code[at] as string;
    if (first === '`') {
      at++;
      const text = match(template) ?? '';
      at--;
      addTemplate(`\`${text}`);
      continue;
    }
    if (first === '}' && templates.at(-1) === open.length - 1) {
      templates.pop();
      open.pop();
      at++;
      const text = match(template) ?? '';
      at--;
      addTemplate(`}${text}`);
      continue;
    }
    const text = match(quoted);
    const word = text === undefined ? match(name) : undefined;
    const digits = text === undefined && word === undefined ? match(number) : undefined;
    if (text !== undefined) add('text', text);
    else if (word !== undefined) add('name', word);
    else if (digits !== undefined) add('number', digits);
    else {
      const literal = first === '/' && !endsOperand(tokens, tokens.length - 1) ? match(regex) : undefined;
      if (literal !== undefined) add('regex', literal);
      else {
        const punctuator = match(sign) ?? first;
        if ('([{'.includes(punctuator)) open.push(tokens.length);
        add('sign', punctuator, ')]}'.includes(punctuator) ? open.pop() : undefined);
      }
    }
  }
  return tokens;
}

/** Whether the token ends an operand, so that `/` after it divides and `[` after it reads a member. */
export function endsOperand(tokens: readonly ScriptToken[], index: number): boolean {
  const token = tokens[index];
  if (!token) return false;
  if (token.kind === 'name') {
    const isMember = /^\??\.$/.test(tokens[index - 1]?.text ?? '');
    return isMember || !keywordsBeforeExpressions.has(token.text);
  }
  if (token.kind === 'text') return !token.text.endsWith('${');
  if (token.kind !== 'sign') return true;
  if (token.text === ')') return !controls.has(tokens[(token.opener ?? 0) - 1]?.text ?? '');
  return token.text === ']' || token.text === '++' || token.text === '--';
}
