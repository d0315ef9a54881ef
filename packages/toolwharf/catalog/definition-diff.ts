import { isObject, type JsonObject } from '../../contract/json.ts';
import { canonicalJson } from '../kernel/canonical-json.ts';
import { exactly, isRawNumber } from '../kernel/exact-json.ts';
import { escapePointerToken } from '../kernel/json-pointer.ts';
import type { ToolDefinition } from '../kernel/tool.ts';
import { hashedParts } from './definition-hash.ts';

/** One difference between two definitions of a tool. */
export interface DefinitionChange {
  /** JSON pointer. */
  readonly path: string;
  readonly kind: 'added' | 'removed' | 'changed';
  /** Absent when added; long values are shortened and marked. */
  readonly before?: unknown;
  /** Absent when removed; long values are shortened and marked. */
  readonly after?: unknown;
}

const maxChangesPerPart = 50;
const maxDepth = 32;
const maxValueLength = 2_000;

/**
 * Lists the differences between the hashed parts of two definitions. Bounded: a part with more differences than a person
 * would read becomes one change of the whole part.
 */
export function diffDefinitions(before: ToolDefinition, after: ToolDefinition): DefinitionChange[] {
  return diffParts(before, after, hashedParts);
}

/** Lists the differences between these members of two objects, bounded in the same way. */
export function diffParts(before: JsonObject, after: JsonObject, parts: readonly string[]): DefinitionChange[] {
  return parts.flatMap((part) => {
    const changes: DefinitionChange[] = [];
    const [earlier, later] = [exactly(before[part]), exactly(after[part])];
    compare(`/${part}`, earlier, later, 0, changes);
    return changes.length <= maxChangesPerPart ? changes : [toChange(`/${part}`, earlier, later)];
  });
}

function compare(path: string, before: unknown, after: unknown, depth: number, changes: DefinitionChange[]): void {
  if (before === after || changes.length > maxChangesPerPart) return;
  if (depth < maxDepth && hasMembers(before) && hasMembers(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      compare(`${path}/${escapePointerToken(key)}`, own(before, key), own(after, key), depth + 1, changes);
    }
  } else if (depth < maxDepth && isObjectList(before) && isObjectList(after) && before.length === after.length) {
    for (const [at, item] of before.entries()) compare(`${path}/${at}`, item, after[at], depth + 1, changes);
  } else if (!isSame(before, after)) changes.push(toChange(path, before, after));
}

/** Lists of objects are compared item by item; `enum` and `required` as a whole. */
function isObjectList(value: unknown): value is readonly JsonObject[] {
  return Array.isArray(value) && value.every(hasMembers);
}

function hasMembers(value: unknown): value is JsonObject {
  return isObject(value) && !isRawNumber(value);
}

function own(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function isSame(before: unknown, after: unknown): boolean {
  if (before === undefined || after === undefined) return before === after;
  return canonicalJson(before) === canonicalJson(after);
}

function toChange(path: string, before: unknown, after: unknown): DefinitionChange {
  if (before === undefined) return { path, kind: 'added', after: shorten(after) };
  if (after === undefined) return { path, kind: 'removed', before: shorten(before) };
  return { path, kind: 'changed', before: shorten(before), after: shorten(after) };
}

function shorten(value: unknown): unknown {
  const text = typeof value === 'string' ? value : canonicalJson(value);
  if (text.length <= maxValueLength) return value;
  return `${text.slice(0, maxValueLength).toWellFormed()}… (${text.length} characters)`;
}
