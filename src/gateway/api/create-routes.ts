import { messageOf } from '../../kernel/errors.ts';
import { createStartWait } from '../../servers/start-wait.ts';
import { createStoredServers } from '../../servers/stored-servers.ts';
import type { AdministeredToolbox } from '../../toolbox.ts';
import { sendUnauthorized } from '../auth/admit-caller.ts';
import { createConfiguredAddress } from '../auth/client-address.ts';
import { hasRight } from '../auth/identity.ts';
import { createSignInRoutes } from '../auth/oidc/sign-in-routes.ts';
import { createSignOutRoute } from '../auth/oidc/sign-out-route.ts';
import { startApprovalWebhook } from '../events/approval-webhook.ts';
import { serverEvent } from '../events/collect-events.ts';
import { createEventLog } from '../events/event-log.ts';
import { openSharedEventLog } from '../events/shared-event-log.ts';
import type { RouteParts, Routes } from '../gateway-parts.ts';
import { sendJson } from '../mcp/responder.ts';
import { createMetrics } from '../metrics/metrics.ts';
import { createReadiness } from '../metrics/readiness.ts';
import { createStoredProfiles } from '../profiles/stored-profiles.ts';
import { createStoredScripts } from '../scripts/stored-scripts.ts';
import type { RestApi, RestApiPorts } from './open-rest-api.ts';
import { recordAct } from './record-act.ts';
import type { ApiPorts } from './route.ts';

/** Creates the routes `/api`, `/metrics`, `/healthz` and `/readyz`. When it resolves, the toolbox contains all stored servers. */
export async function createApiRoutes(parts: RouteParts): Promise<Routes> {
  const { toolbox, storage, mcp, log, stopping, calls, security } = parts;
  const { env } = parts.process;
  const sources = { toolbox, ...calls };
  const events = storage.fleet
    ? await openSharedEventLog({
        sources,
        store: storage.fleet,
        fleet: parts.fleet,
        ownership: security.ownership,
        log,
      })
    : createEventLog({ sources });
  const stored = createStoredServers({
    toolbox,
    allowsPrograms: security.allowsPrograms,
    store: storage.servers,
    log,
    async onRemove(server) {
      for (const { id } of await toolbox.accounts.list({ server })) await toolbox.accounts.remove(id);
    },
    onRename: (from, to) => copyOverrides(toolbox.catalog, from, to),
    onChange(kind, server) {
      events.publish(serverEvent(`server.${kind}`, server, { server }));
      if (kind !== 'removed') return;
      clearOverrides(toolbox.catalog, server).catch((cause) =>
        log.warning('tools.not-cleared', `Could not remove the tool settings of '${server}': ${messageOf(cause)}`),
      );
    },
  });
  const profiles = createStoredProfiles({ toolbox, store: storage.profiles, keys: storage.keys, log });
  const scripts = createStoredScripts({ toolbox, store: storage.scripts, log });
  const metrics = createMetrics({
    toolbox,
    approvals: storage.approvals,
    approver: calls.approver,
    mcp,
    events,
    limits: parts.limits,
    fleet: parts.fleet,
    replica: parts.replica,
  });
  const readiness = createReadiness({ toolbox, meta: storage.meta, stopping, replica: parts.replica });
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
  await profiles.reload();
  parts.fleet.onChange('profiles', profiles.reload);
  await scripts.reload();
  parts.fleet.onChange('scripts', scripts.reload);
  parts.fleet.onChange('tool_overrides', toolbox.catalog.reloadOverrides);
  stopping.addEventListener('abort', () => {
    stopWebhook();
    events.close();
  });
  await stored.start();
  parts.fleet.onChange('servers', stored.reload);
  const signInPorts = { ...security, storage, clientAddress: createConfiguredAddress(toolbox), log };
  const [signIn, signOut] = [createSignInRoutes(signInPorts), createSignOutRoute(signInPorts)];
  const restApi = createLazyRestApi({
    parts,
    events,
    profiles,
    scripts,
    servers: { stored, waitForStart: createStartWait(toolbox, toolbox.config.gateway.listWaitMs) },
    info: { startedAt: new Date().toISOString(), configError: () => configError },
  });

  const serve: Routes = async (request, response, identity) => {
    const path = (request.url ?? '/').replace(/\?.*$/s, '');
    if (security.resource.serve(request, response, path)) return true;
    if ((await signIn(request, response, path)) || (await signOut(request, response, path))) return true;
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
      if (!identity) sendUnauthorized(request, response, security.resource);
      else if (!hasRight(identity, 'read') || identity.profile !== undefined) {
        const message = "Metrics name every server and tool: they need the right 'read' and a key without a profile";
        sendJson(response, 403, { error: { code: 'FORBIDDEN', message } });
      } else {
        const text = await metrics.read();
        response.writeHead(200, { 'content-type': metrics.contentType }).end(text);
      }
    } else return false;
    return true;
  };
  return Object.assign(serve, { close: restApi.close });
}

/** How long the first look for interrupted answers waits, so that the first calls come first, and how often it is repeated. */
const lookAfterMs = 1_000;
const lookEveryMs = 30_000;
/** The same in a fleet, where other replicas may end. */
const lookInFleetMs = 5_000;

/**
 * Opens the REST API and the conversations with the first request, or to continue answers that a stopped process left.
 * Loading them takes as much time and memory as the rest of the gateway, which many installations need only for MCP.
 */
function createLazyRestApi(ports: RestApiPorts) {
  const { log, storage } = ports.parts;
  let opening: Promise<RestApi> | undefined;

  function open(): Promise<RestApi> {
    // From now on the conversations look for interrupted answers themselves.
    clearTimeout(timer);
    opening ??= import('./open-rest-api.ts')
      .then(({ openRestApi }) => openRestApi(ports))
      .catch((cause) => {
        opening = undefined;
        throw cause;
      });
    return opening;
  }

  async function look(): Promise<void> {
    try {
      if ((await storage.conversations.abandoned()).length > 0) await open();
    } catch (cause) {
      log.warning('chat.look-failed', messageOf(cause));
    }
    if (!opening && !ports.parts.stopping.aborted)
      timer = setTimeout(look, storage.fleet ? lookInFleetMs : lookEveryMs).unref();
  }

  let timer = setTimeout(look, lookAfterMs).unref();
  return {
    open,
    async close() {
      clearTimeout(timer);
      const opened = await opening?.catch(() => undefined);
      await opened?.close();
    },
  };
}

type Overrides = Pick<AdministeredToolbox['catalog'], 'overrides' | 'override'>;

/** Copies the overrides of a renamed server before its tools are listed under the new name: a tool that is off stays off. */
async function copyOverrides(catalog: Overrides, from: string, to: string): Promise<void> {
  const own = [...catalog.overrides.values()].filter(({ server }) => server === from);
  if (own.length > 0) await catalog.override(own.map((override) => ({ ...override, server: to })));
}

/** Removes the overrides of a server that was removed. */
async function clearOverrides(catalog: Overrides, server: string): Promise<void> {
  const own = [...catalog.overrides.values()].filter((override) => override.server === server);
  if (own.length > 0) await catalog.override(own.map(({ tool }) => ({ server, tool, enabled: true })));
}
