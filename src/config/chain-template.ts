/** A `{{…}}` placeholder in the arguments of a step. */
export interface ChainReference {
  /** The arguments of the chain, or the number of an earlier step, starting at 1. */
  readonly from: 'input' | number;
  /** For a step: its text, its structured content, or its text parsed as JSON. */
  readonly part?: 'text' | 'structured' | 'json';
  /** Keys and indexes into the value. */
  readonly path: readonly string[];
  /** The placeholder in its original spelling. */
  readonly written: string;
}

export type ChainTemplate = readonly (string | ChainReference)[];

/** Parses placeholders such as `{{input.to}}` and `{{steps.1.text}}`. An invalid placeholder is an error. */
export function readTemplate(text: string): ChainTemplate | { readonly problem: string } {
  const parts: (string | ChainReference)[] = [];
  let end = 0;
  for (const match of text.matchAll(/\{\{([^{}]*)\}\}/g)) {
    const reference = readReference(match[1]?.trim() ?? '');
    if (!reference)
      return { problem: `${match[0]} is neither {{input.NAME}} nor {{steps.1.text}}, .structured or .json` };
    if (match.index > end) parts.push(text.slice(end, match.index));
    parts.push({ ...reference, written: match[0] });
    end = match.index + match[0].length;
  }
  if (end < text.length) parts.push(text.slice(end));
  return parts;
}

/** Yields every string in the arguments of a step. */
export function* textsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null)
    for (const member of Object.values(value)) yield* textsIn(member);
}

function readReference(written: string): Omit<ChainReference, 'written'> | undefined {
  const [from, ...path] = written.split('.');
  if (path.length === 0 || path.includes('')) return undefined;
  if (from === 'input') return { from, path };
  if (from !== 'steps') return undefined;
  const [number = '', part, ...inside] = path;
  if (!/^[1-9]\d{0,2}$/.test(number)) return undefined;
  if (part !== 'text' && part !== 'structured' && part !== 'json') return undefined;
  return part === 'text' && inside.length > 0 ? undefined : { from: Number(number), part, path: inside };
}
