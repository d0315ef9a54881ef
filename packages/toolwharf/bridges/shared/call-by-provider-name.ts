import { messageOf } from '../../../contract/errors.ts';
import { isObject, type JsonObject } from '../../../contract/json.ts';
import type { ExposeOptions } from '../../features/exposure/expose-source.ts';
import { codeSource } from '../../features/scripts/code-source.ts';
import { type SourceSearch, searchSource } from '../../features/search/search-source.ts';
import { receiveArgumentsText } from '../../invocation/receive-arguments.ts';
import type { CallOptions, Tool, ToolResult, ToolSource } from '../../kernel/tool.ts';
import { type ExpressedTool, type ProviderRules, tryExpress } from './express-tools.ts';
import { type OriginalNames, restoreProperties } from './property-names.ts';
import { toProviderName } from './provider-name.ts';

/** Options for all calls of one model answer. There is no idempotency key, because a key belongs to a single call. */
export interface RunOptions extends Omit<CallOptions, 'idempotencyKey'> {
  /**
   * How the tools were listed: `search_tools` and `describe_tools` answer a model that runs scripts differently. Default: `code`
   * if the source runs scripts, else `search`.
   */
  readonly expose?: ExposeOptions['expose'];
}

/** A call as a model requested it. Untrusted. */
export interface ModelCall {
  readonly name: unknown;
  /** The arguments, or their JSON text. */
  readonly args: unknown;
}

/** A model's call as a tool and its arguments with the tool's own property names, or the problem as a result. */
export type ReadCall =
  | { readonly tool: Tool; readonly args: JsonObject; readonly problem?: undefined }
  | { readonly tool?: Tool; readonly problem: ToolResult };

/** Reads a call of a model that was offered these tools under these rules. */
export function readModelCall(tools: readonly Tool[], call: ModelCall, rules: ProviderRules): ReadCall {
  return readOne(toolsByName(tools, rules).get(call.name as string), call, rules);
}

/** Runs the calls in parallel and returns the results in the order of the calls. Never throws: an invalid call gets a result with the problem. */
export async function callByProviderName(
  source: ToolSource,
  calls: readonly ModelCall[],
  rules: ProviderRules,
  options?: RunOptions,
): Promise<ToolResult[]> {
  const ours = toolsBeside(source, options?.expose);
  const tools = toolsByName([...source.tools, ...ours.tools], rules);
  return Promise.all(
    calls.map(async (call) => {
      const found = readOne(tools.get(call.name as string), call, rules);
      return found.problem ?? ours.call(found.tool.name, found.args, callOptionsOf(options));
    }),
  );
}

/** Calls a tool with arguments that use the property names of its expressed form. */
export async function callExpressed(
  source: ToolSource,
  tool: Tool,
  originals: OriginalNames,
  args: unknown,
  options?: RunOptions,
): Promise<ToolResult> {
  const read = readArguments(args);
  if ('problem' in read) return refusal('ARGUMENTS_INVALID', read.problem);
  const given = restoreProperties(read.args, originals);
  return toolsBeside(source, options?.expose).call(tool.name, given, callOptionsOf(options));
}

/** Whether a model that was offered tools of the source with `expose` runs scripts. */
export function runsScripts(source: ToolSource, expose: ExposeOptions['expose'] = 'code'): boolean {
  return expose === 'code' && source.runCode !== undefined;
}

function callOptionsOf(options: RunOptions | undefined): CallOptions | undefined {
  if (options?.expose === undefined) return options;
  const { expose: _, ...callOptions } = options;
  return callOptions;
}

/** The tools that a model may have been offered beside or instead of those of the source. */
function toolsBeside(source: ToolSource, expose: ExposeOptions['expose']): Pick<SourceSearch, 'tools' | 'call'> {
  return runsScripts(source, expose) ? codeSource(source) : searchSource(source);
}

/** The tools that match the arguments of a search, as the provider was offered them; or the problem as a result. */
export async function findExpressed(
  source: ToolSource,
  args: unknown,
  rules: ProviderRules,
  options?: RunOptions,
): Promise<readonly ExpressedTool<Tool>[] | ToolResult> {
  const read = readArguments(args);
  if ('problem' in read) return refusal('ARGUMENTS_INVALID', read.problem);
  const found = await searchSource(source).find(read.args, options);
  if ('content' in found) return found;
  const offered = toolsByName(source.tools, rules);
  return found
    .map((tool) => tryExpress(tool, rules))
    .filter((one) => typeof one !== 'string')
    .filter(({ name, tool }) => offered.get(name) === tool);
}

function toolsByName(tools: readonly Tool[], { names: { limit, letterFirst } }: ProviderRules): Map<string, Tool> {
  const byName = new Map<string, Tool>();
  for (const tool of tools) {
    const name = toProviderName(tool.name, limit, letterFirst);
    // The model was offered the first tool of a name.
    if (!byName.has(name)) byName.set(name, tool);
  }
  return byName;
}

function readOne(tool: Tool | undefined, call: ModelCall, rules: ProviderRules): ReadCall {
  if (!tool) return { problem: refusal('TOOL_NAME_INVALID', `Invalid MCP tool name: ${String(call.name)}`) };
  const given = readArguments(call.args);
  if ('problem' in given) return { tool, problem: refusal('ARGUMENTS_INVALID', given.problem) };
  return { tool, args: restoreProperties(given.args, originalsOf(tool, rules)) as JsonObject };
}

function originalsOf(tool: Tool, rules: ProviderRules): OriginalNames {
  const expressed = rules.properties === 'rename' ? tryExpress(tool, rules) : '';
  return typeof expressed === 'string' ? new Map() : expressed.originals;
}

function readArguments(args: unknown): { readonly args: JsonObject } | { readonly problem: string } {
  let value = args;
  if (typeof value === 'string') {
    // Models send an empty text for a tool without parameters.
    if (value.trim() === '') return { args: {} };
    try {
      value = receiveArgumentsText(value);
    } catch (cause) {
      return { problem: `The arguments are not valid JSON (${messageOf(cause)}). Send one JSON object.` };
    }
  }
  if (value === null || value === undefined) return { args: {} };
  if (isObject(value)) return { args: value };
  return {
    problem: `The arguments must be one JSON object, not ${Array.isArray(value) ? 'a list' : `a ${typeof value}`}.`,
  };
}

function refusal(code: 'ARGUMENTS_INVALID' | 'TOOL_NAME_INVALID', message: string): ToolResult {
  const text = `MCP error: ${message}`;
  return { isError: true, content: [{ type: 'text', text }], text, failure: { code, message }, callId: '' };
}
