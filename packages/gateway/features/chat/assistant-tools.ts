import { isHealthy } from '../../../contract/connections.ts';
import { createPatternIndex } from '../../../contract/match-globs.ts';
import type { Assistant } from '../../../contract/records/assistant.ts';
import type { Exposed } from '../../../contract/settings/choices.ts';
import { type ExpressedTool, expressTools } from '../../../toolwharf/bridges/shared/express-tools.ts';
import { anyProviderRules } from '../../../toolwharf/bridges/shared/provider-rules.ts';
import type { CatalogEntry } from '../../../toolwharf/catalog/catalog.ts';
import { countTokens } from '../../../toolwharf/features/signatures/count-tokens.ts';
import { toolIdOf } from '../../../toolwharf/kernel/tool-id.ts';
import { trusts } from '../../../toolwharf/policy/tool-patterns.ts';
import { localTools, type PickedTools, pickTools, qualifiedName } from './assistant-policy.ts';
import type { AssistantPorts } from './chat.ts';
import { createModelTools } from './model-tools.ts';

export interface AssistantTool {
  readonly name: string;
  /** Undefined for a local tool. */
  readonly server?: string;
  readonly originalName: string;
  readonly description: string;
  /** False if the assistant's settings disable the tool. */
  readonly enabled: boolean;
  /** The patterns of `disabledTools` that match it. */
  readonly disabledBy: readonly string[];
  /** The patterns of `trustedTools` that match it. */
  readonly trustedBy: readonly string[];
}

/** The tools of an assistant, their cost and possible problems. */
export interface AssistantTools {
  /** Every tool of its servers, including disabled ones. */
  readonly tools: readonly AssistantTool[];
  /** Number of tools that the model can use. */
  readonly count: number;
  /** How the model is shown the tools; the choice of `auto`. */
  readonly exposed: Exposed;
  /** Estimated token cost per model request. */
  readonly estimatedTokens: number;
  /** Estimated token cost of all tools. */
  readonly allTokens: number;
  /** Set if there are so many tools that models choose badly. */
  readonly warning?: string;
  /** Tools that models do not support, with the reason. */
  readonly omitted: readonly { readonly name: string; readonly reason: string }[];
  /** Servers that do not exist or are not connected, with the reason. */
  readonly missingServers: readonly { readonly id: string; readonly reason: string }[];
}

const maxToolsWithoutWarning = 40;

/** The tools that an assistant with these settings has now for a caller of `profile`. */
export async function assistantTools(
  assistant: Pick<Assistant, 'serverIds' | 'disabledTools' | 'trustedTools'> & Partial<Pick<Assistant, 'expose'>>,
  ports: AssistantPorts,
  profile?: string,
): Promise<AssistantTools> {
  const picked = await pickTools(assistant, profile, ports);
  const enabled = picked.tools.filter((one) => one.enabled).map(({ tool }) => tool);
  const omitted: { name: string; reason: string }[] = [];
  const shown = expressTools(enabled, anyProviderRules, {
    onOmitted: ({ name }, reason) => omitted.push({ name, reason }),
  });
  const disabledBy = createPatternIndex(assistant.disabledTools);
  // One array per pattern: the compiled pattern is cached with its array as the key.
  const trusting = assistant.trustedTools.map((pattern) => [pattern]);
  const { shown: listed, exposed } = createModelTools(ports.toolbox)(enabled, assistant.expose ?? 'all');
  const allTokens = tokensOf(shown);
  return {
    tools: picked.tools.map(({ tool, enabled }) => ({
      name: tool.name,
      server: tool.server,
      originalName: tool.originalName,
      description: tool.description,
      enabled,
      disabledBy: disabledBy(qualifiedName(tool)),
      trustedBy: trustingPatterns(trusting, ports.toolbox.catalog.find(toolIdOf(tool))),
    })),
    count: shown.length,
    exposed,
    estimatedTokens: exposed === 'all' ? allTokens : tokensOf(expressTools(listed, anyProviderRules)),
    allTokens,
    warning: exposed === 'all' && shown.length > maxToolsWithoutWarning ? warningFor(shown.length) : undefined,
    omitted,
    missingServers: missingServers(picked, ports, profile),
  };
}

function tokensOf(tools: readonly ExpressedTool[]): number {
  const texts = tools.map(({ name, description, schema }) => JSON.stringify({ name, description, schema }));
  return texts.reduce((sum, text) => sum + countTokens(text), 0);
}

function trustingPatterns(patterns: readonly (readonly string[])[], entry: CatalogEntry | undefined): string[] {
  return entry ? patterns.filter((pattern) => trusts(pattern, entry, entry.scope)).flat() : [];
}

function warningFor(count: number): string {
  return `Models choose badly among ${count} tools, and each request to the model includes all their definitions. Disable the tools that the assistant does not need, or let the model search them.`;
}

function missingServers({ servers, hasServer }: PickedTools, { toolbox }: AssistantPorts, profile?: string) {
  const known = new Map(toolbox.servers.list().map((server) => [server.name, server]));
  return [...servers].flatMap(([id, name]) => {
    const server = known.get(name);
    if (!server) return name === localTools ? [] : [{ id, reason: 'The server does not exist' }];
    if (!hasServer(name)) return [{ id, reason: `The server is not part of the profile ${profile}` }];
    if (!server.enabled) return [{ id, reason: 'The server is disabled' }];
    const { state, reason } = server.status;
    return isHealthy(state) ? [] : [{ id, reason: reason ?? `The server is ${state}` }];
  });
}
