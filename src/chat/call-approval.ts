import type { ApprovalConfig, ProfileConfig } from '../config/config.ts';
import type { Caller } from '../kernel/tool.ts';
import { type DecidedTool, decide } from '../policy/decide.ts';
import type { Assistant } from '../storage/ports/assistant-store.ts';

export interface CallApprovalOptions {
  readonly assistant: Pick<Assistant, 'toolApproval' | 'trustedTools'>;
  readonly toolbox: ApprovalConfig;
  /** The profile that the owner of the conversation is held to. */
  readonly profile?: Pick<ProfileConfig, 'approval'>;
  readonly caller: Caller;
}

/**
 * How each call of an assistant is approved: by the assistant's own mode, with the lists of the toolbox and of the profile.
 * What the profile would ask about is asked about, whatever the assistant's mode.
 */
export function createCallApproval(options: CallApprovalOptions): (tool: DecidedTool) => ApprovalConfig {
  const { assistant, toolbox, profile, caller } = options;
  const approval: ApprovalConfig = {
    mode: assistant.toolApproval,
    trustedTools: assistant.trustedTools,
    ask: [...toolbox.ask, ...(profile?.approval.ask ?? [])],
    deny: [...toolbox.deny, ...(profile?.approval.deny ?? [])],
    expiresMs: toolbox.expiresMs,
  };
  const stricter: ApprovalConfig = { ...approval, mode: 'always-ask' };
  return (tool) => {
    if (!profile) return approval;
    const verdict = decide({ tool, approval: profile.approval, remembered: [], caller });
    return verdict.kind === 'allow' ? approval : stricter;
  };
}
