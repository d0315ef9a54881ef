import type { Caller } from '../../../toolwharf/kernel/tool.ts';
import { type ApprovalRequest, mayAnswerOwnCall } from '../../../toolwharf/policy/approval.ts';
import { decide } from '../../../toolwharf/policy/decide.ts';
import type { ConversationStore } from '../../../toolwharf/storage/ports/conversation-store.ts';
import type { InternalToolbox } from '../../../toolwharf/toolbox.ts';
import { hasRight, type Identity, isOperator } from './identity.ts';
import type { Persons } from './persons.ts';
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
  readonly persons: Pick<Persons, 'personOf'>;
  readonly toolbox: Pick<InternalToolbox, 'config' | 'catalog' | 'approvals' | 'isListed'>;
}

export function createOwnership({ conversations, persons, toolbox }: OwnershipPorts): Ownership {
  const owners = new Map<string, string>();

  async function loadOwner(conversation: string): Promise<void> {
    if (owners.has(conversation)) return;
    const found = await conversations.get(conversation);
    if (found) owners.set(conversation, found.owner);
  }

  function ownsConversation({ caller: { id } }: Identity, { kind, conversation }: Caller): boolean {
    return kind === 'assistant' && conversation !== undefined && owners.get(conversation) === id;
  }

  /** Whether the call is of the person who answers, with whichever of their identities, also through an assistant of theirs. */
  async function isOfSamePerson(
    { caller: { id } }: Identity,
    { id: callerId, conversation }: Caller,
  ): Promise<boolean> {
    if (conversation !== undefined) await loadOwner(conversation);
    const asker = (conversation === undefined ? undefined : owners.get(conversation)) ?? callerId;
    return id === callerId || (await persons.personOf(id)) === (await persons.personOf(asker));
  }

  async function mayCall(identity: Identity, name: string): Promise<boolean> {
    const { catalog, approvals } = toolbox;
    const tool = catalog.find(name);
    if (!tool) return false;
    const { profile, hasTool } = scopeOf(identity, toolbox.config.profiles, toolbox.isListed);
    const { caller } = identity;
    const decision = decide({ tool, approval: profile.approval, remembered: await approvals.rules(), caller });
    return hasTool(tool) && decision.kind === 'allow';
  }

  const ownsCached = (identity: Identity, caller: Caller) =>
    hasRight(identity, 'calls.manage') || identity.caller.id === caller.id || ownsConversation(identity, caller);

  return {
    ownsCached,
    async owns(identity, caller) {
      if (caller.conversation !== undefined) await loadOwner(caller.conversation);
      return ownsCached(identity, caller);
    },
    async answerRight(identity, request) {
      const { caller, tool, policy, approvers, change } = request;
      if (!hasRight(identity, 'approvals.answer-own')) return 'none';
      // People, administrators included, do not answer approvals of their own calls. The operator does.
      const isOwn = !isOperator(identity) && (await isOfSamePerson(identity, caller));
      if (!isOwn && hasRight(identity, 'rules.write'))
        return !change || hasRight(identity, 'tools.write') ? 'everyone' : 'none';
      // An answer to the call does not accept a changed definition.
      if (!isOwn && hasRight(identity, 'approvals.answer')) return change ? 'none' : 'conversation';
      if (isOwn && caller.kind !== 'assistant') return mayAnswerOwnCall(request) ? 'once' : 'none';
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
