/** What a `{{…}}` in a step's arguments stands for. */
export interface ChainReference {
  /** The chain's own arguments, or a step before, counted from 1. */
  readonly from: 'input' | number;
  /** Of a step: its text, its structured content, or its text read as JSON. */
  readonly part?: 'text' | 'structured' | 'json';
  /** The way into the value, by names and indexes. */
  readonly path: readonly string[];
  /** As it was written. */
  readonly written: string;
}

export type ChainTemplate = readonly (string | ChainReference)[];

/** Reads `{{input.to}}` and `{{steps.1.text}}` out of a text. What is between braces and means nothing is an error. */
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

/** Every text in a step's arguments. */
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
