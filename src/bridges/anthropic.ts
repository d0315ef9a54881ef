import type { JsonObject } from '../kernel/json.ts';
import type { Tool, ToolResult, ToolSource } from '../kernel/tool.ts';
import { callByProviderName, type RunOptions } from './shared/call-by-provider-name.ts';
import { type BridgeOptions, expressTools, type OmittedTool, omittedTools } from './shared/express-tools.ts';
import { anthropicRules } from './shared/provider-rules.ts';
import { type AnthropicTool, toAnthropicShape } from './shared/provider-shapes.ts';
import { commonImageTypes, type Media, type ResultPart, toResultParts } from './shared/result-parts.ts';

export type { AnthropicTool, BridgeOptions, OmittedTool, RunOptions };

/** The message to append after a message with `tool_use` blocks. */
export interface AnthropicToolResultMessage {
  role: 'user';
  content: AnthropicToolResult[];
}

/** A `tool_result` block for the next message to the model. */
export interface AnthropicToolResult {
  type: 'tool_result';
  tool_use_id: string;
  content: AnthropicResultBlock[];
  is_error?: true;
}

/** One part of a tool result. */
export type AnthropicResultBlock =
  | { type: 'text'; text: string }
  | { type: 'image'; source: { type: 'base64'; media_type: AnthropicImageType; data: string } }
  | { type: 'document'; source: { type: 'base64'; media_type: 'application/pdf'; data: string } };

/** The image types that the API accepts. */
export type AnthropicImageType = 'image/gif' | 'image/jpeg' | 'image/png' | 'image/webp';

/**
 * The tools for `messages.create({ tools })`.
 *
 * @example
 * ```ts
 * import { createToolbox } from 'toolwharf';
 * import { runAnthropicToolUse, toAnthropicTools } from 'toolwharf/anthropic';
 *
 * await using toolbox = await createToolbox({
 *   servers: { everything: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-everything'] } },
 * });
 * console.log(toAnthropicTools(toolbox)[0]?.name); // mcp_everything_echo
 * // `message.content` of the model:
 * const content = [{ type: 'tool_use', id: 'use_1', name: 'mcp_everything_echo', input: { message: 'ahoy' } }];
 * const reply = await runAnthropicToolUse(toolbox, content);
 * console.log(reply.content[0]?.content); // [ { type: 'text', text: 'Echo: ahoy' } ]
 * ```
 */
export function toAnthropicTools(source: ToolSource, options?: BridgeOptions<Tool>): AnthropicTool[] {
  return expressTools(source.tools, anthropicRules, options).map(toAnthropicShape);
}

/** The tools that Anthropic cannot accept, with the reasons. */
export function anthropicOmitted(
  source: ToolSource,
  options?: Pick<BridgeOptions<Tool>, 'maxTools'>,
): OmittedTool<Tool>[] {
  return omittedTools(source.tools, anthropicRules, options);
}

/**
 * Runs the `tool_use` blocks of `message.content` in parallel and returns the message to append, with the results in the
 * order of the calls. Never throws: an invalid call is answered with the reason and `is_error`.
 */
export async function runAnthropicToolUse(
  source: ToolSource,
  content: readonly { readonly type: string }[],
  options?: RunOptions,
): Promise<AnthropicToolResultMessage> {
  const calls = content.flatMap((block: JsonObject) => {
    if (block.type !== 'tool_use') return [];
    return [{ id: String(block.id), name: block.name, args: block.input }];
  });
  const results = await callByProviderName(source, calls, anthropicRules, options);
  return { role: 'user', content: results.map((result, index) => toToolResult(calls[index]?.id ?? '', result)) };
}

function toToolResult(id: string, result: ToolResult): AnthropicToolResult {
  return {
    type: 'tool_result',
    tool_use_id: id,
    content: toResultParts(result, isReadable).map(toBlock),
    ...(result.isError && { is_error: true }),
  };
}

// The API's limit for one image; a larger one would fail the whole request.
const maxImageCharacters = 5 * 1024 * 1024;

function isReadable({ mimeType, data }: Media): boolean {
  return isImageType(mimeType) ? data.length <= maxImageCharacters : mimeType === 'application/pdf';
}

function isImageType(mimeType: string): mimeType is AnthropicImageType {
  return commonImageTypes.has(mimeType);
}

function toBlock(part: ResultPart): AnthropicResultBlock {
  if (part.kind === 'text') return { type: 'text', text: part.text };
  const { mimeType, data } = part;
  if (isImageType(mimeType)) return { type: 'image', source: { type: 'base64', media_type: mimeType, data } };
  return { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data } };
}
