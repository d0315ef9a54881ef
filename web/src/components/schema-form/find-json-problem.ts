/** The position where a text stops being JSON, and what was expected there. Lines and columns count from one. */
export interface JsonProblem {
  readonly line: number;
  readonly column: number;
  readonly expected: string;
}

const tokens =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids exactly these inside a text
  /[{}[\],:]|"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])|(?:true|false|null)\b/y;

type State = 'value' | 'value or ]' | 'name or }' | 'name' | ':' | ', or }' | ', or ]' | 'end';

const words: Readonly<Record<State, string>> = {
  value: 'a value',
  'value or ]': 'a value or ]',
  'name or }': 'a name in double quotes or }',
  name: 'a name in double quotes',
  ':': 'a colon',
  ', or }': 'a comma or }',
  ', or ]': 'a comma or ]',
  end: 'nothing more',
};

/** Finds the first position where a text is not JSON; undefined for JSON. */
export function findJsonProblem(text: string): JsonProblem | undefined {
  const open: ('{' | '[')[] = [];
  let state: State = 'value';
  let at = 0;
  const after = (): State => (open.length === 0 ? 'end' : open.at(-1) === '{' ? ', or }' : ', or ]');
  for (;;) {
    while (' \t\n\r'.includes(text[at] ?? 'x')) at += 1;
    if (at === text.length) return state === 'end' ? undefined : problemAt(text, at, state);
    tokens.lastIndex = at;
    const token = tokens.exec(text)?.[0];
    const next: State | undefined = token === undefined ? undefined : step(state, token, open, after);
    if (token === undefined || next === undefined) return problemAt(text, at, state);
    state = next;
    at += token.length;
  }
}

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
    case ', or }':
      return token === ',' ? 'name' : undefined;
    case ', or ]':
      return token === ',' ? 'value' : undefined;
    case 'end':
      return undefined;
  }
}

function problemAt(text: string, at: number, state: State): JsonProblem {
  const before = text.slice(0, at).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1, expected: words[state] };
}
