import type { Chat, ChatPorts, ConversationChange } from '../../chat/chat.ts';
import { createChat } from '../../chat/create-chat.ts';
import { seedAssistants } from '../../chat/seed-assistants.ts';
import { conversationEvent } from '../events/collect-events.ts';
import type { EventLog } from '../events/event-log.ts';
import type { GatewayParts } from '../gateway.ts';

export interface OpenChatOptions extends Pick<ChatPorts, 'models' | 'serverNames'> {
  readonly parts: Pick<GatewayParts, 'toolbox' | 'storage' | 'calls' | 'security' | 'log'>;
  readonly events: Pick<EventLog, 'publish'>;
}

/** Opens the conversations of a gateway and publishes their changes to their owners. */
export async function openChat({ parts, events, models, serverNames }: OpenChatOptions): Promise<Chat> {
  const { toolbox, storage, log } = parts;
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
  return createChat({
    toolbox,
    hostFor: (call, model) => hosts.create(call, { model }),
    journal: storage.journal,
    storage,
    models,
    serverNames,
    denyApprovals: approver.denyAll,
    onChanged: publishChange,
    log,
  });
}
