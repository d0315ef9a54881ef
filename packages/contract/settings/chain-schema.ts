import { z } from 'zod';
import { isObject, type JsonSchema } from '../json.ts';
import { chainTimeoutMs } from './defaults.ts';
import { durationText } from './durations.ts';
import { duration, filledText, list, text } from './schema-parts.ts';
import { limitsShape } from './server-schema.ts';

const stepSchema = z.strictObject(
  {
    tool: filledText.describe('The tool to call, by the name that `toolwharf tools` shows.'),
    arguments: z
      .record(z.string(), z.unknown(), { error: 'must be a map' })
      .optional()
      .describe(
        'Its arguments. {{input.NAME}} stands for an argument of the chain, {{steps.1.text}} for the text of a result.',
      ),
  },
  { error: 'must be a map with tool and arguments' },
);

const description = text.optional().describe('The description that the model sees.');
const inputSchema = z
  .record(z.string(), z.unknown(), { error: 'must be a JSON Schema' })
  .optional()
  .describe('JSON Schema of the arguments. Default: no arguments.');
const code = filledText.max(262_144, 'must have at most 262144 characters');
const timeout = duration()
  .optional()
  .describe('Time limit of the whole chain.')
  .meta({ default: durationText(chainTimeoutMs) });

/** The name of a chain. */
export const chainName = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, 'a name must have 1 to 64 of A-Z, a-z, 0-9, _ and -');

/** A script that is saved over the API, without its name. */
export const scriptSchema = z.strictObject({
  description,
  input: inputSchema.refine((schema) => schema === undefined || schema.type === 'object', 'must have type: object'),
  code: code.describe('TypeScript that calls `tools.SERVER.TOOL(...)` and reads `input`.'),
  ...limitsShape,
  timeout: timeout.describe('Time limit of the script, as text such as 30s or in milliseconds.'),
});

/** A sequence of tool calls, or a script that calls tools, that is exposed as one tool. */
export const chainSchema = z
  .strictObject(
    {
      description,
      input: inputSchema,
      steps: list(stepSchema)
        .min(1, 'must have at least one step')
        .max(50, 'must have at most 50 steps')
        .optional()
        .describe('The tools to call, in this order. Required without `code`.'),
      code: code
        .optional()
        .describe('A script instead of the steps: TypeScript that calls `tools.SERVER.TOOL(...)` and reads `input`.'),
      ...limitsShape,
      timeout,
    },
    { error: 'must be a map with steps or code' },
  )
  .superRefine(({ input, steps, code }, context) => {
    if (code === undefined && steps === undefined)
      context.addIssue({ code: 'custom', path: ['steps'], message: 'is required, or code' });
    if (code !== undefined && steps !== undefined)
      context.addIssue({ code: 'custom', path: ['code'], message: 'cannot be combined with steps' });
    if (input && input.type !== 'object')
      context.addIssue({ code: 'custom', path: ['input'], message: 'must have type: object' });
    for (const [at, step] of (steps ?? []).entries()) {
      const issue = (message: string) =>
        context.addIssue({ code: 'custom', path: ['steps', at, 'arguments'], message });
      for (const written of textsIn(step.arguments))
        for (const problem of problemsOf(written, at, input)) issue(problem);
    }
  });

export const chainsSchema = z.record(chainName, chainSchema, { error: 'must be a map of chains by name' });

export type CheckedChains = z.output<typeof chainsSchema>;

/** A `{{…}}` placeholder in the arguments of a step. */
export interface ChainReference {
  /** The arguments of the chain, or the number of an earlier step, starting at 1. */
  readonly from: 'input' | number;
  /** For a step: its text, its structured content, or its text parsed as JSON. */
  readonly part?: 'text' | 'structured' | 'json';
  /** Keys and indexes into the value. */
  readonly path: readonly string[];
  /** The placeholder in its original spelling. */
  readonly written: string;
}

/** Parses placeholders such as `{{input.to}}` and `{{steps.1.text}}`. An invalid placeholder is an error. */
export function readTemplate(text: string): ChainTemplate | { readonly problem: string } {
  const parts: (string | ChainReference)[] = [];
  let end = 0;
  for (const match of text.matchAll(/\{\{([^{}]*)\}\}/g)) {
    const reference = readReference(match[1]?.trim() ?? '');
    if (!reference)
      return { problem: `${match[0]} is neither {{input.NAME}} nor {{steps.1.text}}, .structured or .json` };
    if (match.index > end) parts.push(text.slice(end, match.index));
    parts.push({ ...reference, written: match[0] });
    end = match.index + match[0].length;
  }
  if (end < text.length) parts.push(text.slice(end));
  return parts;
}

function problemsOf(written: string, at: number, input: JsonSchema | undefined): string[] {
  const template = readTemplate(written);
  if ('problem' in template) return [template.problem];
  const properties = isObject(input?.properties) ? input.properties : {};
  return template.flatMap((part) => {
    if (typeof part === 'string') return [];
    const [name = ''] = part.path;
    if (part.from === 'input')
      return Object.hasOwn(properties, name) ? [] : [`${part.written}: input has no property '${name}'`];
    return part.from <= at ? [] : [`${part.written}: step ${at + 1} can refer to earlier steps only`];
  });
}

type ChainTemplate = readonly (string | ChainReference)[];

/** Yields every string in the arguments of a step. */
function* textsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null)
    for (const member of Object.values(value)) yield* textsIn(member);
}

function readReference(written: string): Omit<ChainReference, 'written'> | undefined {
  const [from, ...path] = written.split('.');
  if (path.length === 0 || path.includes('')) return undefined;
  if (from === 'input') return { from, path };
  if (from !== 'steps') return undefined;
  const [number = '', part, ...inside] = path;
  if (!/^[1-9]\d{0,2}$/.test(number)) return undefined;
  if (part !== 'text' && part !== 'structured' && part !== 'json') return undefined;
  return part === 'text' && inside.length > 0 ? undefined : { from: Number(number), part, path: inside };
}
