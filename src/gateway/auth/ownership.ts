import type { Caller } from '../../kernel/tool.ts';
import type { ApprovalRequest } from '../../policy/approval.ts';
import { decide } from '../../policy/decide.ts';
import type { ConversationStore } from '../../storage/ports/conversation-store.ts';
import type { Toolbox } from '../../toolbox.ts';
import { hasRight, type Identity } from './identity.ts';
import { scopeOf } from './profile-scope.ts';

/**
 * Whose a call is: its caller's, and where an assistant makes it, also the one's who talks with the assistant. Administrators
 * see everything.
 */
export interface Ownership {
  /** By what is known by now: the owners of conversations that calls were made in, or that someone asked for. */
  isOwn(identity: Identity, caller: Caller): boolean;
  /** The same, looking first. */
  findOwn(identity: Identity, caller: Caller): Promise<boolean>;
  /**
   * May they answer this question to a person? Besides administrators only the one who talks with the assistant that asks, and only
   * what they could have called themselves without a question: an assistant is no way round what a profile asks about.
   */
  mayAnswer(identity: Identity, request: ApprovalRequest): Promise<boolean>;
  /** From now on it is known whose the conversation is. */
  learn(conversation: string): Promise<void>;
  note(conversation: string, owner: string): void;
  forget(conversation: string): void;
}

export interface OwnershipPorts {
  readonly conversations: Pick<ConversationStore, 'get'>;
  /** Asked for when it is needed: the toolbox is made with what needs to know this. */
  readonly toolbox: () => Pick<Toolbox, 'config' | 'entry' | 'rules'>;
}

export function createOwnership({ conversations, toolbox }: OwnershipPorts): Ownership {
  const owners = new Map<string, string>();

  async function learn(conversation: string): Promise<void> {
    if (owners.has(conversation)) return;
    const found = await conversations.get(conversation);
    if (found) owners.set(conversation, found.owner);
  }

  function ownsConversation({ caller: { id } }: Identity, { kind, conversation }: Caller): boolean {
    return kind === 'assistant' && conversation !== undefined && owners.get(conversation) === id;
  }

  async function mayCall(identity: Identity, name: string): Promise<boolean> {
    const { config, entry, rules } = toolbox();
    const tool = entry(name);
    if (!tool) return false;
    const { profile, hasTool } = scopeOf(identity, config.profiles);
    const { caller } = identity;
    const decision = decide({ tool, approval: profile.approval, remembered: await rules(), caller });
    return hasTool(tool) && decision.kind === 'allow';
  }

  const isOwn = (identity: Identity, caller: Caller) =>
    identity.isAdmin || identity.caller.id === caller.id || ownsConversation(identity, caller);

  return {
    isOwn,
    async findOwn(identity, caller) {
      if (caller.conversation !== undefined && !identity.isAdmin) await learn(caller.conversation);
      return isOwn(identity, caller);
    },
    async mayAnswer(identity, { caller, tool }) {
      if (identity.isAdmin) return true;
      if (caller.conversation !== undefined) await learn(caller.conversation);
      return hasRight(identity, 'call') && ownsConversation(identity, caller) && (await mayCall(identity, tool));
    },
    learn,
    note: (conversation, owner) => void owners.set(conversation, owner),
    forget: (conversation) => void owners.delete(conversation),
  };
}
