import { createAppPolicy } from '../../chat/assistant-policy.ts';
import { assistantTools } from '../../chat/assistant-tools.ts';
import type { ChatPorts, ConversationChange } from '../../chat/chat.ts';
import { createChat } from '../../chat/create-chat.ts';
import { createModels } from '../../chat/models/create-models.ts';
import { seedAssistants } from '../../chat/seed-assistants.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { assertOwnerAccess } from '../auth/users.ts';
import { createCallSummaries } from '../calls/call-summaries.ts';
import { type SharedChat, shareChat } from '../chat/shared-chat.ts';
import { conversationEvent } from '../events/collect-events.ts';
import type { EventLog } from '../events/event-log.ts';
import type { GatewayParts, RouteParts } from '../gateway-parts.ts';
import { allRoutes } from './all-routes.ts';
import { type Api, createApi } from './app.ts';
import { toOpenApi } from './openapi.ts';
import type { ApiPorts } from './route.ts';

/** The REST API and the conversations of a gateway. */
export interface RestApi {
  readonly serve: Api;
  /** Stops running answers. */
  close(): Promise<void>;
}

export interface RestApiPorts extends Pick<ApiPorts, 'events' | 'servers' | 'profiles' | 'scripts'> {
  readonly parts: RouteParts;
  readonly info: Pick<ApiPorts['gateway'], 'startedAt' | 'configError'>;
}

/** How often a replica looks for conversations of replicas that are gone. */
const sharedRecoveryMs = 5_000;

/** Opens the conversations and creates the routes under `/api`. Most code of the gateway is behind this import. */
export async function openRestApi(ports: RestApiPorts): Promise<RestApi> {
  const { parts, events, servers, profiles, scripts, info } = ports;
  const { toolbox, storage, log, stopping, security, limits, fleet, frames, mcp, calls } = parts;
  const serverNames = async () => new Map((await servers.stored.list()).map(({ id, name }) => [id, name]));
  const models = createModels({
    providers: storage.providers,
    settings: storage.modelSettings,
    env: parts.process.env,
    publicOnly: () => !security.allowsPrivateAddresses(),
  });
  const conversations = await openChat({ parts, models, serverNames, events });
  let openApi: JsonObject | undefined;
  const serve = createApi(allRoutes, {
    toolbox,
    storage,
    log,
    stopping,
    fleet,
    frames,
    events,
    security,
    limits,
    servers,
    profiles,
    scripts,
    calls: { ...calls, summaries: createCallSummaries({ journal: storage.journal }) },
    chat: {
      conversations,
      models,
      assistantTools: (assistant, profile) => assistantTools(assistant, { toolbox, serverNames }, profile),
      appPolicy: (caller) => createAppPolicy(caller, { toolbox, storage, serverNames }),
    },
    gateway: {
      ...parts.process,
      ...info,
      mcp,
      openApi: () => {
        openApi ??= toOpenApi(allRoutes);
        return openApi;
      },
    },
  });
  return { serve, close: () => conversations.close() };
}

interface OpenChatOptions extends Pick<ChatPorts, 'models' | 'serverNames'> {
  readonly parts: Pick<GatewayParts, 'toolbox' | 'storage' | 'calls' | 'security' | 'fleet' | 'log'>;
  readonly events: Pick<EventLog, 'publish' | 'listen' | 'opened'>;
}

/** Opens the conversations of a gateway and publishes their changes to their owners. */
async function openChat({ parts, events, models, serverNames }: OpenChatOptions): Promise<SharedChat> {
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
