import { closest } from '../kernel/closest.ts';
import {
  type BridgeOptions,
  expressTools,
  type OmittedTool,
  omittedTools,
  type ProviderRules,
  type ToolLike,
} from './shared/express-tools.ts';
import { anthropicRules, geminiRules, openAIRules } from './shared/provider-rules.ts';
import {
  type AnthropicTool,
  type GeminiTool,
  type OpenAIResponsesTool,
  type OpenAITool,
  toAnthropicShape,
  toGeminiShape,
  toOpenAIResponsesShape,
  toOpenAIShape,
} from './shared/provider-shapes.ts';

export type { BridgeOptions, OmittedTool, ToolLike };

/** The format of a tool definition by provider. */
export interface ProviderTools {
  anthropic: AnthropicTool;
  gemini: GeminiTool;
  openai: OpenAITool;
  'openai-responses': OpenAIResponsesTool;
}

/** A provider that `formatToolsForProvider` knows. */
export type Provider = keyof ProviderTools;

/**
 * Formats tools, of a toolbox or of an MCP list, for a provider's request. A name that the provider rejects is replaced;
 * `providerToolNames` maps it back. Throws for an unknown provider.
 *
 * @example
 * ```ts
 * import { createToolbox } from 'toolwharf';
 * import { formatToolsForProvider } from 'toolwharf/provider';
 *
 * await using toolbox = await createToolbox({
 *   servers: { everything: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-everything'] } },
 * });
 * const [tool] = formatToolsForProvider(toolbox.tools, 'anthropic');
 * console.log(tool?.name, tool?.input_schema.type); // mcp_everything_echo object
 * ```
 */
export function formatToolsForProvider<P extends Provider, T extends ToolLike>(
  tools: readonly T[],
  provider: P,
  options?: BridgeOptions<T>,
): ProviderTools[P][] {
  const expressed = expressTools(tools, rulesOf(provider), options);
  const format: { [Name in Provider]: () => ProviderTools[Name][] } = {
    anthropic: () => expressed.map(toAnthropicShape),
    gemini: () => toGeminiShape(expressed),
    openai: () => expressed.map(toOpenAIShape),
    'openai-responses': () => expressed.map(toOpenAIResponsesShape),
  };
  return format[provider]();
}

/** The tools' own names by the names that `formatToolsForProvider` assigned. */
export function providerToolNames(tools: readonly ToolLike[], provider: Provider): Map<string, string> {
  return new Map(expressTools(tools, rulesOf(provider)).map(({ name, tool }) => [name, tool.name]));
}

/** The tools that `formatToolsForProvider` leaves out, with the reasons. */
export function providerOmitted<T extends ToolLike>(
  tools: readonly T[],
  provider: Provider,
  options?: Pick<BridgeOptions<T>, 'maxTools'>,
): OmittedTool<T>[] {
  return omittedTools(tools, rulesOf(provider), options);
}

function rulesOf(provider: string): ProviderRules {
  const rules = providers.get(provider);
  if (rules) return rules;
  const names = [...providers.keys()];
  const similar = closest(provider, names);
  const hint = similar === undefined ? '' : `; did you mean '${similar}'?`;
  throw new TypeError(`Unknown provider '${provider}', known providers: ${names.join(', ')}${hint}`);
}

// Formatting alone cannot restore renamed properties in arguments, so tools that need it are left out.
const withoutRenaming = (rules: ProviderRules): ProviderRules =>
  rules.properties === 'rename' ? { ...rules, properties: 'refuse' } : rules;

const providers: ReadonlyMap<string, ProviderRules> = new Map([
  ['anthropic', withoutRenaming(anthropicRules)],
  ['gemini', withoutRenaming(geminiRules)],
  ['openai', openAIRules],
  ['openai-responses', openAIRules],
]);
