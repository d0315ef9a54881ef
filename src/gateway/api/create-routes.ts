import { messageOf } from '../../kernel/errors.ts';
import { createStartWait } from '../../servers/start-wait.ts';
import { createStoredServers } from '../../servers/stored-servers.ts';
import { sendUnauthorized } from '../auth/admit-caller.ts';
import { hasRight } from '../auth/identity.ts';
import { startApprovalWebhook } from '../events/approval-webhook.ts';
import { serverEvent } from '../events/collect-events.ts';
import { createEventLog } from '../events/event-log.ts';
import type { RouteParts, Routes } from '../gateway.ts';
import { sendJson } from '../mcp/responder.ts';
import { createMetrics } from '../metrics/metrics.ts';
import { createReadiness } from '../metrics/readiness.ts';
import type { RestApi, RestApiPorts } from './open-rest-api.ts';
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
  parts.fleet.onChange('servers', () => void stored.reload());
  const restApi = createLazyRestApi({
    parts,
    events,
    servers: { stored, waitForStart: createStartWait(toolbox, toolbox.config.gateway.listWaitMs) },
    info: { startedAt: new Date().toISOString(), configError: () => configError },
  });

  const serve: Routes = async (request, response, identity) => {
    const path = (request.url ?? '/').replace(/\?.*$/s, '');
    if (path === '/api' || path.startsWith('/api/')) {
      await (await restApi.open()).serve(request, response, identity);
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
  return Object.assign(serve, { close: restApi.close });
}

/** The REST API takes as long to load as everything else together, so it is loaded after the first calls can be answered. */
const loadAfterMs = 1_000;

/** Opens the REST API on its first request, and in any case soon after the start. */
function createLazyRestApi(ports: RestApiPorts) {
  const { log } = ports.parts;
  let opening: Promise<RestApi> | undefined;

  function open(): Promise<RestApi> {
    clearTimeout(timer);
    opening ??= import('./open-rest-api.ts')
      .then(({ openRestApi }) => openRestApi(ports))
      .catch((cause) => {
        opening = undefined;
        throw cause;
      });
    return opening;
  }

  const timer = setTimeout(() => {
    open().catch((cause) => log.error('gateway.api-failed', `Could not open the REST API: ${messageOf(cause)}`));
  }, loadAfterMs).unref();

  return {
    open,
    async close() {
      clearTimeout(timer);
      const opened = await opening?.catch(() => undefined);
      await opened?.close();
    },
  };
}
