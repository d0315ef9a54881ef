import { isObject } from '../../../contract/json.ts';
import { parseDuration } from '../../../contract/settings/durations.ts';
import { parseDecimal } from '../../kernel/decimal.ts';
import type { PastCall, PastCalls } from '../../plugins/plugin.ts';
import { restricts } from '../../policy/tool-patterns.ts';
import { type Condition, EvaluationError, type FunctionCall } from './cel/compile.ts';
import { fromProgram } from './cel/values.ts';

/** The values of the functions of `history` for one call. */
export interface HistoryValues {
  count(pattern: string, window: string): unknown;
  sum(pattern: string, path: string, window: string): unknown;
  last(pattern: string): unknown;
}

/** Reads the calls since a time, newest first; all of them without a time. */
type ReadSince = (since: Date | undefined) => Promise<PastCalls>;

/** Whether a condition uses `history`. */
export function usesHistory({ calls }: Pick<Condition, 'calls'>): boolean {
  return calls.some(({ name }) => name.startsWith('history.'));
}

/** Computes what conditions ask about earlier calls, all from one list. Undefined at once if they ask nothing. */
export function readHistory(
  conditions: readonly Pick<Condition, 'calls'>[],
  now: Date,
  read: ReadSince,
): Promise<HistoryValues> | undefined {
  const asked = conditions.flatMap(({ calls }) => calls).filter(({ name }) => name.startsWith('history.'));
  return asked.length === 0 ? undefined : compute(asked, now, read);
}

async function compute(asked: readonly FunctionCall[], now: Date, read: ReadSince): Promise<HistoryValues> {
  const starts = asked.map((one) => startOf(one, now));
  const past = await read(starts.includes(undefined) ? undefined : new Date(Math.min(...starts.map(Number))));
  const values = new Map<string, unknown>();
  for (const one of asked) {
    const key = keyOf(one.name, one.args);
    if (!values.has(key)) values.set(key, await computeOne(one, past, now));
  }
  const find = (name: string, args: readonly string[]) => {
    const value = values.get(keyOf(name, args));
    if (value === undefined)
      throw new EvaluationError(`${name} would have to read more than 1000 calls, or a sum that is no number`);
    return value;
  };
  return {
    count: (...args) => find('history.count', args),
    sum: (...args) => find('history.sum', args),
    last: (...args) => find('history.last', args),
  };
}

const keyOf = (name: string, args: readonly string[]) => JSON.stringify([name, ...args]);

function startOf({ name, args }: FunctionCall, now: Date): Date | undefined {
  return name === 'history.last' ? undefined : new Date(now.getTime() - parseDuration(args.at(-1) ?? ''));
}

/** Undefined if the list of calls ends too early, or something is no number. */
async function computeOne(asked: FunctionCall, { calls, isCut }: PastCalls, now: Date): Promise<unknown> {
  const { name, args } = asked;
  const [pattern = '', path = ''] = args;
  const patterns = [pattern];
  const matching = calls.filter(({ server, tool, originalName }) =>
    restricts(patterns, { server, originalName, name: tool }),
  );
  const start = startOf(asked, now);
  const oldest = calls.at(-1)?.at;
  if (start === undefined) return matching[0]?.at ?? (isCut ? undefined : null);
  if (isCut && (oldest === undefined || oldest >= start)) return undefined;
  const inWindow = matching.filter(({ at }) => at > start);
  return name === 'history.count' ? inWindow.length : sum(inWindow, path.split('.'));
}

/** An exact sum: an int if all numbers are ints. A call without the argument adds nothing. */
async function sum(calls: readonly PastCall[], path: readonly string[]): Promise<bigint | number | undefined> {
  let [digits, exponent] = [0n, 0];
  for (const call of calls) {
    const value = fromProgram(path.reduce<unknown>(memberAt, await call.arguments()));
    if (value === undefined || value === null) continue;
    const decimal = typeof value === 'bigint' ? { digits: value, exponent: 0 } : parseDecimal(JSON.stringify(value));
    if (!decimal || (typeof value !== 'bigint' && typeof value !== 'number')) return undefined;
    const lowest = Math.min(exponent, decimal.exponent);
    digits = digits * 10n ** BigInt(exponent - lowest) + decimal.digits * 10n ** BigInt(decimal.exponent - lowest);
    exponent = lowest;
  }
  return exponent === 0 ? digits : Number(`${digits}e${exponent}`);
}

function memberAt(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
