import { parseExactly } from '../../../../contract/exact-json.ts';
import { formatNumber } from '../../text/formats.ts';
import { isRecord } from '../is-record.ts';

const expectedTexts = {
  value: 'a value',
  'value or ]': 'a value or ]',
  'name or }': 'a name in double quotes or }',
  name: 'a name in double quotes',
  ':': 'a colon',
  'comma or }': 'a comma or }',
  'comma or ]': 'a comma or ]',
  end: 'nothing more',
};

export type ReadArguments =
  | { readonly ok: true; readonly value: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly problem: string };

const tokens =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids exactly these inside a text
  /[{}[\],:]|"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])|(?:true|false|null)\b/y;

/** Parses a JSON object, or says where and why the text is none. An empty text is an empty object. */
export function readArguments(content: string): ReadArguments {
  if (content.trim() === '') return { ok: true, value: {} };
  try {
    const value = parseExactly(content);
    if (isRecord(value)) return { ok: true, value };
    return { ok: false, problem: 'This must be an object: { … }' };
  } catch {
    const found = findJsonProblem(content);
    if (!found) return { ok: false, problem: 'This is not JSON' };
    const { line, column, expected } = found;
    return { ok: false, problem: `Line ${formatNumber(line)}, column ${formatNumber(column)}: expected ${expected}` };
  }
}

/** The position where a text stops being JSON, and the expected token. Lines and columns count from one. */
interface JsonProblem {
  readonly line: number;
  readonly column: number;
  readonly expected: string;
}

/** Finds the first position where a text is not JSON; undefined for JSON. */
export function findJsonProblem(json: string): JsonProblem | undefined {
  const open: ('{' | '[')[] = [];
  let state: State = 'value';
  let at = 0;
  const after = (): State => (open.length === 0 ? 'end' : open.at(-1) === '{' ? 'comma or }' : 'comma or ]');
  for (;;) {
    while (' \t\n\r'.includes(json[at] ?? 'x')) at += 1;
    if (at === json.length) return state === 'end' ? undefined : problemAt(json, at, state);
    tokens.lastIndex = at;
    const token = tokens.exec(json)?.[0];
    const next: State | undefined = token === undefined ? undefined : step(state, token, open, after);
    if (token === undefined || next === undefined) return problemAt(json, at, state);
    state = next;
    at += token.length;
  }
}

type State = 'value' | 'value or ]' | 'name or }' | 'name' | ':' | 'comma or }' | 'comma or ]' | 'end';

function step(state: State, token: string, open: ('{' | '[')[], after: () => State): State | undefined {
  const isName = token.startsWith('"');
  const closes = (bracket: string) => token === bracket && state.endsWith(bracket);
  if (closes('}') || closes(']')) {
    open.pop();
    return after();
  }
  switch (state) {
    case 'value':
    case 'value or ]':
      if (token === '{' || token === '[') {
        open.push(token);
        return token === '{' ? 'name or }' : 'value or ]';
      }
      return '}],:'.includes(token) ? undefined : after();
    case 'name':
    case 'name or }':
      return isName ? ':' : undefined;
    case ':':
      return token === ':' ? 'value' : undefined;
    case 'comma or }':
      return token === ',' ? 'name' : undefined;
    case 'comma or ]':
      return token === ',' ? 'value' : undefined;
    case 'end':
      return undefined;
  }
}

function problemAt(json: string, at: number, state: State): JsonProblem {
  const before = json.slice(0, at).split('\n');
  return {
    line: before.length,
    column: (before.at(-1)?.length ?? 0) + 1,
    expected: expectedTexts[state],
  };
}
