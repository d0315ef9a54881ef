import type { JsonObject } from '../kernel/json.ts';
import type { Tool, ToolResult, ToolSource } from '../kernel/tool.ts';
import { callByProviderName, type RunOptions } from './shared/call-by-provider-name.ts';
import { type BridgeOptions, expressTools, type OmittedTool, omittedTools } from './shared/express-tools.ts';
import { openAIRules } from './shared/provider-rules.ts';
import {
  type OpenAIResponsesTool,
  type OpenAITool,
  toOpenAIResponsesShape,
  toOpenAIShape,
} from './shared/provider-shapes.ts';
import { commonImageTypes, type Media, type ResultPart, textOf, toResultParts } from './shared/result-parts.ts';

export type { BridgeOptions, OmittedTool, OpenAIResponsesTool, OpenAITool, RunOptions };

/** The fields of a Chat Completions tool call that the bridge reads. */
export interface OpenAIToolCall {
  readonly id: string;
  readonly function?: { readonly name: string; readonly arguments: string };
}

/** The response to one Chat Completions tool call. */
export interface OpenAIToolMessage {
  role: 'tool';
  tool_call_id: string;
  content: string;
}

/** The response to one function call of the Responses API. */
export interface OpenAIFunctionCallOutput {
  type: 'function_call_output';
  call_id: string;
  output: string | OpenAIOutputItem[];
}

/** One part of a function call output. */
export type OpenAIOutputItem =
  | { type: 'input_text'; text: string }
  | { type: 'input_image'; image_url: string; detail: 'auto' }
  | { type: 'input_file'; filename: string; file_data: string };

/**
 * The tools for `chat.completions.create({ tools })`. OpenAI accepts at most 128 in one request: offer fewer, or set
 * `maxTools`. Without it, no tool is left out for their number.
 *
 * @example
 * ```ts
 * import { createToolbox } from 'toolwharf';
 * import { runOpenAIToolCalls, toOpenAITools } from 'toolwharf/openai';
 *
 * await using toolbox = await createToolbox({
 *   servers: { everything: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-everything'] } },
 * });
 * const request = { model: 'gpt-5', tools: toOpenAITools(toolbox) };
 * console.log(request.tools[0]?.function.name); // mcp_everything_echo
 * // The model's answer to the request, `response.choices[0].message`:
 * const message = {
 *   tool_calls: [{ id: 'call_1', function: { name: 'mcp_everything_echo', arguments: '{"message":"ahoy"}' } }],
 * };
 * const [reply] = await runOpenAIToolCalls(toolbox, message.tool_calls);
 * console.log(reply?.role, reply?.content); // tool Echo: ahoy
 * ```
 */
export function toOpenAITools(source: ToolSource, options?: BridgeOptions<Tool>): OpenAITool[] {
  return expressTools(source.tools, openAIRules, options).map((expressed) => {
    const shape = toOpenAIShape(expressed);
    return { ...shape, function: { ...shape.function, strict: false } };
  });
}

/**
 * The tools for `responses.create({ tools })`.
 *
 * @example
 * ```ts
 * import { createToolbox } from 'toolwharf';
 * import { runOpenAIResponsesToolCalls, toOpenAIResponsesTools } from 'toolwharf/openai';
 *
 * await using toolbox = await createToolbox({
 *   servers: { everything: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-everything'] } },
 * });
 * console.log(toOpenAIResponsesTools(toolbox)[0]?.name); // mcp_everything_echo
 * // `response.output` of the model:
 * const output = [
 *   { type: 'function_call', call_id: 'call_1', name: 'mcp_everything_echo', arguments: '{"message":"ahoy"}' },
 * ];
 * const [item] = await runOpenAIResponsesToolCalls(toolbox, output);
 * console.log(item?.call_id, item?.output); // call_1 Echo: ahoy
 * ```
 */
export function toOpenAIResponsesTools(source: ToolSource, options?: BridgeOptions<Tool>): OpenAIResponsesTool[] {
  return expressTools(source.tools, openAIRules, options).map(toOpenAIResponsesShape);
}

/** The tools that OpenAI cannot accept, with the reasons. */
export function openAIOmitted(
  source: ToolSource,
  options?: Pick<BridgeOptions<Tool>, 'maxTools'>,
): OmittedTool<Tool>[] {
  return omittedTools(source.tools, openAIRules, options);
}

/**
 * Runs `message.tool_calls` in parallel and returns the messages to append, in the order of the calls. Never throws: an
 * invalid call is answered with the reason. Tool messages are text, so media is described, not sent.
 */
export async function runOpenAIToolCalls(
  source: ToolSource,
  toolCalls: readonly OpenAIToolCall[] | null | undefined,
  options?: RunOptions,
): Promise<OpenAIToolMessage[]> {
  const calls = (toolCalls ?? []).map((call) => ({
    id: call.id,
    name: call.function?.name,
    args: call.function?.arguments,
  }));
  const results = await callByProviderName(source, calls, openAIRules, options);
  return calls.map(({ id }, index) => ({ role: 'tool', tool_call_id: id, content: textOf(partsAt(results, index)) }));
}

/** Runs the function calls in `response.output` in parallel and returns the items for the next `input`, in order. Never throws. */
export async function runOpenAIResponsesToolCalls(
  source: ToolSource,
  output: readonly { readonly type: string }[],
  options?: RunOptions,
): Promise<OpenAIFunctionCallOutput[]> {
  const calls = output.flatMap((item: JsonObject) => {
    if (item.type !== 'function_call') return [];
    return [{ id: String(item.call_id), name: item.name, args: item.arguments }];
  });
  const results = await callByProviderName(source, calls, openAIRules, options);
  return calls.map(({ id }, index) => ({
    type: 'function_call_output',
    call_id: id,
    output: toOutput(partsAt(results, index, isReadable)),
  }));
}

function partsAt(results: readonly ToolResult[], index: number, accepts?: (media: Media) => boolean): ResultPart[] {
  const result = results[index];
  return result ? toResultParts(result, accepts) : [];
}

function isReadable({ mimeType }: Media): boolean {
  return commonImageTypes.has(mimeType) || mimeType === 'application/pdf';
}

function toOutput(parts: readonly ResultPart[]): string | OpenAIOutputItem[] {
  return parts.every((part) => part.kind === 'text') ? textOf(parts) : parts.map(toOutputItem);
}

function toOutputItem(part: ResultPart): OpenAIOutputItem {
  if (part.kind === 'text') return { type: 'input_text', text: part.text };
  const url = `data:${part.mimeType};base64,${part.data}`;
  if (part.mimeType === 'application/pdf')
    return { type: 'input_file', filename: part.uri?.split('/').at(-1) || 'document.pdf', file_data: url };
  return { type: 'input_image', image_url: url, detail: 'auto' };
}
