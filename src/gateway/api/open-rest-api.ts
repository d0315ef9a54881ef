import { createAppPolicy } from '../../chat/assistant-policy.ts';
import { assistantTools } from '../../chat/assistant-tools.ts';
import { createModels } from '../../chat/models/create-models.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { createCallSummaries } from '../calls/call-summaries.ts';
import { openChat } from '../chat/open-chat.ts';
import type { RouteParts } from '../gateway-parts.ts';
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
