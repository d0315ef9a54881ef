/** A variable of conditions, as the gateway describes it. */
export interface Variable {
  readonly name: string;
  readonly type: string;
  readonly parameters?: readonly string[];
  readonly description: string;
}

export interface Completion {
  readonly variable: Variable;
  /** The condition with the variable, and the position behind it. */
  readonly text: string;
  readonly caret: number;
}

const maxCompletions = 8;

/** The variables that complete the word in front of the caret. None within a text, behind another value, or if the word is complete. */
export function completionsAt(text: string, caret: number, variables: readonly Variable[]): readonly Completion[] {
  const before = text.slice(0, caret);
  const word = /(?<![\w.)\]'"])[A-Za-z_][\w.]*$/.exec(before)?.[0];
  if (word === undefined || isInText(before)) return [];
  const matching = variables.filter(({ name }) => name !== word && isCompletion(name, word));
  return matching.slice(0, maxCompletions).map((variable) => {
    const added = variable.parameters ? `${variable.name}(` : variable.name;
    const start = caret - word.length;
    return { variable, text: text.slice(0, start) + added + text.slice(caret), caret: start + added.length };
  });
}

/** `serv` completes to `call.server` too: people remember the end of a name. */
function isCompletion(name: string, word: string): boolean {
  const wanted = word.toLowerCase();
  return name.startsWith(wanted) || (name.split('.')[1]?.startsWith(wanted) ?? false);
}

function isInText(before: string): boolean {
  let quote: string | undefined;
  for (let at = 0; at < before.length; at++) {
    const character = before[at];
    if (quote !== undefined && character === '\\') at++;
    else if (quote === undefined ? character === "'" || character === '"' : character === quote)
      quote = quote === undefined ? character : undefined;
  }
  return quote !== undefined;
}
