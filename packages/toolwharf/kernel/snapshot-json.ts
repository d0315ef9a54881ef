import { isObject } from '../../contract/json.ts';
import { isRawNumber, toRawNumber } from './exact-json.ts';

export interface SnapshotBounds {
  readonly maxDepth: number;
  /** The maximum number of items and members. */
  readonly maxValues: number;
}

/**
 * A frozen copy of a value as `JSON.stringify` would write it: nobody can change it any more. Undefined if it exceeds the bounds,
 * as circular values do. A BigInt becomes a number with all its digits.
 */
export function snapshotJson(value: unknown, { maxDepth, maxValues }: SnapshotBounds): unknown {
  let left = maxValues;

  function copy(original: unknown, depth: number): unknown {
    const part = toPlain(original);
    if (typeof part === 'number') return Number.isFinite(part) ? part : null;
    if (typeof part === 'bigint') return toRawNumber(part);
    if (typeof part === 'function' || typeof part === 'symbol') return undefined;
    if (typeof part !== 'object' || part === null || isRawNumber(part)) return part;
    if (depth >= maxDepth) throw tooLarge;
    if (Array.isArray(part)) {
      const items: unknown[] = [];
      for (let at = 0; at < part.length; at++) {
        if (--left < 0) throw tooLarge;
        items.push(copy(part[at], depth + 1) ?? null);
      }
      return Object.freeze(items);
    }
    const members: Record<string, unknown> = {};
    for (const name of Object.keys(part)) {
      if (--left < 0) throw tooLarge;
      const member = copy((part as Record<string, unknown>)[name], depth + 1);
      if (member === undefined) continue;
      if (name === '__proto__') Object.defineProperty(members, name, { value: member, enumerable: true });
      else members[name] = member;
    }
    return Object.freeze(members);
  }

  try {
    return copy(value, 0);
  } catch (cause) {
    if (cause === tooLarge) return undefined;
    throw cause;
  }
}

const tooLarge = new Error('The value exceeds the bounds');

/** The value that `JSON.stringify` writes instead of an object with `toJSON`, or of a boxed text, number or boolean. */
function toPlain(value: unknown): unknown {
  if (!isObject(value)) return value;
  if (typeof value.toJSON === 'function') return value.toJSON();
  if (value instanceof String || value instanceof Number || value instanceof Boolean) return value.valueOf();
  return value;
}
