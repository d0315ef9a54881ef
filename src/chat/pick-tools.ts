import type { CatalogEntry } from '../catalog/catalog.ts';
import { createMatcher } from '../catalog/match-globs.ts';
import type { ProfileConfig } from '../config/config.ts';
import type { Tool } from '../kernel/tool.ts';
import { toolIdOf } from '../kernel/tool-id.ts';
import { createVisibility } from '../policy/visible-tools.ts';
import type { Assistant } from '../storage/ports/assistant-store.ts';
import type { AssistantPorts } from './chat-ports.ts';

/** The server id that stands for tools written in code. */
export const localTools = 'local';

export interface PickedTool {
  readonly tool: Tool;
  /** False when the assistant has it switched off. */
  readonly enabled: boolean;
}

export interface PickedTools {
  readonly tools: readonly PickedTool[];
  /** The names of its servers by the ids it has for them. */
  readonly servers: ReadonlyMap<string, string>;
  readonly hasServer: (name: string) => boolean;
}

/**
 * Every tool of an assistant's servers that its profile shows: what the profile hides is neither listed nor callable.
 * A profile that is named but not there shows nothing.
 */
export async function pickTools(
  assistant: Pick<Assistant, 'serverIds' | 'disabledTools'>,
  profile: string | undefined,
  { toolbox, serverNames }: AssistantPorts,
): Promise<PickedTools> {
  const names = await serverNames();
  const servers = new Map(assistant.serverIds.map((id) => [id, names.get(id) ?? id]));
  const own = new Set(servers.values());
  const isDisabled = createMatcher(assistant.disabledTools);
  const { hasServer, hasTool } = visibilityOf(profile, toolbox.config.profiles);
  const tools = toolbox.tools
    .filter((tool) => own.has(tool.server ?? localTools))
    .filter((tool) => hasTool(toolbox.entry(toolIdOf(tool)) ?? tool))
    .map((tool) => ({ tool, enabled: !isDisabled(qualifiedName(tool)) }));
  return { tools, servers, hasServer };
}

/** `server/tool`: the name that patterns are matched against. */
export function qualifiedName({ server = localTools, originalName }: Tool): string {
  return `${server}/${originalName}`;
}

/** What a profile shows; everything without one. */
export function visibilityOf(profile: string | undefined, profiles: readonly ProfileConfig[]) {
  // What is refused until a person accepts its change is not shown either.
  if (profile === undefined) return createVisibility({});
  const found = profiles.find(({ name }) => name === profile);
  if (found) return createVisibility(found);
  return { hasServer: () => false, hasTool: (_: Pick<CatalogEntry, 'originalName'>) => false };
}
