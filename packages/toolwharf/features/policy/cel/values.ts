import { isObject } from '../../../../contract/json.ts';
import { toProgramValue } from '../../../kernel/decimal.ts';
import { isRawNumber } from '../../../kernel/exact-json.ts';
import { EvaluationError, WorkLimitError } from './errors.ts';

/** A moment, in milliseconds since 1970. */
export class Timestamp {
  readonly ms: number;
  constructor(ms: number) {
    this.ms = ms;
  }
}

/** A length of time in milliseconds. */
export class Duration {
  readonly ms: number;
  constructor(ms: number) {
    this.ms = ms;
  }
}

/** The work that an evaluation may still do. One unit is about one operation. */
export interface EvaluationBudget {
  left: number;
}

export function spend(budget: EvaluationBudget, units: number): void {
  budget.left -= units;
  if (budget.left < 0) throw new WorkLimitError('the condition takes too much work');
}

/** A value as conditions compute with it: integers are BigInts, other numbers are numbers. */
export function fromProgram(value: unknown): unknown {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (isRawNumber(value)) return fromProgram(toProgramValue(value));
  if (value instanceof Date) return new Timestamp(value.getTime());
  return value;
}

export type ValueType =
  | 'int'
  | 'double'
  | 'string'
  | 'bool'
  | 'null'
  | 'list'
  | 'map'
  | 'timestamp'
  | 'duration'
  | 'unknown';

export function typeOf(value: unknown): ValueType {
  switch (typeof value) {
    case 'bigint':
      return 'int';
    case 'number':
      return 'double';
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    case 'object':
      break;
    default:
      return 'unknown';
  }
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  if (value instanceof Timestamp) return 'timestamp';
  if (value instanceof Duration) return 'duration';
  return 'map';
}

/** A member of a map, by its own name only. Undefined if there is none. */
export function memberOf(map: unknown, key: unknown): unknown {
  if (map instanceof Map) return map.get(key);
  if (!isObject(map) || typeof key !== 'string' || !isMap(map)) return undefined;
  return Object.hasOwn(map, key) ? fromProgram(map[key]) : undefined;
}

function isMap(value: unknown): boolean {
  return typeOf(value) === 'map';
}

export function keysOf(map: unknown): readonly unknown[] {
  return map instanceof Map ? [...map.keys()] : Object.keys(map as object);
}

const maxDepth = 100;

/** Whether two values are equal. Numbers of both types are compared by their value; values of other types are never equal. */
export function isEqual(one: unknown, other: unknown, budget: EvaluationBudget, depth = 0): boolean {
  const [left, right] = [fromProgram(one), fromProgram(other)];
  if (typeof left === 'string' && typeof right === 'string') {
    if (left.length !== right.length) return false;
    spend(budget, left.length / 64);
    return left === right;
  }
  if (isNumber(left) && isNumber(right)) return compareNumbers(left, right) === 0;
  const type = typeOf(left);
  if (type !== typeOf(right)) return false;
  if (left instanceof Timestamp || left instanceof Duration) return left.ms === (right as Timestamp | Duration).ms;
  if (type !== 'list' && type !== 'map') return left === right;
  if (depth > maxDepth) throw new EvaluationError('the values are nested too deeply to be compared');
  if (Array.isArray(left) && Array.isArray(right)) {
    if (left.length !== right.length) return false;
    spend(budget, left.length);
    return left.every((item, at) => isEqual(item, right[at], budget, depth + 1));
  }
  const keys = keysOf(left);
  if (keys.length !== keysOf(right).length) return false;
  spend(budget, keys.length);
  return keys.every((key) => {
    const member = memberOf(right, key);
    return member !== undefined && isEqual(memberOf(left, key), member, budget, depth + 1);
  });
}

export function isNumber(value: unknown): value is bigint | number {
  return typeof value === 'bigint' || typeof value === 'number';
}

/** Less than, equal to or greater than 0; NaN if a number is not a number. Throws for types that have no order. */
export function compare(left: unknown, right: unknown, budget: EvaluationBudget): number {
  if (typeof left === 'string' && typeof right === 'string') {
    spend(budget, Math.min(left.length, right.length) / 64);
    return compareTexts(left, right);
  }
  if (isNumber(left) && isNumber(right)) return compareNumbers(left, right);
  if (left instanceof Timestamp && right instanceof Timestamp) return left.ms - right.ms;
  if (left instanceof Duration && right instanceof Duration) return left.ms - right.ms;
  if (typeof left === 'boolean' && typeof right === 'boolean') return Number(left) - Number(right);
  throw new EvaluationError(`${typeOf(left)} and ${typeOf(right)} cannot be compared`);
}

/** Compares the values of BigInts and numbers exactly. */
function compareNumbers(left: bigint | number, right: bigint | number): number {
  if (left < right) return -1;
  if (left > right) return 1;
  return left >= right ? 0 : Number.NaN;
}

/** By code points, as CEL orders texts; JavaScript orders UTF-16 units. */
function compareTexts(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at++) {
    const [one, other] = [left.charCodeAt(at), right.charCodeAt(at)];
    if (one === other) continue;
    const [isHigh, isOtherHigh] = [one >= 0xd800 && one <= 0xdfff, other >= 0xd800 && other <= 0xdfff];
    return isHigh === isOtherHigh ? one - other : isHigh ? 1 : -1;
  }
  return left.length - right.length;
}

const [minInt, maxInt] = [-(2n ** 63n), 2n ** 63n - 1n];

/** An integer of 64 bits. */
export function toInt(value: bigint): bigint {
  if (value < minInt || value > maxInt) throw new EvaluationError('the integer does not fit into 64 bits');
  return value;
}
