import type { JsonObject } from '../../contract/json.ts';
import { exposeSource } from '../features/exposure/expose-source.ts';
import { searchSource } from '../features/search/search-source.ts';
import type { Tool, ToolResult, ToolSource } from '../kernel/tool.ts';
import { callByProviderName, findExpressed, type RunOptions, runsScripts } from './shared/call-by-provider-name.ts';
import {
  type BridgeOptions,
  expressSource,
  expressTools,
  type OmittedTool,
  omittedTools,
  type SourceOptions,
} from './shared/express-tools.ts';
import { anthropicRules } from './shared/provider-rules.ts';
import { type AnthropicTool, toAnthropicShape } from './shared/provider-shapes.ts';
import { commonImageTypes, type Media, type ResultPart, toResultParts } from './shared/result-parts.ts';

export type { AnthropicTool, BridgeOptions, OmittedTool, RunOptions, SourceOptions };

/** A tool whose definition the model sees after a search has found it. Until then the definition costs no tokens. */
export interface AnthropicDeferredTool extends AnthropicTool {
  defer_loading: true;
}

/** Anthropic's own search in deferred tools. */
export type AnthropicSearchTool =
  | { type: 'tool_search_tool_bm25_20251119'; name: 'tool_search_tool_bm25' }
  | { type: 'tool_search_tool_regex_20251119'; name: 'tool_search_tool_regex' };

/** Which tools are offered, and who searches them. */
export interface AnthropicOptions extends SourceOptions {
  /**
   * Who searches with `expose: search`: Toolwharf, or Anthropic by keywords or with regular expressions that the model writes.
   * Default: `toolwharf`.
   */
  readonly search?: 'toolwharf' | 'bm25' | 'regex';
}

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
  | { type: 'tool_reference'; tool_name: string }
  | { type: 'image'; source: { type: 'base64'; media_type: AnthropicImageType; data: string } }
  | { type: 'document'; source: { type: 'base64'; media_type: 'application/pdf'; data: string } };

/** The image types that the API accepts. */
export type AnthropicImageType = 'image/gif' | 'image/jpeg' | 'image/png' | 'image/webp';

/**
 * The tools for `messages.create({ tools })`. With `expose: search`, all tools but those of `alwaysList` are deferred: the model
 * searches them, and the API shows it the definitions of those it has found. `maxTools` does not limit deferred tools.
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
export function toAnthropicTools(source: ToolSource, options?: AllOptions): AnthropicTool[];
export function toAnthropicTools(
  source: ToolSource,
  options?: AnthropicOptions,
): (AnthropicTool | AnthropicDeferredTool | AnthropicSearchTool)[];
export function toAnthropicTools(
  source: ToolSource,
  options: AnthropicOptions = {},
): (AnthropicTool | AnthropicDeferredTool | AnthropicSearchTool)[] {
  const { expose, tools: always } = exposeSource(source, options);
  if (expose !== 'search') return expressSource(source, anthropicRules, options).map(toAnthropicShape);
  const listed = new Set(always);
  const deferred = expressTools(source.tools, anthropicRules, { onOmitted: options.onOmitted }).map((expressed) => {
    const shape = toAnthropicShape(expressed);
    return listed.has(expressed.tool) ? shape : { ...shape, defer_loading: true as const };
  });
  return [...searchToolsOf(source, options.search), ...deferred];
}

/** Options with which all tools are listed. */
type AllOptions = BridgeOptions<Tool> & { readonly expose?: 'all' };

function searchToolsOf(
  source: ToolSource,
  search: AnthropicOptions['search'],
): (AnthropicTool | AnthropicSearchTool)[] {
  if (search === 'bm25') return [{ type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' }];
  if (search === 'regex') return [{ type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' }];
  const ours = searchSource(source).tools.filter(({ name }) => name === searchTool);
  return expressTools(ours, anthropicRules).map(toAnthropicShape);
}

const searchTool = 'search_tools';

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
  const isPlain = source.tools.some(({ name }) => name === searchTool) || runsScripts(source, options?.expose);
  const results = calls.map(async (call) => {
    if (call.name === searchTool && !isPlain) return toReferences(source, call, options);
    const [result] = await callByProviderName(source, [call], anthropicRules, options);
    return toToolResult(call.id, result as ToolResult);
  });
  return { role: 'user', content: await Promise.all(results) };
}

/** The result of a search. The API replaces each reference with the definition of the tool, so that the model can call it. */
async function toReferences(
  source: ToolSource,
  { id, args }: { id: string; args: unknown },
  options?: RunOptions,
): Promise<AnthropicToolResult> {
  const found = await findExpressed(source, args, anthropicRules, options);
  if ('content' in found) return toToolResult(id, found);
  const references = found.map(({ name }) => ({ type: 'tool_reference' as const, tool_name: name }));
  const none = { type: 'text' as const, text: 'No tool matches. Search with other words.' };
  return { type: 'tool_result', tool_use_id: id, content: references.length > 0 ? references : [none] };
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
