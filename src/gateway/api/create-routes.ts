import { assistantTools } from '../../chat/assistant-tools.ts';
import { createModels } from '../../chat/models/create-models.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { challengeFor, unauthorized } from '../auth/admit-caller.ts';
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
import { createStartWait } from '../start-wait.ts';
import { allRoutes } from './all-routes.ts';
import { createApi } from './app.ts';
import { toOpenApi } from './openapi.ts';
import type { ApiPorts } from './route.ts';
import { createStoredServers } from './stored-servers.ts';

/** The gateway's routes besides MCP, A2A and the app: `/api`, `/metrics`, `/healthz`, `/readyz`. Stored servers are in the toolbox when it resolves. */
export async function createApiRoutes(parts: RouteParts): Promise<Routes> {
  const { toolbox, storage, mcp, log, env, stopping } = parts;
  const events = createEventLog({ sources: parts });
  const stored = createStoredServers({
    toolbox,
    allowsPrograms: parts.allowsPrograms,
    store: storage.servers,
    log,
    onChange: (kind, server) => events.publish(serverEvent(`server.${kind}`, server, { server })),
  });
  const metrics = createMetrics({ toolbox, approvals: storage.approvals, mcp, events });
  const readiness = createReadiness({ toolbox, meta: storage.meta, stopping });
  const endWebhook = startApprovalWebhook({ toolbox, env, log, stopping });
  let refused: ReturnType<ApiPorts['refused']>;
  toolbox.on('config.refused', ({ error }) => {
    refused = { at: new Date().toISOString(), message: error.message };
  });
  toolbox.on('config.applied', () => {
    refused = undefined;
  });
  stopping.addEventListener('abort', () => {
    endWebhook();
    events.close();
  });
  await stored.start();
  const serverNames = async () => new Map((await stored.list()).map(({ id, name }) => [id, name]));
  const models = createModels({
    providers: storage.providers,
    env,
    publicOnly: () => !parts.allowsPrivateAddresses(),
  });
  const chat = await openChat({ parts, models, serverNames, events });
  let document: JsonObject | undefined;
  const api = createApi(allRoutes, {
    ...parts,
    stored,
    events,
    chat,
    models,
    toolsOf: (assistant, profile) => assistantTools(assistant, { toolbox, serverNames }, profile),
    summaries: createCallSummaries({ journal: storage.journal }),
    startedAt: new Date().toISOString(),
    started: createStartWait(toolbox, toolbox.config.gateway.listWaitMs),
    refused: () => refused,
    document: () => {
      document ??= toOpenApi(allRoutes);
      return document;
    },
  });

  const serve: Routes = async (request, response, identity) => {
    const path = (request.url ?? '/').replace(/\?.*$/s, '');
    if (path === '/api' || path.startsWith('/api/')) {
      await api(request, response, identity);
      return true;
    }
    if (path === '/healthz') sendJson(response, 200, { status: 'alive' });
    else if (path === '/readyz') {
      const { ready, reasons } = await readiness();
      // Which servers there are is nobody's business who may not read.
      const told = hasRight(identity, 'read') && identity?.profile === undefined;
      sendJson(response, ready ? 200 : 503, { ready, ...(told && { reasons }) });
    } else if (path === '/metrics') {
      if (!identity) sendJson(response, 401, unauthorized, { 'www-authenticate': challengeFor(request) });
      else if (!hasRight(identity, 'read') || identity.profile !== undefined) {
        const message = "This needs the right 'read' and no profile: it names every server and tool";
        sendJson(response, 403, { error: { code: 'FORBIDDEN', message } });
      } else response.writeHead(200, { 'content-type': metrics.contentType }).end(await metrics.read());
    } else return false;
    return true;
  };
  return Object.assign(serve, { close: () => chat.close() });
}
