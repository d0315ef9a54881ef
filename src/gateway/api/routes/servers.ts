import { z } from 'zod';
import type { ServerRecord } from '../../../config/server-record.ts';
import { ToolwharfError } from '../../../kernel/errors.ts';
import type { ServerInfo } from '../../../servers/server-info.ts';
import type { Identity } from '../../auth/identity.ts';
import { toVisibleStatus } from '../../auth/profile-scope.ts';
import { findServer, readPermittedServer, scopeFor } from '../access.ts';
import { importServers } from '../import-servers.ts';
import { type ApiPorts, type ApiRequest, route } from '../route.ts';
import {
  importedServersSchema,
  importInputSchema,
  type ServerInput,
  type ServerView,
  serverInputSchema,
  serverListSchema,
  serverSchema,
  serverTestInputSchema,
  serverTestSchema,
  serverTokenSchema,
  stderrSchema,
} from '../schemas/servers.ts';
import { toRecordView } from '../server-masks.ts';
import { testConnection } from '../test-connection.ts';

const group = 'servers';
const params = z.object({ server: z.string() });

export const serverRoutes = [
  route({
    operationId: 'listServers',
    method: 'get',
    path: '/api/servers',
    right: 'read',
    group,
    summary: 'Lists every server with its connection status.',
    answer: serverListSchema,
    async handle(request, ports) {
      const scope = scopeFor(request, ports);
      const records = new Map((await ports.servers.stored.list()).map((record) => [record.name, record]));
      const infos = ports.toolbox.servers.list().filter(({ name }) => scope.hasServer(name));
      return { servers: infos.map((info) => toServerView(info, records.get(info.name), request, ports)) };
    },
  }),
  route({
    operationId: 'addServer',
    method: 'post',
    path: '/api/servers',
    right: 'admin',
    group,
    summary: 'Stores a server and connects to it. A server that cannot be reached is kept and retried.',
    body: serverInputSchema,
    answer: serverSchema,
    status: 201,
    errors: ['CONFIG_INVALID', 'CONFLICT'],
    access: (request, ports) => readPermittedServer(request.body, request, ports),
    async handle(request, ports) {
      const { name } = await ports.servers.stored.add(request.resource);
      return showServer(name, request, ports);
    },
  }),
  route({
    operationId: 'testServer',
    method: 'post',
    path: '/api/servers/test',
    right: 'admin',
    group,
    summary:
      'Connects to a server without storing it, and reports whether it is reachable, its latency, its lists and any problems.',
    body: serverTestInputSchema,
    answer: serverTestSchema,
    errors: ['CONFIG_INVALID', 'NOT_FOUND'],
    async access(request, ports) {
      const { server: name, ...input } = request.body;
      const stored = name === undefined ? undefined : await ports.servers.stored.find(name);
      if (name !== undefined && !stored) throw new ToolwharfError('NOT_FOUND', `There is no stored server '${name}'`);
      return readPermittedServer(input, request, ports, stored);
    },
    handle: ({ resource, signal }, ports) => testConnection(resource, signal, ports),
  }),
  route({
    operationId: 'importServers',
    method: 'post',
    path: '/api/servers/import',
    right: 'admin',
    group,
    recorded: false,
    summary: 'Extracts the servers from the pasted configuration of an MCP client. Nothing is stored.',
    body: importInputSchema,
    answer: importedServersSchema,
    handle: async ({ body }) => importServers(body.text),
  }),
  route({
    operationId: 'getServer',
    method: 'get',
    path: '/api/servers/{server}',
    right: 'read',
    group,
    summary: 'Returns one server with its connection status.',
    params,
    answer: serverSchema,
    errors: ['NOT_FOUND'],
    handle: (request, ports) => showServer(request.params.server, request, ports),
  }),
  route({
    operationId: 'setServerToken',
    method: 'post',
    path: '/api/servers/{server}/token',
    right: 'admin',
    group,
    summary: 'Stores a token for a default server that is disabled without one, and connects the server.',
    params,
    body: serverTokenSchema,
    answer: serverSchema,
    status: 201,
    errors: ['CONFLICT', 'NOT_FOUND'],
    access(request, ports) {
      const { name } = findServer(request, ports);
      const server = ports.servers.stored.findWithoutToken(name)?.withToken(request.body.token);
      if (server) return readPermittedServer({ ...(server as ServerInput), name }, request, ports);
      throw new ToolwharfError('CONFLICT', `Server '${name}' does not need a token here: change its settings instead`);
    },
    async handle(request, ports) {
      const { name } = await ports.servers.stored.add(request.resource);
      return showServer(name, request, ports);
    },
  }),
  route({
    operationId: 'updateServer',
    method: 'put',
    path: '/api/servers/{server}',
    right: 'admin',
    group,
    summary: 'Replaces a stored server and reconnects it. A masked secret keeps its stored value.',
    params,
    body: serverInputSchema,
    answer: serverSchema,
    errors: ['CONFIG_INVALID', 'CONFLICT', 'NOT_FOUND'],
    async handle(request, ports) {
      const { name } = await ports.servers.stored.update(request.params.server, (stored) =>
        readPermittedServer(request.body, request, ports, stored),
      );
      return showServer(name, request, ports);
    },
  }),
  route({
    operationId: 'removeServer',
    method: 'delete',
    path: '/api/servers/{server}',
    right: 'admin',
    group,
    summary: 'Disconnects a stored server and deletes it, with its sign-in and the accounts of people there.',
    params,
    errors: ['CONFLICT', 'NOT_FOUND'],
    handle: (request, ports) => ports.servers.stored.remove(request.params.server),
  }),
  ...(['enable', 'disable'] as const).map((verb) =>
    route({
      operationId: `${verb}Server`,
      method: 'post',
      path: `/api/servers/{server}/${verb}`,
      right: 'admin',
      group,
      summary:
        verb === 'enable'
          ? 'Enables a stored server and connects to it.'
          : 'Disables a stored server: it stays stored but is not connected.',
      params,
      answer: serverSchema,
      errors: ['CONFLICT', 'NOT_FOUND'],
      async handle(request, ports) {
        const enabled = verb === 'enable';
        const { name } = await ports.servers.stored.update(request.params.server, (stored) => {
          const { id: _id, createdAt: _created, updatedAt: _updated, lastConnectedAt: _last, ...server } = stored;
          return { ...server, enabled };
        });
        return showServer(name, request, ports);
      },
    }),
  ),
  route({
    operationId: 'connectServer',
    method: 'post',
    path: '/api/servers/{server}/connect',
    right: 'admin',
    group,
    summary:
      'Connects a server and keeps it connected. Responds when it is connected, or with the reason why it is not.',
    params,
    answer: serverSchema,
    errors: ['CONFLICT', 'NOT_FOUND', 'OAUTH_REQUIRED', 'SERVER_UNREACHABLE'],
    access: findServer,
    async handle({ resource: { name, enabled }, ...request }, ports) {
      if (!enabled) throw new ToolwharfError('CONFLICT', `Server '${name}' is disabled: enable it first`);
      await ports.toolbox.servers.connect(name);
      return showServer(name, request, ports);
    },
  }),
  route({
    operationId: 'disconnectServer',
    method: 'post',
    path: '/api/servers/{server}/disconnect',
    right: 'admin',
    group,
    summary: 'Disconnects a server and removes its tools until it is connected again or the gateway restarts.',
    params,
    answer: serverSchema,
    errors: ['NOT_FOUND'],
    access: findServer,
    async handle({ resource: { name }, ...request }, ports) {
      await ports.toolbox.servers.disconnect(name);
      return showServer(name, request, ports);
    },
  }),
  route({
    operationId: 'refreshServer',
    method: 'post',
    path: '/api/servers/{server}/refresh',
    right: 'admin',
    group,
    summary: 'Reads the tools of a server again.',
    params,
    answer: serverSchema,
    errors: ['NOT_FOUND', 'SERVER_DISCONNECTED', 'SERVER_ERROR'],
    access: findServer,
    async handle({ resource: { name }, ...request }, ports) {
      await ports.toolbox.servers.refreshTools(name);
      return showServer(name, request, ports);
    },
  }),
  route({
    operationId: 'getServerErrorOutput',
    method: 'get',
    path: '/api/servers/{server}/stderr',
    right: 'admin',
    group,
    summary: "Returns the last lines of a local server's stderr, with secrets redacted.",
    params,
    answer: stderrSchema,
    errors: ['NOT_FOUND'],
    access: findServer,
    handle: async ({ resource }, { toolbox }) => ({ lines: toolbox.servers.stderr(resource.name) }),
  }),
];

async function showServer(server: string, { identity }: Pick<ApiRequest, 'identity'>, ports: ApiPorts) {
  const info = findServer({ params: { server }, identity }, ports);
  return toServerView(info, await ports.servers.stored.find(server), { identity }, ports);
}

function whyReadOnly({ loaded: { file, isDefault } }: ApiPorts['toolbox'], isAdmin: boolean): string {
  if (isDefault) return 'One of the default servers, which are used without a configuration file';
  return `Defined in the configuration${isAdmin && file !== undefined ? ` file ${file}` : ''}`;
}

/** A server as the caller may see it. */
function toServerView(
  info: ServerInfo,
  record: ServerRecord | undefined,
  { identity }: { readonly identity: Identity },
  { servers, toolbox }: ApiPorts,
): ServerView {
  const { place, status, roots, ...rest } = info;
  const { isAdmin } = identity;
  return {
    id: record?.id ?? info.name,
    ...rest,
    source: record ? 'store' : toolbox.loaded.isDefault ? 'default' : 'file',
    readOnly: record ? undefined : whyReadOnly(toolbox, isAdmin),
    problem: record && servers.stored.problemOf(record),
    missingToken: record ? undefined : servers.stored.findWithoutToken(info.name)?.variable,
    enabled: record?.enabled ?? info.enabled,
    status: toVisibleStatus(status, identity),
    place: isAdmin ? place : undefined,
    roots: isAdmin ? roots : undefined,
    record: isAdmin && record ? toRecordView(record) : undefined,
  };
}
