import { isObject, type JsonObject } from '../../contract/json.ts';
import { type ChainReference, readTemplate } from '../../contract/settings/chain-schema.ts';
import type { ChainConfig } from '../../contract/settings/config.ts';
import { limitsOf } from '../../contract/settings/defaults.ts';
import { exactly, isRawNumber, memberWithText, parseExactly, toRawNumber } from '../kernel/exact-json.ts';
import type { ToolResult } from '../kernel/tool.ts';
import { type LocalTool, type LocalToolContext, localTool } from './local-tool.ts';

/** The input schema of a chain without arguments. */
export const noArguments = { type: 'object', properties: {}, additionalProperties: false };

/** Makes a tool of a chain. Its steps run one after the other as ordinary calls; the first failure ends the chain. */
export function toChainTool({ name, description, input, steps, ...limits }: ChainConfig): LocalTool {
  return localTool<JsonObject>({
    name,
    description,
    parameters: input ?? noArguments,
    ...limitsOf(limits),
    composed: true,
    execute: async (args, context) => {
      const results: ToolResult[] = [];
      for (const [at, { tool, arguments: written }] of steps.entries()) {
        context.onProgress?.({ progress: at, total: steps.length, message: `Step ${at + 1}: ${tool}` });
        const result = await runStep(tool, written, { args, results }, context);
        if (result.isError) return failure(at, steps, result.text);
        results.push(result);
      }
      const last = results.at(-1);
      return {
        content: (last && partOfResult(last, 'content')) ?? [],
        structuredContent: last && partOfResult(last, 'structuredContent'),
      };
    },
  });
}

interface ChainState {
  readonly args: JsonObject;
  readonly results: readonly ToolResult[];
}

async function runStep(
  tool: string,
  written: JsonObject,
  state: ChainState,
  { call }: LocalToolContext,
): Promise<ToolResult> {
  try {
    return await call(tool, fill(written, state));
  } catch (cause) {
    if (!(cause instanceof MissingValue)) throw cause;
    return { isError: true, text: cause.message, content: [], callId: '' };
  }
}

class MissingValue extends Error {}

/** Fills in the references of arguments. A text that is exactly one reference becomes the value with its type. */
function fill(value: unknown, state: ChainState): unknown {
  if (typeof value === 'string') return fillText(value, state);
  if (Array.isArray(value)) return value.map((item) => fill(item, state));
  if (!isObject(value) || isRawNumber(value)) return value;
  const members = Object.entries(value).map(([key, member]) => [key, fill(member, state)] as const);
  return Object.fromEntries(members.filter(([, member]) => member !== undefined));
}

function fillText(written: string, state: ChainState): unknown {
  const template = readTemplate(written);
  if ('problem' in template) throw new MissingValue(template.problem);
  const [only] = template;
  // A reference to a missing optional argument is left out.
  if (template.length === 1 && only !== undefined && typeof only !== 'string')
    return only.from === 'input' ? lookUp(only, state) : requireValue(only, state);
  return template.map((part) => (typeof part === 'string' ? part : toText(requireValue(part, state)))).join('');
}

function requireValue(reference: ChainReference, state: ChainState): unknown {
  const value = lookUp(reference, state);
  if (value === undefined) throw new MissingValue(`${reference.written} has no value`);
  return value;
}

function lookUp(reference: ChainReference, { args, results }: ChainState): unknown {
  let value = reference.from === 'input' ? args : partOf(reference, results[reference.from - 1]);
  for (const key of reference.path) {
    const inside = (isObject(value) && !isRawNumber(value)) || Array.isArray(value) ? value : {};
    value = Object.hasOwn(inside, key) ? (inside as JsonObject)[key] : undefined;
  }
  return value;
}

function partOf({ part, written }: ChainReference, result: ToolResult | undefined): unknown {
  if (part === 'text') return result?.text;
  if (part === 'structured') return result && exactly(partOfResult(result, 'structuredContent'));
  try {
    return parseExactly(result?.text ?? '');
  } catch {
    throw new MissingValue(`${written}: the result of that step is not JSON`);
  }
}

/** A part of a result, with the text that has all digits of its numbers. */
function partOfResult(result: ToolResult, part: 'content' | 'structuredContent'): unknown {
  return isObject(result.raw) ? memberWithText(result.raw, part) : result[part];
}

function toText(value: unknown): string {
  return typeof value === 'string'
    ? value
    : JSON.stringify(value, (_name, member: unknown) => (typeof member === 'bigint' ? toRawNumber(member) : member));
}

function failure(at: number, steps: ChainConfig['steps'], reason: string): JsonObject {
  const before = steps.slice(0, at).map(({ tool }, index) => `${index + 1} (${tool})`);
  const done = before.length > 0 ? `\nSteps that have run: ${before.join(', ')}` : '';
  const text = `Step ${at + 1} of ${steps.length} (${steps[at]?.tool}) failed: ${reason}${done}`;
  return { isError: true, content: [{ type: 'text', text }] };
}
