import { messageOf, ToolwharfError } from '../../contract/errors.ts';
import { isObject } from '../../contract/json.ts';
import { parseExactly, toRawNumber } from '../kernel/exact-json.ts';
import type { CallHost } from './call.ts';

/** The first problem of the options of a call; undefined if they can be used. Programs may be untyped, and getters may throw. */
export function findOptionProblem(options: unknown): string | undefined {
  if (options === undefined) return undefined;
  try {
    if (!isObject(options)) return 'the options must be an object';
    for (const [name, expected, isValid] of optionRules) {
      const value = options[name];
      if (value !== undefined && !isValid(value)) return `\`${name}\` must be ${expected}`;
    }
    return undefined;
  } catch (cause) {
    return `the options cannot be read: ${messageOf(cause)}`;
  }
}

type OptionRule = readonly [string, string, (value: unknown) => boolean];

const optionRules: readonly OptionRule[] = [
  ['signal', 'an AbortSignal', isSignal],
  ['caller', 'an object with `id` and `kind`', isCaller],
  ['caller', 'JSON', isJson],
  ['host', 'an object whose methods are functions', isHost],
  ['onProgress', 'a function', (value) => typeof value === 'function'],
  ['id', 'a text', (value) => typeof value === 'string'],
  ['idempotencyKey', 'a text', (value) => typeof value === 'string'],
  ['meta', 'an object', isObject],
  ['parent', 'an object with `id` and `kind`', isCaller],
  ['parent', 'JSON', isJson],
];

const hostMethods: readonly (keyof CallHost)[] = [
  ...(['approve', 'elicit', 'sample', 'listRoots', 'onProgress', 'onLog'] as const),
  ...(['askUser', 'askClient', 'openReply'] as const),
];

function isHost(value: unknown): boolean {
  if (!isObject(value) && typeof value !== 'function') return false;
  const host = value as CallHost;
  return hostMethods.every((name) => host[name] === undefined || typeof host[name] === 'function');
}

/** Whether a value can be recorded as it is. */
function isJson(value: unknown): boolean {
  const state = { isConverted: false };
  return findJsonProblem(value, maxJsonDepth, state) === undefined && !state.isConverted;
}

function isSignal(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { aborted, addEventListener, removeEventListener } = value;
  return (
    typeof aborted === 'boolean' && typeof addEventListener === 'function' && typeof removeEventListener === 'function'
  );
}

function isCaller(value: unknown): boolean {
  return isObject(value) && typeof value.id === 'string' && typeof value.kind === 'string';
}

/** Arguments and `_meta` may be nested as deep. */
export const maxJsonDepth = 500;

/** The arguments or the `_meta` of a call as they will be sent, or why they cannot be sent. */
export type ReadInput = { readonly input: unknown; readonly problem?: ToolwharfError };

/**
 * Reads the arguments or the `_meta` of a call. Data that JSON represents exactly is not copied. BigInts and objects with `toJSON` are
 * converted.
 */
export function readInput(input: unknown, what = 'the arguments'): ReadInput {
  const state = { isConverted: false };
  try {
    const problem = findJsonProblem(input, maxJsonDepth, state);
    if (problem) return unreadable(what, problem.isTooDeep ? problem.text : `${problem.path || 'it'} ${problem.text}`);
    return { input: state.isConverted ? parseExactly(JSON.stringify(input, writeBigInt)) : input };
  } catch (cause) {
    return unreadable(what, messageOf(cause), cause);
  }
}

function writeBigInt(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? toRawNumber(value) : value;
}

function unreadable(what: string, problem: string, cause?: unknown): ReadInput {
  const message = `The call was not made: ${what} cannot be read as JSON: ${problem}`;
  return { input: {}, problem: new ToolwharfError('ARGUMENTS_INVALID', message, { cause }) };
}

interface JsonProblem {
  /** The JSON pointer of the value. */
  readonly path: string;
  readonly text: string;
  readonly isTooDeep?: boolean;
}

/** Where and why a value has no exact form in JSON; undefined if it has one. */
function findJsonProblem(value: unknown, depth: number, state: { isConverted: boolean }): JsonProblem | undefined {
  switch (typeof value) {
    case 'bigint':
      state.isConverted = true;
      return undefined;
    case 'symbol':
    case 'function':
      return { path: '', text: `is a ${typeof value}` };
    case 'number':
      return Number.isFinite(value) ? undefined : { path: '', text: `is ${value}` };
    case 'object':
      if (value === null) return undefined;
      break;
    default:
      return undefined;
  }
  if (depth === 0)
    return { path: '', text: `it is circular, or nested more than ${maxJsonDepth} levels deep`, isTooDeep: true };
  const members = value as Readonly<Record<string, unknown>>;
  if (typeof members.toJSON === 'function') {
    state.isConverted = true;
    return undefined;
  }
  for (const key of Object.keys(members)) {
    const problem = findJsonProblem(members[key], depth - 1, state);
    if (problem) return { ...problem, path: `/${key}${problem.path}` };
  }
  return undefined;
}
