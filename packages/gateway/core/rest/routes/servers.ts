import type { ServerInput, ServerView } from '../../../../contract/api/servers.ts';
import { ToolwharfError } from '../../../../contract/errors.ts';
import { serverRoutes as routes } from '../../../../contract/routes/servers.ts';
import type { CheckedServerRecord, ServerRecord } from '../../../../toolwharf/config/server-record.ts';
import type { ServerInfo } from '../../../../toolwharf/servers/server-info.ts';
import type { Stored } from '../../../../toolwharf/storage/ports/record-store.ts';
import { hasRight, type Identity, mayAddPrograms } from '../../auth/identity.ts';
import { toVisibleStatus } from '../../auth/profile-scope.ts';
import { withoutRevision } from '../../records/modify-record.ts';
import { findServer, readPermittedServer, scopeFor } from '../access.ts';
import { importServers } from '../import-servers.ts';
import { withCurrent } from '../revision-conflict.ts';
import { type ApiPorts, type ApiRequest, implement } from '../route.ts';
import { toRecordView } from '../server-masks.ts';
import { testConnection } from '../test-connection.ts';

export const serverRoutes = [
  implement(routes.listServers, {
    async handle(request, ports) {
      const scope = scopeFor(request, ports);
      const records = new Map((await ports.servers.stored.list()).map((record) => [record.name, record]));
      const infos = ports.toolbox.servers.list().filter(({ name }) => scope.hasServer(name));
      return { servers: infos.map((info) => toServerView(info, records.get(info.name), request, ports)) };
    },
  }),
  implement(routes.addServer, {
    access: (request, ports) => readPermittedServer(request.body, request, ports),
    async handle(request, ports) {
      const { name } = await ports.servers.stored.add(withReview(request.resource, request, ports));
      return showServer(name, request, ports);
    },
  }),
  implement(routes.acceptServer, {
    access({ identity }) {
      if (!mayAddPrograms(identity))
        throw new ToolwharfError('FORBIDDEN', 'Only somebody who may add programs can accept a server: sign in first');
    },
    async handle(request, ports) {
      const { name } = await ports.servers.stored.update(request.params.server, (stored) => {
        const { review, ...settings } = settingsOf(stored);
        if (review) return settings;
        throw new ToolwharfError('CONFLICT', `Server '${stored.name}' does not wait for review`);
      });
      return showServer(name, request, ports);
    },
  }),
  implement(routes.testServer, {
    async access(request, ports) {
      const { server: name, ...input } = request.body;
      const stored = name === undefined ? undefined : await ports.servers.stored.find(name);
      if (name !== undefined && !stored) throw new ToolwharfError('NOT_FOUND', `There is no stored server '${name}'`);
      return readPermittedServer(input, request, ports, stored);
    },
    handle: ({ resource, signal }, ports) => testConnection(resource, signal, ports),
  }),
  implement(routes.importServers, {
    handle: async ({ body }) => importServers(body.text),
  }),
  implement(routes.getServer, {
    handle: (request, ports) => showServer(request.params.server, request, ports),
  }),
  implement(routes.setServerToken, {
    access(request, ports) {
      const { name } = findServer(request, ports);
      const server = ports.servers.stored.findWithoutToken(name)?.withToken(request.body.token);
      if (server) return readPermittedServer({ ...(server as ServerInput), name }, request, ports);
      throw new ToolwharfError('CONFLICT', `Server '${name}' does not need a token here: change its settings instead`);
    },
    async handle(request, ports) {
      const { name } = await ports.servers.stored.add(withReview(request.resource, request, ports));
      return showServer(name, request, ports);
    },
  }),
  implement(routes.updateServer, {
    async handle(request, ports) {
      const { revision, ...input } = request.body;
      const { server } = request.params;
      const read = (stored: ServerRecord) =>
        withReview({ ...readPermittedServer(input, request, ports, stored), review: stored.review }, request, ports);
      const { name } = await withCurrent(
        () => ports.servers.stored.update(server, read, revision),
        () => showServer(server, request, ports),
      );
      return showServer(name, request, ports);
    },
  }),
  implement(routes.removeServer, {
    handle: (request, ports) => ports.servers.stored.remove(request.params.server),
  }),
  implement(routes.enableServer, {
    handle: (request, ports) => switchServer(request.params.server, true, request, ports),
  }),
  implement(routes.disableServer, {
    handle: (request, ports) => switchServer(request.params.server, false, request, ports),
  }),
  implement(routes.connectServer, {
    access: findServer,
    async handle({ resource: { name, enabled }, ...request }, ports) {
      const record = await ports.servers.stored.find(name);
      const problem = record && ports.servers.stored.problemOf(record);
      if (!enabled) throw new ToolwharfError('CONFLICT', problem ?? `Server '${name}' is disabled: enable it first`);
      await ports.toolbox.servers.connect(name);
      return showServer(name, request, ports);
    },
  }),
  implement(routes.disconnectServer, {
    access: findServer,
    async handle({ resource: { name }, ...request }, ports) {
      await ports.toolbox.servers.disconnect(name);
      return showServer(name, request, ports);
    },
  }),
  implement(routes.refreshServer, {
    access: findServer,
    async handle({ resource: { name }, ...request }, ports) {
      await ports.toolbox.servers.refreshTools(name);
      return showServer(name, request, ports);
    },
  }),
  implement(routes.getServerErrorOutput, {
    access: findServer,
    handle: async ({ resource }, { toolbox }) => ({ lines: toolbox.servers.stderr(resource.name) }),
  }),
];

async function switchServer(server: string, enabled: boolean, request: Pick<ApiRequest, 'identity'>, ports: ApiPorts) {
  const { name } = await ports.servers.stored.update(server, (stored) => ({ ...settingsOf(stored), enabled }));
  return showServer(name, request, ports);
}

/** What of a stored server a person sets. */
function settingsOf(stored: ServerRecord) {
  const { id: _id, createdAt: _created, updatedAt: _updated, lastConnectedAt: _last, ...settings } = stored;
  return settings;
}

/** A server as it is stored: that of someone who may not add programs waits for somebody who may. */
function withReview(
  server: CheckedServerRecord,
  { identity }: Pick<ApiRequest, 'identity'>,
  { toolbox }: ApiPorts,
): CheckedServerRecord {
  if (toolbox.config.gateway.newServers === 'start' || mayAddPrograms(identity)) return server;
  const { name, id } = identity.caller;
  return { ...server, review: { by: name ?? id, at: new Date().toISOString() } };
}

async function showServer(server: string, { identity }: Pick<ApiRequest, 'identity'>, ports: ApiPorts) {
  const info = findServer({ params: { server }, identity }, ports);
  return toServerView(info, await ports.servers.stored.find(server), { identity }, ports);
}

function whyReadOnly({ loaded: { file, isDefault } }: ApiPorts['toolbox'], showsFile: boolean): string {
  if (isDefault) return 'One of the default servers, which are used without a configuration file';
  return `Defined in the configuration${showsFile && file !== undefined ? ` file ${file}` : ''}`;
}

/** A server as the caller may see it. */
function toServerView(
  info: ServerInfo,
  record: Stored<ServerRecord> | undefined,
  { identity }: { readonly identity: Identity },
  { servers, toolbox }: ApiPorts,
): ServerView {
  const { place, status, roots, ...rest } = info;
  const mayEdit = hasRight(identity, 'servers.write');
  return {
    id: record?.id ?? info.name,
    ...rest,
    source: record ? 'store' : toolbox.loaded.isDefault ? 'default' : 'file',
    readOnly: record ? undefined : whyReadOnly(toolbox, mayEdit),
    problem: record && servers.stored.problemOf(record),
    review: record?.review,
    missingToken: record ? undefined : servers.stored.findWithoutToken(info.name)?.variable,
    enabled: record?.enabled ?? info.enabled,
    status: toVisibleStatus(status, identity),
    place: mayEdit ? place : undefined,
    roots: mayEdit ? roots : undefined,
    revision: record?.revision,
    record: mayEdit && record ? toRecordView(withoutRevision(record)) : undefined,
  };
}
