import type { ToolView } from '../../../../contract/api/tools.ts';
import { messageOf } from '../../../../contract/errors.ts';
import { isObject, type JsonObject } from '../../../../contract/json.ts';
import { type FlatParameter, toFlatTools } from '../../../../toolwharf/bridges/flat.ts';
import { closest } from '../../../../toolwharf/kernel/closest.ts';
import { isInexact, toDecimal } from '../../../../toolwharf/kernel/decimal.ts';
import { isRawNumber, parseExactly, withText } from '../../../../toolwharf/kernel/exact-json.ts';
import type { Tool } from '../../../../toolwharf/kernel/tool.ts';
import { UsageError } from '../../errors.ts';

/** The arguments of a call on the command line: one JSON object (`-` reads it from stdin), or `name=value` pairs. */
export interface ArgumentOptions {
  readonly args?: string;
  readonly arg?: readonly string[];
}

/** A tool as far as its arguments are concerned. */
export type ToolDescription = Pick<ToolView, 'name' | 'description' | 'originalName' | 'parameters'>;

export interface ParsedArguments {
  /** Converts the arguments to the types of the tool's schema; `warn` receives a message per unknown parameter. */
  for(tool: ToolDescription, warn: (message: string) => void): JsonObject;
}

/** Parses the arguments before any server is connected; throws a `UsageError` if they are malformed. */
export async function readArguments(
  { args, arg = [] }: ArgumentOptions,
  readStdin: () => Promise<string>,
): Promise<ParsedArguments> {
  if (args !== undefined && arg.length > 0) throw new UsageError('Use either --args or name=value arguments');
  if (args !== undefined) {
    const parsed = parseObject(args === '-' ? await readStdin() : args);
    return { for: () => parsed };
  }
  const pairs = arg.map(parsePair);
  const repeated = pairs.find(({ name }, at) => pairs.findIndex((pair) => pair.name === name) !== at);
  if (repeated) {
    const { name } = repeated;
    throw new UsageError(`Argument ${name} is given twice; for a list, write ${name}='["a","b"]'`);
  }
  return {
    for(tool, warn) {
      const parameters = parametersOf(tool);
      const names = parameters.map((parameter) => parameter.name);
      for (const { name } of pairs) {
        if (names.length === 0 || names.includes(name)) continue;
        // Almost anything is close to one or two letters.
        const near = name.length > 2 ? closest(name, names) : undefined;
        warn(`${tool.name} has no parameter '${name}'${near ? `; did you mean '${near}'?` : ''}`);
      }
      const entries = pairs.map(({ name, text, json }) => {
        const parameter = parameters.find((candidate) => candidate.name === name);
        return [name, json ? json.value : parseArgument(name, text, parameter)];
      });
      return Object.fromEntries(entries);
    },
  };
}

/** A tool's parameters as a flat list; empty if its schema cannot be flattened. */
export function parametersOf(tool: ToolDescription): readonly FlatParameter[] {
  const source = {
    tools: [tool as object as Tool],
    call: () => Promise.reject(new TypeError('Not callable: only the parameters are read')),
  };
  return toFlatTools(source)[0]?.parameters ?? [];
}

interface Pair {
  readonly name: string;
  readonly text: string;
  /** The parsed value of `name:=json`. */
  readonly json?: { readonly value: unknown };
}

function parsePair(given: string): Pair {
  const match = /^([^=]+?)(:?=)([\s\S]*)$/.exec(given);
  const [, name, sign, text] = match ?? [];
  if (name === undefined || text === undefined) {
    throw new UsageError(`Argument '${given}' must be name=value or name:=json, such as path=notes.txt`);
  }
  return sign === '=' ? { name, text } : { name, text, json: { value: parseJson(text, `Argument ${name}`) } };
}

function parseObject(text: string): JsonObject {
  const value = parseJson(text, '--args');
  if (isObject(value)) return value;
  throw new UsageError('--args must be a JSON object, such as \'{"text":"hello"}\'');
}

function parseJson(text: string, what: string): unknown {
  try {
    // Sent as it is written.
    return withText(parseExactly(text), text);
  } catch (cause) {
    throw new UsageError(`${what} is not valid JSON: ${messageOf(cause)}`);
  }
}

/** Converts the text of `name=text` to the parameter's type; it stays text if the parameter accepts strings. */
export function parseArgument(name: string, text: string, parameter?: Pick<FlatParameter, 'type' | 'enum'>): unknown {
  const chosen = parameter?.enum?.find((value) => String(value) === text);
  if (chosen !== undefined) return chosen;
  const types = parameter?.type.split(' | ') ?? ['any'];
  if (types.includes('string') || types.includes('any')) return text;
  const value = parse(text, types);
  if (value !== undefined && types.some((type) => isOfType(value, type))) return value;
  throw new UsageError(`Argument ${name}: expected ${types.join(' or ')}${example(types)}, got '${text}'`);
}

/** The text as JSON or as a number such as `+1` or `.5`; undefined if it is neither. */
function parse(text: string, types: readonly string[]): unknown {
  try {
    const value = parseExactly(text);
    if (!isRawNumber(value)) return withText(value, text);
    return types.includes('number') || isInexact(value) ? value : Number(text);
  } catch {
    const number = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
    return Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number)) ? number : undefined;
  }
}

function isOfType(value: unknown, type: string): boolean {
  if (type === 'integer') return isRawNumber(value) ? (toDecimal(value)?.exponent ?? -1) >= 0 : Number.isInteger(value);
  if (type === 'number') return isRawNumber(value) || Number.isFinite(value);
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value) && !isRawNumber(value);
  return type === 'null' ? value === null : typeof value === type;
}

function example(types: readonly string[]): string {
  if (types.includes('array')) return ' as JSON, such as \'["a","b"]\'';
  return types.includes('object') ? ' as JSON, such as \'{"a":1}\'' : '';
}
