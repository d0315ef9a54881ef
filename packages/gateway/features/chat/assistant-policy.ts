import { ToolwharfError } from '../../../contract/errors.ts';
import { createMatcher } from '../../../contract/match-globs.ts';
import type { Assistant } from '../../../contract/records/assistant.ts';
import type { ApprovalConfig, ProfileConfig } from '../../../contract/settings/config.ts';
import type { CatalogEntry } from '../../../toolwharf/catalog/catalog.ts';
import type { CallPolicy } from '../../../toolwharf/invocation/authorize.ts';
import type { Caller, Tool } from '../../../toolwharf/kernel/tool.ts';
import { toolIdOf } from '../../../toolwharf/kernel/tool-id.ts';
import { type DecidedTool, decide } from '../../../toolwharf/policy/decide.ts';
import { createMayRead, createVisibility, type Visibility } from '../../../toolwharf/policy/visible-tools.ts';
import type { Skill } from '../../../toolwharf/servers/skills/toolbox-skills.ts';
import type { Storage } from '../../../toolwharf/storage/storage.ts';
import { isOperatorId } from '../../core/auth/identity.ts';
import type { AssistantPorts } from './chat.ts';

/** The server id of local tools. */
export const localTools = 'local';

export interface PickedTool {
  readonly tool: Tool;
  /** False if the assistant's settings disable the tool. */
  readonly enabled: boolean;
}

/** The skills of the assistant's servers that the profile shows and that nobody has to accept first. */
export async function pickSkills(
  assistant: Pick<Assistant, 'serverIds'>,
  profile: string | undefined,
  { toolbox, serverNames }: AssistantPorts,
): Promise<readonly Skill[]> {
  const names = await serverNames();
  const own = new Set(assistant.serverIds.map((id) => names.get(id) ?? id));
  const { hasSkill } = visibilityOf(profile, toolbox);
  return toolbox.skills
    .list()
    .filter(
      ({ server, path, changed }) =>
        own.has(server ?? localTools) && changed !== 'quarantine' && hasSkill(server, path),
    );
}

export interface PickedTools {
  readonly tools: readonly PickedTool[];
  /** The names of the assistant's servers by id. */
  readonly servers: ReadonlyMap<string, string>;
  readonly hasServer: (name: string) => boolean;
}

/** Every tool of the assistant's servers that the profile shows. A profile that does not exist shows nothing. */
export async function pickTools(
  assistant: Pick<Assistant, 'serverIds' | 'disabledTools'>,
  profile: string | undefined,
  { toolbox, serverNames }: AssistantPorts,
): Promise<PickedTools> {
  const names = await serverNames();
  const servers = new Map(assistant.serverIds.map((id) => [id, names.get(id) ?? id]));
  const own = new Set(servers.values());
  const isDisabled = createMatcher(assistant.disabledTools);
  const { hasServer, hasTool } = visibilityOf(profile, toolbox);
  const tools = toolbox
    .toolsOf(profile)
    .filter((tool) => own.has(tool.server ?? localTools))
    .filter((tool) => hasTool(toolbox.catalog.find(toolIdOf(tool)) ?? tool))
    .map((tool) => ({ tool, enabled: !isDisabled(qualifiedName(tool)) }));
  return { tools, servers, hasServer };
}

/** `server/tool`: the name that patterns are matched against. */
export function qualifiedName({ server = localTools, originalName }: Pick<Tool, 'server' | 'originalName'>): string {
  return `${server}/${originalName}`;
}

/** The servers and tools a profile shows; without a profile, everything but quarantined tools. */
export function visibilityOf(
  profile: string | undefined,
  { config, isListed }: Pick<AssistantPorts['toolbox'], 'config' | 'isListed'>,
): Visibility {
  if (profile === undefined) return createVisibility({}, isListed);
  const found = config.profiles.find(({ name }) => name === profile);
  if (found) return createVisibility(found, isListed);
  const none = () => false;
  return { hasServer: none, hasTool: none, hasResource: none, hasPrompt: none, hasSkill: none };
}

/** The id of the caller of an assistant's calls. */
export function assistantCallerId(assistant: Pick<Assistant, 'id'>): string {
  return `${callerPrefix}${assistant.id}`;
}

const callerPrefix = 'assistant:';

export interface AssistantCalls {
  readonly assistant: Pick<Assistant, 'toolApproval' | 'trustedTools'>;
  readonly caller: Caller;
  /** The profile of the conversation's owner; undefined for administrators, who see every tool. */
  readonly profile: string | undefined;
  /** The caller id of the conversation's owner. */
  readonly owner: string;
}

/** The current policy for the calls of an assistant. */
export function assistantPolicyFor(
  entry: CatalogEntry,
  calls: AssistantCalls,
  toolbox: Pick<AssistantPorts['toolbox'], 'config' | 'isListed'>,
): CallPolicy {
  const { assistant, caller, profile: profileName, owner } = calls;
  const { toolbox: settings, profiles } = toolbox.config;
  // An administrator who is not the operator could store an assistant that asks nobody, and would approve their own calls.
  const limiting = profileName ?? (isOperatorId(owner) ? undefined : 'default');
  const profile = profiles.find(({ name }) => name === limiting);
  const approvalOf = createCallApproval({ assistant, toolbox: settings.approval, profile, caller });
  const forStep = (step: CatalogEntry) => assistantPolicyFor(step, calls, toolbox);
  const { hasTool } = visibilityOf(profileName, toolbox);
  return { profile: limiting, approval: approvalOf(entry), mayUse: hasTool, forStep };
}

export interface AppPolicyPorts extends AssistantPorts {
  readonly storage: Pick<Storage, 'assistants' | 'conversations'>;
}

/**
 * The policy for the calls of an app that an assistant opened: that of the assistant's own calls, for the tools of its servers.
 * Rejects if the assistant or the conversation no longer exists.
 */
export async function createAppPolicy(
  caller: Caller,
  { toolbox, storage, serverNames }: AppPolicyPorts,
): Promise<(entry: CatalogEntry) => CallPolicy> {
  const assistant = await storage.assistants.get(caller.id.slice(callerPrefix.length));
  const conversation = await storage.conversations.get(caller.conversation ?? '');
  if (!assistant || !conversation)
    throw new ToolwharfError('CALL_DENIED', 'The assistant or the conversation of this app no longer exists');
  const names = await serverNames();
  const own = new Set(assistant.serverIds.map((id) => names.get(id) ?? id));
  const isDisabled = createMatcher(assistant.disabledTools);
  return (entry) => {
    const { profile, owner } = conversation;
    const policy = assistantPolicyFor(entry, { assistant, caller, profile, owner }, toolbox);
    const isOwn = own.has(entry.server ?? localTools) && !isDisabled(qualifiedName(entry));
    return { ...policy, mayUse: (tool) => isOwn && (policy.mayUse?.(tool) ?? true) };
  };
}

export interface CallApprovalOptions {
  readonly assistant: Pick<Assistant, 'toolApproval' | 'trustedTools'>;
  readonly toolbox: ApprovalConfig;
  /** The profile of the conversation's owner; undefined for the operator. */
  readonly profile?: Pick<ProfileConfig, 'approval'>;
  readonly caller: Caller;
}

/**
 * The approval settings of each call: the assistant's mode with the lists of the toolbox and the profile. A call that the profile
 * would not allow without approval always asks, whatever the assistant's mode.
 */
export function createCallApproval(options: CallApprovalOptions): (tool: DecidedTool) => ApprovalConfig {
  const { assistant, toolbox, profile, caller } = options;
  const approval: ApprovalConfig = {
    mode: assistant.toolApproval,
    trustedTools: assistant.trustedTools,
    ask: [...toolbox.ask, ...(profile?.approval.ask ?? [])],
    deny: [...toolbox.deny, ...(profile?.approval.deny ?? [])],
    expiresMs: toolbox.expiresMs,
    approvers: profile?.approval.approvers ?? toolbox.approvers,
    reads: profile?.approval.reads ?? toolbox.reads,
  };
  const stricter: ApprovalConfig = { ...approval, mode: 'always-ask' };
  return (tool) => {
    if (!profile) return approval;
    const verdict = decide({ tool, approval: profile.approval, remembered: [], caller });
    return verdict.kind === 'allow' ? approval : stricter;
  };
}

/** The policy for the skills that an assistant reads. If its tools always ask, its reads do too. */
export function createReadPolicy(
  { toolApproval }: Pick<Assistant, 'toolApproval'>,
  profileName: string | undefined,
  { config, isListed }: Pick<AssistantPorts['toolbox'], 'config' | 'isListed'>,
): CallPolicy {
  const profile = config.profiles.find(({ name }) => name === profileName);
  const approval = profile?.approval ?? config.toolbox.approval;
  const reads = toolApproval === 'always-ask' ? 'ask' : approval.reads;
  const mayRead = createMayRead(visibilityOf(profileName, { config, isListed }));
  return { profile: profileName, approval: { ...approval, reads }, mayRead };
}
