import type { Tool, ToolResult, ToolSource } from '../kernel/tool.ts';
import { callByProviderName, type RunOptions } from './shared/call-by-provider-name.ts';
import {
  type BridgeOptions,
  expressSource,
  type OmittedTool,
  omittedTools,
  type SourceOptions,
} from './shared/express-tools.ts';
import { geminiRules } from './shared/provider-rules.ts';
import { type GeminiFunction, type GeminiTool, toGeminiShape } from './shared/provider-shapes.ts';
import { type Media, textOf, toResultParts } from './shared/result-parts.ts';

export type { BridgeOptions, GeminiFunction, GeminiTool, OmittedTool, RunOptions, SourceOptions };

/** The fields of a Gemini function call that the bridge reads. */
export interface GeminiFunctionCall {
  readonly id?: string;
  readonly name?: string;
  readonly args?: unknown;
}

/** The response to one function call: a part of the next `user` content. */
export interface GeminiFunctionResponsePart {
  functionResponse: {
    id?: string;
    name: string;
    response: { output: string } | { error: string };
    parts?: { inlineData: { mimeType: string; data: string } }[];
  };
}

/** How Gemini function calls are run. */
export interface GeminiRunOptions extends RunOptions {
  /** `parts` sends images and PDFs, which models before Gemini 3 reject; `text` describes them. Default: `parts`. */
  readonly media?: 'parts' | 'text';
}

/**
 * The tools for `generateContent({ config: { tools } })`.
 *
 * @example
 * ```ts
 * import { createToolbox } from 'toolwharf';
 * import { runGeminiFunctionCalls, toGeminiTools } from 'toolwharf/gemini';
 *
 * await using toolbox = await createToolbox({
 *   servers: { everything: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-everything'] } },
 * });
 * console.log(toGeminiTools(toolbox)[0]?.functionDeclarations[0]?.name); // mcp_everything_echo
 * // `response.functionCalls` of the model:
 * const calls = [{ name: 'mcp_everything_echo', args: { message: 'ahoy' } }];
 * const [part] = await runGeminiFunctionCalls(toolbox, calls);
 * console.log(part?.functionResponse.response); // { output: 'Echo: ahoy' }
 * ```
 */
export function toGeminiTools(source: ToolSource, options?: SourceOptions): GeminiTool[] {
  return toGeminiShape(expressSource(source, geminiRules, options));
}

/** The tools that Gemini cannot accept, with the reasons. */
export function geminiOmitted(
  source: ToolSource,
  options?: Pick<BridgeOptions<Tool>, 'maxTools'>,
): OmittedTool<Tool>[] {
  return omittedTools(source.tools, geminiRules, options);
}

/**
 * Runs `response.functionCalls` in parallel and returns the parts of the content to append, in the order of the calls.
 * Never throws: an invalid call is answered with the reason as `error`.
 */
export async function runGeminiFunctionCalls(
  source: ToolSource,
  functionCalls: readonly GeminiFunctionCall[] | null | undefined,
  options: GeminiRunOptions = {},
): Promise<GeminiFunctionResponsePart[]> {
  const { media = 'parts', ...run } = options;
  const calls = (functionCalls ?? []).map(({ id, name = '', args }) => ({ id, name, args }));
  const results = await callByProviderName(source, calls, geminiRules, run);
  const accepts = media === 'parts' ? isReadable : () => false;
  return results.map((result, index) => toResponse(calls[index], result, accepts));
}

const readableTypes = new Set(['application/pdf', 'image/jpeg', 'image/png', 'image/webp']);

function isReadable({ mimeType }: Media): boolean {
  return readableTypes.has(mimeType);
}

function toResponse(
  call: { readonly id?: string; readonly name: string } | undefined,
  result: ToolResult,
  accepts: (media: Media) => boolean,
): GeminiFunctionResponsePart {
  const parts = toResultParts(result, accepts);
  const text = textOf(parts);
  const media = parts.flatMap((part) =>
    part.kind === 'media' ? [{ inlineData: { mimeType: part.mimeType, data: part.data } }] : [],
  );
  return {
    functionResponse: {
      ...(call?.id !== undefined && { id: call.id }),
      name: call?.name ?? '',
      response: result.isError ? { error: text } : { output: text },
      ...(media.length > 0 && { parts: media }),
    },
  };
}
