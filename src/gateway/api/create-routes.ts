import { assistantTools } from '../../chat/assistant-tools.ts';
import { createModels } from '../../chat/models/create-models.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { createStartWait } from '../../servers/start-wait.ts';
import { createStoredServers } from '../../servers/stored-servers.ts';
import { sendUnauthorized } from '../auth/admit-caller.ts';
import { hasRight } from '../auth/identity.ts';
import { createCallSummaries } from '../calls/call-summaries.ts';
import { openChat } from '../chat/open-chat.ts';
import { startApprovalWebhook } from '../events/approval-webhook.ts';
import { serverEvent } from '../events/collect-events.ts';
import { createEventLog } from '../events/event-log.ts';
import type { RouteParts, Routes } from '../gateway.ts';
import { sendJson } from '../mcp/responder.ts';
import { createMetrics } from '../metrics/metrics.ts';
import { createReadiness } from '../metrics/readiness.ts';
import { allRoutes } from './all-routes.ts';
import { createApi } from './app.ts';
import { toOpenApi } from './openapi.ts';
import { recordAct } from './record-act.ts';
import type { ApiPorts } from './route.ts';

/** Creates the routes `/api`, `/metrics`, `/healthz` and `/readyz`. When it resolves, the toolbox contains all stored servers. */
export async function createApiRoutes(parts: RouteParts): Promise<Routes> {
  const { toolbox, storage, mcp, log, stopping, calls, security } = parts;
  const { env } = parts.process;
  const events = createEventLog({ sources: { toolbox, ...calls, ownership: security.ownership } });
  const stored = createStoredServers({
    toolbox,
    allowsPrograms: security.allowsPrograms,
    store: storage.servers,
    log,
    onChange: (kind, server) => events.publish(serverEvent(`server.${kind}`, server, { server })),
  });
  const metrics = createMetrics({
    toolbox,
    approvals: storage.approvals,
    approver: calls.approver,
    mcp,
    events,
    limits: parts.limits,
  });
  const readiness = createReadiness({ toolbox, meta: storage.meta, stopping });
  const stopWebhook = startApprovalWebhook({ toolbox, env, log, stopping });
  let configError: ReturnType<ApiPorts['gateway']['configError']>;
  toolbox.on('config.refused', ({ error }) => {
    configError = { at: new Date().toISOString(), message: error.message };
  });
  toolbox.on('config.applied', (applied) => {
    configError = undefined;
    const caller = { id: 'configuration', kind: 'program', name: toolbox.loaded.file } as const;
    const act = { operation: 'applyConfiguration', caller, details: { ...applied } };
    recordAct(act, { storage, log }, async () => {}).catch(() => {});
  });
  stopping.addEventListener('abort', () => {
    stopWebhook();
    events.close();
  });
  await stored.start();
  const serverNames = async () => new Map((await stored.list()).map(({ id, name }) => [id, name]));
  const models = createModels({
    providers: storage.providers,
    env,
    publicOnly: () => !security.allowsPrivateAddresses(),
  });
  const conversations = await openChat({ parts, models, serverNames, events });
  let openApi: JsonObject | undefined;
  const api = createApi(allRoutes, {
    toolbox,
    storage,
    log,
    stopping,
    events,
    security,
    limits: parts.limits,
    calls: { ...calls, summaries: createCallSummaries({ journal: storage.journal }) },
    chat: {
      conversations,
      models,
      assistantTools: (assistant, profile) => assistantTools(assistant, { toolbox, serverNames }, profile),
    },
    servers: { stored, waitForStart: createStartWait(toolbox, toolbox.config.gateway.listWaitMs) },
    gateway: {
      ...parts.process,
      mcp,
      startedAt: new Date().toISOString(),
      configError: () => configError,
      openApi: () => {
        openApi ??= toOpenApi(allRoutes);
        return openApi;
      },
    },
  });

  const serve: Routes = async (request, response, identity) => {
    const path = (request.url ?? '/').replace(/\?.*$/s, '');
    if (path === '/api' || path.startsWith('/api/')) {
      await api(request, response, identity);
      return true;
    }
    if (path === '/readyz') {
      const { ready, reasons } = await readiness();
      // The reasons name servers.
      const seesServers = hasRight(identity, 'read') && identity?.profile === undefined;
      sendJson(response, ready ? 200 : 503, { ready, reasons: seesServers ? reasons : undefined });
    } else if (path === '/metrics') {
      if (!identity) sendUnauthorized(request, response);
      else if (!hasRight(identity, 'read') || identity.profile !== undefined) {
        const message = "Metrics name every server and tool: they need the right 'read' and a key without a profile";
        sendJson(response, 403, { error: { code: 'FORBIDDEN', message } });
      } else response.writeHead(200, { 'content-type': metrics.contentType }).end(await metrics.read());
    } else return false;
    return true;
  };
  return Object.assign(serve, { close: () => conversations.close() });
}
