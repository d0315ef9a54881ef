import type { JsonObject } from '../../contract/json.ts';
import { exposeSource } from '../features/exposure/expose-source.ts';
import { searchSource } from '../features/search/search-source.ts';
import type { Tool, ToolResult, ToolSource } from '../kernel/tool.ts';
import { callByProviderName, findExpressed, type RunOptions } from './shared/call-by-provider-name.ts';
import {
  type BridgeOptions,
  type ExpressedTool,
  expressSource,
  expressTools,
  type OmittedTool,
  omittedTools,
  type SourceOptions,
} from './shared/express-tools.ts';
import { toProviderName } from './shared/provider-name.ts';
import { openAIRules } from './shared/provider-rules.ts';
import {
  type OpenAIResponsesTool,
  type OpenAITool,
  toOpenAIResponsesShape,
  toOpenAIShape,
} from './shared/provider-shapes.ts';
import { commonImageTypes, type Media, type ResultPart, textOf, toResultParts } from './shared/result-parts.ts';

export type { BridgeOptions, OmittedTool, OpenAIResponsesTool, OpenAITool, RunOptions, SourceOptions };

/** A function of the Responses API that the model sees only after it has found it. */
export interface OpenAIDeferredTool extends OpenAIResponsesTool {
  defer_loading: true;
}

/** The deferred functions of one server. The model sees its name and description. */
export interface OpenAINamespace {
  type: 'namespace';
  name: string;
  description: string;
  tools: OpenAIDeferredTool[];
}

/** The search in deferred functions: by the client, with these parameters, or by OpenAI. */
export interface OpenAISearchTool {
  type: 'tool_search';
  execution: 'client' | 'server';
  description?: string;
  parameters?: { [key: string]: unknown };
}

/** Which tools are offered, and who searches them. */
export interface OpenAIResponsesOptions extends SourceOptions {
  /**
   * Who searches with `expose: search`. `toolwharf`: the request has no definitions, a search returns those that it has found.
   * `openai`: the request has all definitions as deferred namespaces, one per server. Default: `toolwharf`.
   */
  readonly search?: 'toolwharf' | 'openai';
}

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

/** The response to one tool search of the Responses API: the functions that the model can call from now on. */
export interface OpenAIToolSearchOutput {
  type: 'tool_search_output';
  execution: 'client';
  status: 'completed';
  call_id: string;
  tools: OpenAIDeferredTool[];
  output?: undefined;
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
export function toOpenAITools(source: ToolSource, options?: SourceOptions): OpenAITool[] {
  return expressSource(source, openAIRules, options).map((expressed) => {
    const shape = toOpenAIShape(expressed);
    return { ...shape, function: { ...shape.function, strict: false } };
  });
}

/**
 * The tools for `responses.create({ tools })`. With `expose: search`, all tools but those of `alwaysList` are deferred: the model
 * finds them with OpenAI's `tool_search`. `maxTools` does not limit deferred tools.
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
export function toOpenAIResponsesTools(source: ToolSource, options?: AllOptions): OpenAIResponsesTool[];
export function toOpenAIResponsesTools(
  source: ToolSource,
  options?: OpenAIResponsesOptions,
): (OpenAIResponsesTool | OpenAINamespace | OpenAISearchTool)[];
export function toOpenAIResponsesTools(
  source: ToolSource,
  options: OpenAIResponsesOptions = {},
): (OpenAIResponsesTool | OpenAINamespace | OpenAISearchTool)[] {
  const { expose, tools: always } = exposeSource(source, options);
  if (expose !== 'search') return expressSource(source, openAIRules, options).map(toOpenAIResponsesShape);
  const listed = expressTools(always, openAIRules, options).map(toOpenAIResponsesShape);
  if (options.search === 'openai')
    return [{ type: 'tool_search', execution: 'server' }, ...listed, ...toNamespaces(source, always, options)];
  const { description = '', parameters = {} } =
    searchSource(source).tools.find(({ name }) => name === 'search_tools') ?? {};
  const { schema } = expressTools([{ name: 'search_tools', parameters }], openAIRules)[0] ?? { schema: {} };
  return [{ type: 'tool_search', execution: 'client', description, parameters: schema }, ...listed];
}

/** Options with which all tools are listed. */
type AllOptions = BridgeOptions<Tool> & { readonly expose?: 'all' };

function toNamespaces(source: ToolSource, always: readonly Tool[], { onOmitted }: SourceOptions): OpenAINamespace[] {
  const listed = new Set(always);
  const expressed = expressTools(source.tools, openAIRules, { onOmitted }).filter(({ tool }) => !listed.has(tool));
  const byServer = Map.groupBy(expressed, ({ tool: { server = 'local' } }) => server);
  return [...byServer].map(([server, tools]) => ({
    type: 'namespace',
    name: toProviderName(server, openAIRules.names.limit),
    description: `Tools of the server ${server}: ${tools.map(({ tool }) => tool.originalName).join(', ')}`.slice(
      0,
      1_000,
    ),
    tools: tools.map(toDeferred),
  }));
}

function toDeferred(expressed: ExpressedTool): OpenAIDeferredTool {
  return { ...toOpenAIResponsesShape(expressed), defer_loading: true };
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

/**
 * Runs the function calls and tool searches in `response.output` in parallel and returns the items for the next `input`, in order.
 * Never throws.
 */
export async function runOpenAIResponsesToolCalls(
  source: ToolSource,
  output: readonly { readonly type: string }[],
  options?: RunOptions,
): Promise<(OpenAIFunctionCallOutput | OpenAIToolSearchOutput)[]> {
  const answers = output.map(async (item: JsonObject) => {
    const { type, call_id: id, name, arguments: args } = item;
    if (type === 'tool_search_call' && item.execution === 'client')
      return toSearchOutput(source, String(id), args, options);
    if (type !== 'function_call') return undefined;
    const results = await callByProviderName(source, [{ name, args }], openAIRules, options);
    return {
      type: 'function_call_output' as const,
      call_id: String(id),
      output: toOutput(partsAt(results, 0, isReadable)),
    };
  });
  return (await Promise.all(answers)).filter((answer) => answer !== undefined);
}

/** A search with invalid arguments finds nothing, because its output has no place for a message. */
async function toSearchOutput(
  source: ToolSource,
  id: string,
  args: unknown,
  options?: RunOptions,
): Promise<OpenAIToolSearchOutput> {
  const found = await findExpressed(source, args, openAIRules, options);
  const tools = 'content' in found ? [] : found.map(toDeferred);
  return { type: 'tool_search_output', execution: 'client', status: 'completed', call_id: id, tools };
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
