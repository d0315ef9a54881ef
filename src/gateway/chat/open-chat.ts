import type { ChatPorts, ConversationChange } from '../../chat/chat.ts';
import { createChat } from '../../chat/create-chat.ts';
import { seedAssistants } from '../../chat/seed-assistants.ts';
import { assertOwnerAccess } from '../auth/users.ts';
import { conversationEvent } from '../events/collect-events.ts';
import type { EventLog } from '../events/event-log.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import { type SharedChat, shareChat } from './shared-chat.ts';

export interface OpenChatOptions extends Pick<ChatPorts, 'models' | 'serverNames'> {
  readonly parts: Pick<GatewayParts, 'toolbox' | 'storage' | 'calls' | 'security' | 'fleet' | 'log'>;
  readonly events: Pick<EventLog, 'publish' | 'listen'>;
}

/** Opens the conversations of a gateway and publishes their changes to their owners. */
export async function openChat({ parts, events, models, serverNames }: OpenChatOptions): Promise<SharedChat> {
  const { toolbox, storage, fleet, log } = parts;
  const { approver, hosts } = parts.calls;
  const { ownership } = parts.security;

  function publishChange(change: ConversationChange): void {
    if (change.kind === 'removed') {
      ownership.removeOwner(change.id);
      events.publish(conversationEvent('conversation.removed', change.owner, { id: change.id }));
      return;
    }
    const { id, owner, title, status, updatedAt } = change.conversation;
    ownership.setOwner(id, owner);
    events.publish(conversationEvent('conversation.changed', owner, { id, title, status, updatedAt }));
  }

  await seedAssistants(storage, toolbox);
  const chat = await createChat({
    toolbox,
    hostFor: (call, model) => hosts.create(call, { model }),
    journal: storage.journal,
    storage,
    models,
    serverNames,
    denyApprovals: approver.denyAll,
    assertAccess: (conversation) => assertOwnerAccess(conversation, storage.users),
    onChanged: publishChange,
    log,
    recoveryIntervalMs: storage.fleet && sharedRecoveryMs,
  });
  return shareChat(chat, { fleet, store: storage.fleet, events, log });
}

/** How often a replica looks for conversations of replicas that are gone. */
const sharedRecoveryMs = 5_000;
