import { userCallerId } from '../../../toolwharf/kernel/user-caller.ts';
import { assertOwnerAccess } from '../../core/auth/users.ts';
import { conversationEvent } from '../../core/events/collect-events.ts';
import type { FeatureCore } from '../../core/feature.ts';
import type { FeatureApi } from '../../core/feature-api.ts';
import { createAppPolicy } from './assistant-policy.ts';
import { assistantTools } from './assistant-tools.ts';
import type { ChatPorts, ConversationChange } from './chat.ts';
import { createChat } from './create-chat.ts';
import { createModels } from './models/create-models.ts';
import type { ChatApi } from './ports.ts';
import { seedAssistants } from './seed-assistants.ts';
import { type SharedChat, shareChat } from './shared-chat.ts';

/** How often a replica looks for conversations of replicas that are gone. */
const sharedRecoveryMs = 5_000;

/** Opens the conversations. */
export async function openChatApi(core: FeatureCore): Promise<FeatureApi<ChatApi>> {
  const { toolbox, storage, security, servers } = core;
  const serverNames = async () => new Map((await servers.stored.list()).map(({ id, name }) => [id, name]));
  const models = createModels({
    providers: storage.providers,
    settings: storage.modelSettings,
    env: core.process.env,
    publicOnly: () => !security.allowsPrivateAddresses(),
  });
  const conversations = await openChat(core, { models, serverNames });
  return {
    ports: {
      conversations,
      models,
      assistantTools: (assistant, profile) => assistantTools(assistant, { toolbox, serverNames }, profile),
    },
    policyOf: async (caller) =>
      caller.kind === 'assistant' ? createAppPolicy(caller, { toolbox, storage, serverNames }) : undefined,
    async stopUser(id) {
      const own = await conversations.list({ owner: userCallerId(id) });
      const running = own.filter(({ status }) => status !== 'idle');
      await Promise.all(running.map((conversation) => conversations.stop(conversation.id)));
    },
    async removeUser(id) {
      for (const conversation of await conversations.list({ owner: userCallerId(id) }))
        await conversations.remove(conversation.id);
    },
    close: () => conversations.close(),
  };
}

/** Opens the conversations of a gateway and publishes their changes to their owners. */
async function openChat(
  {
    toolbox,
    storage,
    fleet,
    log,
    events,
    process: { connects },
    calls: { approver, hosts },
    security: { ownership },
    waitForTools,
  }: FeatureCore,
  { models, serverNames }: Pick<ChatPorts, 'models' | 'serverNames'>,
): Promise<SharedChat> {
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

  if (connects) await seedAssistants(storage, toolbox);
  const chat = await createChat({
    toolbox,
    hostFor: (call, model) =>
      hosts.create(call, {
        // Loaded on demand: sampling is rare, and the model SDK is large.
        answerSampling: async (params, signal) =>
          (await import('./answer-sampling.ts')).answerSampling(params, model, signal),
      }),
    journal: storage.journal,
    storage,
    models,
    serverNames,
    waitForTools,
    denyApprovals: approver.denyAll,
    assertAccess: (conversation) => assertOwnerAccess(conversation, storage),
    onChanged: publishChange,
    log,
    recoveryIntervalMs: storage.fleet && sharedRecoveryMs,
  });
  return shareChat(chat, { fleet, store: storage.fleet, events, log });
}
