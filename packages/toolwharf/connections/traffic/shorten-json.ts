import { isObject } from '../../../contract/json.ts';
import { exactly, isRawNumber } from '../../kernel/exact-json.ts';

/** A JSON value within a size limit. */
export interface ShortenedJson {
  readonly value: unknown;
  /** The approximate size of the whole value as JSON text. */
  readonly length: number;
  /** True if `value` is not the whole value: cut texts, arrays and objects end with `…`. */
  readonly isTruncated: boolean;
}

/** Longer secrets may be cut in the middle of a long text. */
const maxSecretLength = 16_384;
const maxDepth = 100;

/** Copies a JSON value up to about `maxLength` characters, and redacts its texts and keys. */
export function shortenJson(value: unknown, maxLength: number, redact: (text: string) => string): ShortenedJson {
  let length = 0;
  let left = maxLength;
  let isTruncated = false;

  function truncate(): '…' {
    isTruncated = true;
    return '…';
  }

  function copyText(text: string): string {
    length += text.length + 2;
    if (left <= 0) return truncate();
    const redacted = redact(text.length > left ? text.slice(0, left + maxSecretLength) : text);
    const isCut = text.length > left;
    const kept = isCut ? `${redacted.slice(0, left).toWellFormed()}${truncate()}` : redacted;
    left -= kept.length + 2;
    return kept;
  }

  function copy(part: unknown, depth: number): unknown {
    if (typeof part === 'string') return copyText(part);
    if (typeof part !== 'object' || part === null || isRawNumber(part)) {
      length += 5;
      left -= 5;
      return part;
    }
    length += 2;
    left -= 2;
    if (depth > maxDepth) return truncate();
    if (Array.isArray(part)) return copyItems(part, depth);
    if (!isObject(part)) return null;
    const object = exactly(part);
    const members: [string, unknown][] = [];
    for (const key in object) {
      if (object[key] === undefined) continue;
      length += key.length + 4;
      if (left <= 0) {
        // Only the size of the rest matters.
        copy(object[key], depth + 1);
        continue;
      }
      left -= 2;
      members.push([copyText(key), copy(object[key], depth + 1)]);
    }
    return Object.fromEntries(members);
  }

  function copyItems(items: readonly unknown[], depth: number): unknown[] {
    const copied: unknown[] = [];
    for (const item of items) {
      const isOver = left <= 0;
      const kept = copy(item, depth + 1);
      if (!isOver) copied.push(kept);
    }
    if (copied.length < items.length) copied.push(truncate());
    return copied;
  }

  const copied = copy(value, 0);
  return { value: copied, length, isTruncated: isTruncated || length > maxLength };
}
