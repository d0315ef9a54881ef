/**
 * A number that JavaScript would write otherwise than it was written, such as 9007199254740993 or 1.0. `JSON.stringify` writes it as it
 * was. Code that copies members must leave it as it is: it is frozen, and a copy is an object.
 */
export interface RawNumber {
  readonly rawJSON: string;
}

/** `JSON` with the functions of ES2026, which the types of TypeScript do not have yet. Older browsers do not have them either. */
interface ExactJson {
  rawJSON?(text: string): RawNumber;
  isRawJSON?(value: unknown): boolean;
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
}

const json = JSON as unknown as ExactJson;

/** False in older browsers, which round numbers. */
export const hasRawJson = json.rawJSON !== undefined;

/** Numbers with a fraction, an exponent, a negative zero or 16 digits: all others are written as they were. Also finds some strings. */
const maybeRaw = /(?:"\s*:|[[,]|^)\s*(?:-?\d{16}|-?\d+[.eE]|-0)/;

/** False if all numbers in a JSON text are written as JavaScript writes them. */
export function mayHaveRawNumbers(text: string): boolean {
  return maybeRaw.test(text);
}

export function isRawNumber(value: unknown): value is RawNumber {
  return typeof value === 'object' && value !== null && json.isRawJSON?.(value) === true;
}

/** A number of JSON as it is written. */
export function rawNumber(text: string): RawNumber | number {
  return json.rawJSON?.(text) ?? Number(text);
}

/** Parses a JSON text without loss: numbers that would be written otherwise are `RawNumber`s. Older browsers round them. */
export function parseExactly(text: string): unknown {
  if (!json.rawJSON || !mayHaveRawNumbers(text)) return JSON.parse(text);
  return json.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && source !== JSON.stringify(value) ? rawNumber(source) : value,
  );
}

/** Whether a value has a number that JavaScript would write otherwise. */
export function hasRawNumbers(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return isRawNumber(value) || Object.values(value).some(hasRawNumbers);
}

/** The value with the numbers of JavaScript; the same value if it has no others. */
export function roundNumbers<Value>(value: Value): Value {
  return (hasRawNumbers(value) ? JSON.parse(JSON.stringify(value)) : value) as Value;
}
