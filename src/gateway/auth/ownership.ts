import type { Caller } from '../../kernel/tool.ts';
import { type ApprovalRequest, mayAnswerOwnCall } from '../../policy/approval.ts';
import { decide } from '../../policy/decide.ts';
import type { ConversationStore } from '../../storage/ports/conversation-store.ts';
import type { InternalToolbox } from '../../toolbox.ts';
import { hasRight, type Identity, isOperator } from './identity.ts';
import { scopeOf } from './profile-scope.ts';

/** How far an answer may reach: not at all, this call, this tool in this conversation, or further calls of anyone. */
export type AnswerRight = 'none' | 'once' | 'conversation' | 'everyone';

/** Decides who owns a call: its caller and, if an assistant made it, the owner of the conversation. Administrators own every call. */
export interface Ownership {
  /** Loads the conversation's owner if necessary. */
  owns(identity: Identity, caller: Caller): Promise<boolean>;
  /** Like `owns`, but knows only owners that were loaded or set before. */
  ownsCached(identity: Identity, caller: Caller): boolean;
  /** How far an answer of this caller to an approval may reach. */
  answerRight(identity: Identity, request: ApprovalRequest): Promise<AnswerRight>;
  loadOwner(conversation: string): Promise<void>;
  setOwner(conversation: string, owner: string): void;
  removeOwner(conversation: string): void;
}

export interface OwnershipPorts {
  readonly conversations: Pick<ConversationStore, 'get'>;
  readonly toolbox: Pick<InternalToolbox, 'config' | 'catalog' | 'approvals'>;
}

export function createOwnership({ conversations, toolbox }: OwnershipPorts): Ownership {
  const owners = new Map<string, string>();

  async function loadOwner(conversation: string): Promise<void> {
    if (owners.has(conversation)) return;
    const found = await conversations.get(conversation);
    if (found) owners.set(conversation, found.owner);
  }

  function ownsConversation({ caller: { id } }: Identity, { kind, conversation }: Caller): boolean {
    return kind === 'assistant' && conversation !== undefined && owners.get(conversation) === id;
  }

  async function mayCall(identity: Identity, name: string): Promise<boolean> {
    const { config, catalog, approvals } = toolbox;
    const tool = catalog.find(name);
    if (!tool) return false;
    const { profile, hasTool } = scopeOf(identity, config.profiles);
    const { caller } = identity;
    const decision = decide({ tool, approval: profile.approval, remembered: await approvals.rules(), caller });
    return hasTool(tool) && decision.kind === 'allow';
  }

  const ownsCached = (identity: Identity, caller: Caller) =>
    identity.isAdmin || identity.caller.id === caller.id || ownsConversation(identity, caller);

  return {
    ownsCached,
    async owns(identity, caller) {
      if (caller.conversation !== undefined && !identity.isAdmin) await loadOwner(caller.conversation);
      return ownsCached(identity, caller);
    },
    async answerRight(identity, request) {
      const { caller, tool, policy, approvers, change } = request;
      if (!hasRight(identity, 'call')) return 'none';
      // Callers, administrators included, do not answer approvals of their own calls.
      if (identity.caller.id === caller.id && !isOperator(identity)) return mayAnswerOwnCall(request) ? 'once' : 'none';
      if (identity.isAdmin) return 'everyone';
      // Never for their own assistants, and only administrators accept a changed definition.
      const isOfOther = caller.user === undefined || caller.user !== identity.caller.user;
      if (identity.role === 'approver' && isOfOther) return change ? 'none' : 'conversation';
      if (caller.conversation !== undefined) await loadOwner(caller.conversation);
      if (!ownsConversation(identity, caller) || change) return 'none';
      const isAllowed = approvers === 'owner' || approvers === 'client';
      // An assistant must not be a way around the profile: without `approvers`, its owner answers only for tools that the
      // owner could call without approval. Policies of plugins apply to the owner's own calls too.
      return isAllowed || (policy === undefined && (await mayCall(identity, tool))) ? 'conversation' : 'none';
    },
    loadOwner,
    setOwner: (conversation, owner) => void owners.set(conversation, owner),
    removeOwner: (conversation) => void owners.delete(conversation),
  };
}
