import { isObject } from './json.ts';

const maxText = 200;
const maxItems = 20;
const maxDepth = 4;
const maxTotal = 200;

/** A short version of a JSON value of the same shape: long texts, arrays and objects are cut and end with `…`. */
export function previewJson(value: unknown): unknown {
  let left = maxTotal;

  function shorten(part: unknown, depth: number): unknown {
    left--;
    if (typeof part === 'string') return part.length > maxText ? `${part.slice(0, maxText).toWellFormed()}…` : part;
    if (typeof part !== 'object' || part === null) return part;
    if (depth >= maxDepth || left <= 0) return '…';
    if (Array.isArray(part)) {
      const shown = part.slice(0, maxItems).map((item) => shorten(item, depth + 1));
      return part.length > maxItems ? [...shown, '…'] : shown;
    }
    if (!isObject(part)) return '…';
    const shown: [string, unknown][] = [];
    let count = 0;
    for (const key in part) {
      if (++count > maxItems) break;
      shown.push([
        key.length > maxText ? `${key.slice(0, maxText).toWellFormed()}…` : key,
        shorten(part[key], depth + 1),
      ]);
    }
    return Object.fromEntries(count > maxItems ? [...shown, ['…', '…']] : shown);
  }

  return shorten(value, 0);
}
