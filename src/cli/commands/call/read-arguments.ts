import { type FlatParameter, toFlatTools } from '../../../bridges/flat.ts';
import { closest } from '../../../kernel/closest.ts';
import { messageOf } from '../../../kernel/errors.ts';
import { isObject, type JsonObject } from '../../../kernel/json.ts';
import type { Tool } from '../../../kernel/tool.ts';
import { UsageError } from '../../usage-error.ts';
import { typeArgument } from './type-argument.ts';

/** How the command line gives a call's arguments: one JSON object (`-` reads it from stdin), or one by one. */
export interface ArgumentOptions {
  readonly args?: string;
  readonly arg?: readonly string[];
}

export interface GivenArguments {
  /** The arguments as this tool takes them. `warn` is told of names the tool does not have. */
  for(tool: Tool, warn: (message: string) => void): JsonObject;
}

/** Reads what was given, before anything is connected; what is not readable at all is a `UsageError`. */
export async function readArguments(
  { args, arg = [] }: ArgumentOptions,
  readStdin: () => Promise<string>,
): Promise<GivenArguments> {
  if (args !== undefined && arg.length > 0) throw new UsageError('Give --args or arguments one by one, not both');
  if (args !== undefined) {
    const whole = parseObject(args === '-' ? await readStdin() : args);
    return { for: () => whole };
  }
  const pairs = arg.map(parsePair);
  const twice = pairs.find(({ name }, at) => pairs.findIndex((pair) => pair.name === name) !== at);
  if (twice) throw new UsageError(`Argument ${twice.name} is given twice; for a list write ${twice.name}='["a","b"]'`);
  return {
    for(tool, warn) {
      const parameters = parametersOf(tool);
      const names = parameters.map((parameter) => parameter.name);
      for (const { name } of pairs) {
        if (names.length === 0 || names.includes(name)) continue;
        // Of one or two letters anything is near.
        const meant = name.length > 2 ? closest(name, names) : undefined;
        warn(`${tool.name} has no parameter '${name}'${meant ? `; did you mean '${meant}'?` : ''}`);
      }
      const entries = pairs.map(({ name, text, raw }) => {
        const parameter = parameters.find((candidate) => candidate.name === name);
        return [name, raw ? raw.value : typeArgument(name, text, parameter)];
      });
      return Object.fromEntries(entries);
    },
  };
}

/** A tool's parameters as a plain list; empty where its schema can't be told that way. */
export function parametersOf(tool: Tool): readonly FlatParameter[] {
  const source = { tools: [tool], call: () => Promise.reject(new TypeError('Only the description is of interest')) };
  return toFlatTools(source)[0]?.parameters ?? [];
}

interface Pair {
  readonly name: string;
  readonly text: string;
  /** Set for `name:=json`. */
  readonly raw?: { readonly value: unknown };
}

function parsePair(given: string): Pair {
  const match = /^([^=]+?)(:?=)([\s\S]*)$/.exec(given);
  const [, name, sign, text] = match ?? [];
  if (name === undefined || text === undefined) {
    throw new UsageError(`Argument '${given}' should be name=value, or name:=json`);
  }
  return sign === '=' ? { name, text } : { name, text, raw: { value: parseJson(text, `Argument ${name}`) } };
}

function parseObject(text: string): JsonObject {
  const value = parseJson(text, '--args');
  if (isObject(value)) return value;
  throw new UsageError('--args must be a JSON object, such as \'{"text":"hello"}\'');
}

function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new UsageError(`${what} is not JSON: ${messageOf(cause)}`);
  }
}
