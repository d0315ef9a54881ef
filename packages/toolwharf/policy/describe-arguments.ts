import { isObject, type JsonObject } from '../../contract/json.ts';
import { isRawNumber } from '../kernel/exact-json.ts';
import { toDisplayText } from './display-text.ts';

export interface DescribeOptions {
  /** Maximum length of the description. */
  readonly maxLength: number;
  /** Spaces of one level, each member on its own line; everything on one line by default. */
  readonly indent?: number;
}

const lengths = [Number.POSITIVE_INFINITY, 4_000, 1_000, 400, 150, 60, 24];

/**
 * Arguments as JSON for a person who decides about a call. Long texts are shortened, with the number of characters that are left out,
 * as far as needed; no argument, item or member is ever left out. Undefined if there are too many to show within the length.
 */
export function describeArguments(args: JsonObject, { maxLength, indent = 0 }: DescribeOptions): string | undefined {
  for (const length of lengths) {
    const text = write(args, length, indent, maxLength);
    if (text !== undefined) return text;
  }
  return undefined;
}

/** Undefined if the text becomes too long. */
function write(args: JsonObject, length: number, indent: number, maxLength: number): string | undefined {
  let left = maxLength;

  function count(text: string): string {
    left -= text.length;
    if (left < 0) throw tooLong;
    return text;
  }

  function writeAll(open: string, parts: readonly (() => string)[], close: string, depth: number): string {
    if (parts.length === 0) return count(open + close);
    const newLine = indent === 0 ? '' : `\n${' '.repeat(indent * (depth + 1))}`;
    const end = indent === 0 ? '' : `\n${' '.repeat(indent * depth)}`;
    let text = count(open);
    for (const [at, part] of parts.entries()) text += count(`${at > 0 ? ',' : ''}${newLine}`) + part();
    return text + count(end + close);
  }

  function writeValue(value: unknown, depth: number): string {
    if (typeof value === 'string') return count(shorten(value, length));
    if (Array.isArray(value))
      return writeAll(
        '[',
        value.map((item) => () => writeValue(item, depth + 1)),
        ']',
        depth,
      );
    if (!isObject(value) || isRawNumber(value)) return count(String(JSON.stringify(value)));
    const members = Object.entries(value).map(
      ([name, member]) =>
        () =>
          count(`${shorten(name, length)}:${indent === 0 ? '' : ' '}`) + writeValue(member, depth + 1),
    );
    return writeAll('{', members, '}', depth);
  }

  try {
    return writeValue(args, 0);
  } catch (cause) {
    if (cause === tooLong) return undefined;
    throw cause;
  }
}

const tooLong = new Error('The text is too long');

/** The beginning and the end of a text. What is left out is stated outside the quotes, where no text can imitate it. */
function shorten(text: string, length: number): string {
  if (text.length <= length) return quote(text);
  const start = text.slice(0, Math.ceil((length * 2) / 3));
  const end = text.slice(text.length - Math.floor(length / 3));
  return `${quote(start)}⟨${text.length - start.length - end.length} characters left out⟩${quote(end)}`;
}

function quote(text: string): string {
  return toDisplayText(JSON.stringify(text.toWellFormed()), { maxLength: Number.POSITIVE_INFINITY });
}
