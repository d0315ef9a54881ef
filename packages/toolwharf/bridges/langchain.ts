import type { DynamicStructuredTool } from '@langchain/core/tools';
import { ToolwharfError } from '../../contract/errors.ts';
import type { Tool, ToolResult, ToolSource } from '../kernel/tool.ts';
import { callExpressed, type RunOptions } from './shared/call-by-provider-name.ts';
import {
  type BridgeOptions,
  expressSource,
  type OmittedTool,
  omittedTools,
  type SourceOptions,
} from './shared/express-tools.ts';
import { anyProviderRules } from './shared/provider-rules.ts';
import { commonImageTypes, type ResultPart, textOf, toResultParts } from './shared/result-parts.ts';

export type { BridgeOptions, OmittedTool, RunOptions, SourceOptions };

/** Which tools are offered, and how they are called. */
export interface LangChainOptions extends SourceOptions {
  /** Sends images to the model as `image_url` blocks, which some models reject in tool messages. Default: true. */
  readonly images?: boolean;
  /** Options of the calls; LangChain's abort signal cancels them too. */
  readonly run?: RunOptions;
}

/**
 * The tools for `model.bindTools(tools)` or an agent. Requires the package `@langchain/core`, which is loaded on demand. The
 * message of a call has the whole result as `artifact`; a failed call has the status `error`.
 *
 * @example
 * ```ts
 * import { createToolbox } from 'toolwharf';
 * import { toLangChainTools } from 'toolwharf/langchain';
 *
 * await using toolbox = await createToolbox({
 *   servers: { everything: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-everything'] } },
 * });
 * const tools = await toLangChainTools(toolbox);
 * const echo = tools.find((tool) => tool.name === 'mcp_everything_echo');
 * console.log(await echo?.invoke({ message: 'ahoy' })); // Echo: ahoy
 * ```
 */
export async function toLangChainTools(
  source: ToolSource,
  options: LangChainOptions = {},
): Promise<DynamicStructuredTool[]> {
  const { DynamicStructuredTool, ToolMessage } = await loadLangChain();
  const { images = true, expose = 'all' } = options;
  const run: RunOptions = { expose, ...options.run };
  return expressSource(source, anyProviderRules, options).map(
    ({ tool, name, description, schema, originals }) =>
      new DynamicStructuredTool({
        name,
        description,
        schema,
        responseFormat: 'content_and_artifact',
        async func(input: unknown, _runManager: unknown, config?: CallConfig) {
          const signals = [run.signal, config?.signal].filter((signal) => signal !== undefined);
          const signal = signals.length > 1 ? AbortSignal.any(signals) : signals[0];
          const result = await callExpressed(source, tool, originals, input, { ...run, signal });
          const content = toContent(result, images);
          const id = config?.toolCall?.id;
          if (!result.isError || id === undefined) return [content, result];
          return [new ToolMessage({ status: 'error', content, artifact: result, tool_call_id: id, name }), result];
        },
      }),
  );
}

/** The tools that some providers of LangChain cannot accept, with the reasons. */
export function langChainOmitted(
  source: ToolSource,
  options?: Pick<BridgeOptions<Tool>, 'maxTools'>,
): OmittedTool<Tool>[] {
  return omittedTools(source.tools, anyProviderRules, options);
}

/** The fields of LangChain's call configuration that the bridge reads. */
interface CallConfig {
  readonly signal?: AbortSignal;
  readonly toolCall?: { readonly id?: string };
}

type Content = string | ({ type: 'text'; text: string } | { type: 'image_url'; image_url: { url: string } })[];

async function loadLangChain() {
  try {
    const [{ DynamicStructuredTool }, { ToolMessage }] = await Promise.all([
      import('@langchain/core/tools'),
      import('@langchain/core/messages'),
    ]);
    return { DynamicStructuredTool, ToolMessage };
  } catch (cause) {
    throw new ToolwharfError(
      'CONFIG_INVALID',
      'LangChain tools need the package @langchain/core: npm install @langchain/core',
      { cause },
    );
  }
}

function toContent(result: ToolResult, images: boolean): Content {
  const parts = toResultParts(result, ({ mimeType }) => images && commonImageTypes.has(mimeType));
  return parts.every((part) => part.kind === 'text') ? textOf(parts) : parts.map(toBlock);
}

function toBlock(part: ResultPart) {
  if (part.kind === 'text') return { type: 'text' as const, text: part.text };
  return { type: 'image_url' as const, image_url: { url: `data:${part.mimeType};base64,${part.data}` } };
}
