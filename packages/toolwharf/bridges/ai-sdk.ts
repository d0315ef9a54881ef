import type { JsonObject } from '../../contract/json.ts';
import type { Tool, ToolSource } from '../kernel/tool.ts';
import {
  type AiSdkContent,
  type AiSdkModelOutput,
  type AiSdkToolOutput,
  toAiSdkOutput,
} from './shared/ai-sdk-output.ts';
import { callExpressed, type RunOptions } from './shared/call-by-provider-name.ts';
import {
  type BridgeOptions,
  type ExpressedTool,
  expressSource,
  type OmittedTool,
  omittedTools,
  type SourceOptions,
} from './shared/express-tools.ts';
import { anyProviderRules } from './shared/provider-rules.ts';

export type { AiSdkContent, AiSdkModelOutput, AiSdkToolOutput, BridgeOptions, OmittedTool, RunOptions, SourceOptions };

/** A tool of the AI SDK, version 7. */
export interface AiSdkTool {
  type: 'dynamic';
  description?: string;
  /** OpenAI's Responses API is strict by default and makes every optional argument required. */
  strict: false;
  /** Identifies the tool. The SDK copies it to the tool's calls and never sends it to the model. */
  metadata: { name: string; server?: string };
  inputSchema: AiSdkSchema;
  execute(input: unknown, options: { readonly abortSignal?: AbortSignal }): Promise<AiSdkToolOutput>;
  toModelOutput(options: { readonly output: unknown }): AiSdkModelOutput;
}

/** A schema of the AI SDK, which passes the JSON Schema on unchanged, and of Standard JSON Schema. */
export interface AiSdkSchema {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: 'toolwharf';
    readonly validate: (value: unknown) => { readonly value: unknown };
    readonly jsonSchema: {
      readonly input: () => Record<string, unknown>;
      readonly output: () => Record<string, unknown>;
    };
  };
}

/** Which tools are offered, and how they are called. */
export interface AiSdkOptions extends SourceOptions {
  /** Options of the calls; the SDK's abort signal cancels them too. */
  readonly run?: RunOptions;
}

/**
 * The tools for `generateText({ tools })` and `streamText({ tools })`, by name. The toolbox validates arguments, not the
 * SDK. A failed call is an output with `isError`, and reaches the model as an error.
 *
 * @example
 * ```ts
 * import { createToolbox } from 'toolwharf';
 * import { toAiSdkTools } from 'toolwharf/ai-sdk';
 *
 * await using toolbox = await createToolbox({
 *   servers: { everything: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-everything'] } },
 * });
 * // Pass them to `generateText({ model, prompt, tools })`, which calls `execute`:
 * const tools = toAiSdkTools(toolbox);
 * const output = await tools['mcp_everything_echo']?.execute({ message: 'ahoy' }, {});
 * console.log(output?.text); // Echo: ahoy
 * ```
 */
export function toAiSdkTools(source: ToolSource, options: AiSdkOptions = {}): Record<string, AiSdkTool> {
  // Without a prototype, because the SDK looks up names that models send.
  const tools: Record<string, AiSdkTool> = Object.create(null);
  for (const expressed of expressSource(source, anyProviderRules, options))
    tools[expressed.name] = toAiSdkTool(source, expressed, { expose: options.expose ?? 'all', ...options.run });
  return tools;
}

/** The tools that some providers of the AI SDK cannot accept, with the reasons. */
export function aiSdkOmitted(source: ToolSource, options?: Pick<BridgeOptions<Tool>, 'maxTools'>): OmittedTool<Tool>[] {
  return omittedTools(source.tools, anyProviderRules, options);
}

function toAiSdkTool(source: ToolSource, expressed: ExpressedTool<Tool>, run: RunOptions): AiSdkTool {
  const { tool, description, schema, originals } = expressed;
  return {
    type: 'dynamic',
    ...(description && { description }),
    strict: false,
    metadata: { name: tool.name, ...(tool.server !== undefined && { server: tool.server }) },
    inputSchema: toSchema(schema),
    async execute(input, { abortSignal }) {
      const signals = [run.signal, abortSignal].filter((signal) => signal !== undefined);
      const signal = signals.length > 1 ? AbortSignal.any(signals) : signals[0];
      const { raw, ...output } = await callExpressed(source, tool, originals, input, { ...run, signal });
      return output;
    },
    toModelOutput: ({ output }) => toAiSdkOutput(output),
  };
}

function toSchema(schema: JsonObject): AiSdkSchema {
  const jsonSchema = () => ({ ...schema });
  const own = { [Symbol.for('vercel.ai.schema')]: true, _type: undefined, jsonSchema: schema, validate: undefined };
  const standard = {
    version: 1,
    vendor: 'toolwharf',
    validate: (value: unknown) => ({ value }),
    jsonSchema: { input: jsonSchema, output: jsonSchema },
  } as const;
  return { ...own, '~standard': standard };
}
