import { isObject, type JsonObject } from '../../contract/json.ts';
import { maxJsonDepth } from '../invocation/check-start.ts';
import { toProgramValue } from '../kernel/decimal.ts';
import { snapshotJson } from '../kernel/snapshot-json.ts';

/**
 * A frozen copy, so that a plugin cannot change a call or a result by accident. Integers that JavaScript's numbers cannot hold are
 * BigInts.
 */
export function copyJson<Value>(value: Value): Value {
  const copy = snapshotJson(value, bounds);
  if (copy === undefined) throw new Error(`it is nested more than ${maxJsonDepth} levels deep`);
  return freeze(toProgramValue(copy)) as Value;
}

/** Parts that are frozen already have only frozen parts. */
function freeze(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.values(value).forEach(freeze);
  return Object.freeze(value);
}

const bounds = { maxDepth: maxJsonDepth, maxValues: Number.POSITIVE_INFINITY };

/** A frozen copy of an object that a plugin returned, with all digits of BigInts. Throws unless it is an object in JSON. */
export function toReturnedObject(value: unknown, what: string): JsonObject {
  const copy = isObject(value) ? snapshotJson(value, bounds) : undefined;
  if (isObject(copy)) return copy;
  throw new Error(`${what} must be an object in JSON, nested at most ${maxJsonDepth} levels deep`);
}

const maxLabels = 100;
const maxLabelLength = 100;

/** The labels of a verdict. Throws unless they are short texts. */
export function labelsOf(verdict: unknown): readonly string[] | undefined {
  const labels = isObject(verdict) ? verdict.labels : undefined;
  if (labels === undefined) return undefined;
  const isLabel = (label: unknown) => typeof label === 'string' && label !== '' && label.length <= maxLabelLength;
  if (Array.isArray(labels) && labels.every(isLabel)) return [...labels];
  throw new Error(`its labels must be a list of texts of 1 to ${maxLabelLength} characters`);
}

/** All labels, each once. */
export function mergeLabels(
  one: readonly string[] | undefined,
  other: readonly string[] | undefined,
): readonly string[] | undefined {
  if (!one || !other) return one ?? other;
  return [...new Set([...one, ...other])].slice(0, maxLabels);
}
