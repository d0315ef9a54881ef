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

/** The definitions each provider takes. */
export interface ProviderTools {
  anthropic: AnthropicTool;
  gemini: GeminiTool;
  openai: OpenAITool;
  'openai-responses': OpenAIResponsesTool;
}

export type Provider = keyof ProviderTools;

/**
 * Tools as a provider's request takes them; the tools come from a toolbox or straight from an MCP list. A name that does
 * not fit is replaced: `providerToolNames` leads back. A provider that is not known gets no tools.
 */
export function formatToolsForProvider<P extends Provider, T extends ToolLike>(
  tools: readonly T[],
  provider: P,
  options?: BridgeOptions<T>,
): ProviderTools[P][] {
  const rules = providers.get(provider);
  if (rules === undefined) return [];
  const expressed = expressTools(tools, rules, options);
  const format: { [Name in Provider]: () => ProviderTools[Name][] } = {
    anthropic: () => expressed.map(toAnthropicShape),
    gemini: () => toGeminiShape(expressed),
    openai: () => expressed.map(toOpenAIShape),
    'openai-responses': () => expressed.map(toOpenAIResponsesShape),
  };
  return format[provider]();
}

/** From the names that `formatToolsForProvider` gave the provider to the tools' own names. */
export function providerToolNames(tools: readonly ToolLike[], provider: Provider): Map<string, string> {
  const rules = providers.get(provider);
  if (rules === undefined) return new Map();
  return new Map(expressTools(tools, rules).map(({ name, tool }) => [name, tool.name]));
}

/** The tools that `formatToolsForProvider` leaves out, with the reasons. */
export function providerOmitted<T extends ToolLike>(
  tools: readonly T[],
  provider: Provider,
  options?: Pick<BridgeOptions<T>, 'maxTools'>,
): OmittedTool<T>[] {
  const rules = providers.get(provider);
  return rules === undefined ? [] : omittedTools(tools, rules, options);
}

// Whoever only formats has nothing that would give arguments their own names back, so those tools are left out.
const withoutRenaming = (rules: ProviderRules): ProviderRules =>
  rules.properties === 'rename' ? { ...rules, properties: 'refuse' } : rules;

const providers: ReadonlyMap<string, ProviderRules> = new Map([
  ['anthropic', withoutRenaming(anthropicRules)],
  ['gemini', withoutRenaming(geminiRules)],
  ['openai', openAIRules],
  ['openai-responses', openAIRules],
]);
