import { messageOf } from '../../../contract/errors.ts';
import type { AdministeredToolbox } from '../../../toolwharf/toolbox.ts';
import { hasRight } from '../auth/identity.ts';
import { serverEvent } from '../events/collect-events.ts';
import { createEventLog } from '../events/event-log.ts';
import { openSharedEventLog } from '../events/shared-event-log.ts';
import { type Feature, type FeatureCore, openFeatures } from '../feature.ts';
import type { RouteParts, Routes } from '../gateway-parts.ts';
import { createReadiness } from '../http/readiness.ts';
import { sendJson } from '../mcp/responder.ts';
import { createStoredProfiles } from '../profiles/stored-profiles.ts';
import { createStartWait } from '../servers/start-wait.ts';
import { createStoredServers } from '../servers/stored-servers.ts';
import type { Api } from './app.ts';
import type { RestApiPorts } from './open-rest-api.ts';
import { recordAct } from './record-act.ts';
import type { ApiPorts } from './route.ts';

/** Creates the routes of the core and of the features. When it resolves, the toolbox contains all stored servers. */
export async function createRoutes(parts: RouteParts, features: readonly Feature[]): Promise<Routes> {
  const { toolbox, storage, log, stopping, calls, security } = parts;
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
  const readiness = createReadiness({ toolbox, meta: storage.meta, stopping, replica: parts.replica });
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
  parts.fleet.onChange('tool_overrides', toolbox.catalog.reloadOverrides);
  stopping.addEventListener('abort', () => events.close());
  await stored.start();
  parts.fleet.onChange('servers', stored.reload);
  const core: Omit<FeatureCore, 'of'> = {
    ...parts,
    events,
    profiles,
    servers: {
      stored,
      waitForStart: createStartWait(toolbox, toolbox.config.gateway.listWaitMs),
      waitForTools: parts.waitForTools,
      waitForContent: parts.waitForContent,
    },
    openApi: async () => void (await openApi()),
  };
  const opened = await openFeatures(features, core);
  const openApi = loadOnce({
    core,
    features: opened,
    info: {
      startedAt: new Date().toISOString(),
      features: features.map(({ name }) => name),
      configError: () => configError,
    },
  });

  const serve: Routes = async (request, response, identity) => {
    const path = (request.url ?? '/').replace(/\?.*$/s, '');
    // Before the API, for paths under `/api` that are pages.
    if (await opened.serve(request, response, { path, identity })) return true;
    if (path === '/api' || path.startsWith('/api/')) {
      await (await openApi())(request, response, identity);
      return true;
    }
    if (path !== '/readyz') return false;
    const { ready, reasons, codes } = await readiness();
    // The reasons name servers.
    const seesServers = hasRight(identity, 'tools.read') && identity?.profile === undefined;
    sendJson(response, ready ? 200 : 503, {
      ready,
      codes: ready ? undefined : codes,
      reasons: seesServers ? reasons : undefined,
    });
    return true;
  };
  return Object.assign(serve, { close: opened.close });
}

/** Loads the REST API with its first request: most of the code of the gateway, which many installations need only for MCP. */
function loadOnce(ports: RestApiPorts): () => Promise<Api> {
  let opening: Promise<Api> | undefined;
  return () => {
    opening ??= import('./open-rest-api.ts')
      .then(({ openRestApi }) => openRestApi(ports))
      .catch((cause) => {
        opening = undefined;
        throw cause;
      });
    return opening;
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
