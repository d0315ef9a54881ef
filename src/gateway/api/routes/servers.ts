import { z } from 'zod';
import type { CheckedServerRecord } from '../../../config/server-record.ts';
import { ToolwharfError } from '../../../kernel/errors.ts';
import { type Identity, mayAddPrograms } from '../../auth/identity.ts';
import { assertMayReach } from '../assert-may-reach.ts';
import { importServers } from '../import-servers.ts';
import { findServer, scopeFor } from '../lookup.ts';
import { type ApiPorts, route } from '../route.ts';
import {
  importedServersSchema,
  importInputSchema,
  serverInputSchema,
  serverListSchema,
  serverSchema,
  serverTestInputSchema,
  serverTestSchema,
  stderrSchema,
} from '../schemas/servers.ts';
import { readServerInput } from '../server-masks.ts';
import { toServerView } from '../server-view.ts';
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
    summary: 'Every server and how it is doing.',
    answer: serverListSchema,
    async handle(request, ports) {
      const scope = scopeFor(request, ports);
      const records = new Map((await ports.stored.list()).map((record) => [record.name, record]));
      const infos = ports.toolbox.servers().filter(({ name }) => scope.hasServer(name));
      return { servers: infos.map((info) => toServerView(info, records.get(info.name), request.identity, ports)) };
    },
  }),
  route({
    operationId: 'addServer',
    method: 'post',
    path: '/api/servers',
    right: 'admin',
    group,
    summary: 'Stores a server and connects it. It stays, and is tried again, when it can not be reached.',
    body: serverInputSchema,
    answer: serverSchema,
    status: 201,
    errors: ['CONFIG_INVALID', 'CONFLICT'],
    async handle(request, ports) {
      const server = readServerInput(request.body);
      assertMayRun(server, request.identity, ports);
      assertMayReach(server.url, ports);
      assertMayReach(server.openapi, ports);
      const { name } = await ports.stored.add(server);
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
      'Tries a server out without storing it: whether it can be reached, how fast, what it offers, what is wrong.',
    body: serverTestInputSchema,
    answer: serverTestSchema,
    errors: ['CONFIG_INVALID', 'NOT_FOUND'],
    async handle(request, ports) {
      const { server: name, ...input } = request.body;
      const stored = name === undefined ? undefined : await ports.stored.find(name);
      if (name !== undefined && !stored) throw new ToolwharfError('NOT_FOUND', `There is no stored server '${name}'`);
      const server = readServerInput(input, stored);
      assertMayRun(server, request.identity, ports);
      assertMayReach(server.url, ports);
      assertMayReach(server.openapi, ports);
      const { env, storage, allowsPrivateAddresses } = ports;
      return testConnection(server, { env, storage, signal: request.signal, allowsPrivateAddresses });
    },
  }),
  route({
    operationId: 'importServers',
    method: 'post',
    path: '/api/servers/import',
    right: 'admin',
    group,
    summary: 'Reads the servers out of a copied configuration of an MCP client. Nothing is stored.',
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
    summary: 'One server and how it is doing.',
    params,
    answer: serverSchema,
    errors: ['NOT_FOUND'],
    handle: (request, ports) => showServer(request.params.server, request, ports),
  }),
  route({
    operationId: 'updateServer',
    method: 'put',
    path: '/api/servers/{server}',
    right: 'admin',
    group,
    summary: 'Replaces a stored server and connects it anew. A masked secret keeps what is stored.',
    params,
    body: serverInputSchema,
    answer: serverSchema,
    errors: ['CONFIG_INVALID', 'CONFLICT', 'NOT_FOUND'],
    async handle(request, ports) {
      const { name } = await ports.stored.update(request.params.server, (stored) => {
        const server = readServerInput(request.body, stored);
        assertMayRun(server, request.identity, ports);
        assertMayReach(server.url, ports);
        assertMayReach(server.openapi, ports);
        return server;
      });
      return showServer(name, request, ports);
    },
  }),
  route({
    operationId: 'removeServer',
    method: 'delete',
    path: '/api/servers/{server}',
    right: 'admin',
    group,
    summary: 'Ends a stored server and forgets it.',
    params,
    errors: ['CONFLICT', 'NOT_FOUND'],
    handle: (request, ports) => ports.stored.remove(request.params.server),
  }),
  ...(['enable', 'disable'] as const).map((verb) =>
    route({
      operationId: `${verb}Server`,
      method: 'post',
      path: `/api/servers/{server}/${verb}`,
      right: 'admin',
      group,
      summary: verb === 'enable' ? 'Has a stored server used again.' : 'Keeps a stored server without using it.',
      params,
      answer: serverSchema,
      errors: ['CONFLICT', 'NOT_FOUND'],
      async handle(request, ports) {
        const enabled = verb === 'enable';
        const { name } = await ports.stored.update(request.params.server, (stored) => {
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
    summary: 'Connects a server, and keeps it connected. Answers when it is, or with why it is not.',
    params,
    answer: serverSchema,
    errors: ['CONFLICT', 'NOT_FOUND', 'OAUTH_REQUIRED', 'SERVER_UNREACHABLE'],
    async handle(request, ports) {
      const { name, enabled } = findServer(request.params.server, request, ports);
      if (!enabled) throw new ToolwharfError('CONFLICT', `Server '${name}' is disabled: enable it first`);
      await ports.toolbox.connect(name);
      return showServer(name, request, ports);
    },
  }),
  route({
    operationId: 'disconnectServer',
    method: 'post',
    path: '/api/servers/{server}/disconnect',
    right: 'admin',
    group,
    summary: 'Ends the connection and takes its tools away, until it is connected again or the gateway starts anew.',
    params,
    answer: serverSchema,
    errors: ['NOT_FOUND'],
    async handle(request, ports) {
      const { name } = findServer(request.params.server, request, ports);
      await ports.toolbox.disconnect(name);
      return showServer(name, request, ports);
    },
  }),
  route({
    operationId: 'refreshServer',
    method: 'post',
    path: '/api/servers/{server}/refresh',
    right: 'admin',
    group,
    summary: 'Asks a server for its tools again.',
    params,
    answer: serverSchema,
    errors: ['NOT_FOUND', 'SERVER_DISCONNECTED', 'SERVER_ERROR'],
    async handle(request, ports) {
      const { name } = findServer(request.params.server, request, ports);
      await ports.toolbox.discover(name);
      return showServer(name, request, ports);
    },
  }),
  route({
    operationId: 'getServerErrorOutput',
    method: 'get',
    path: '/api/servers/{server}/stderr',
    right: 'admin',
    group,
    summary: "The last lines of a program's error output, its secrets hidden.",
    params,
    answer: stderrSchema,
    errors: ['NOT_FOUND'],
    async handle(request, ports) {
      const { name } = findServer(request.params.server, request, ports);
      return { lines: ports.toolbox.stderr(name) };
    },
  }),
];

async function showServer(name: string, request: { readonly identity: Identity }, ports: ApiPorts) {
  const info = findServer(name, request, ports);
  return toServerView(info, await ports.stored.find(name), request.identity, ports);
}

/** A program runs with the gateway's own rights: the operator must have said so, and we must know who asks. */
function assertMayRun(server: CheckedServerRecord, identity: Identity, { allowsPrograms }: ApiPorts): void {
  if (server.transport !== 'stdio') return;
  if (!allowsPrograms()) {
    const message = 'Servers that are programs may not be added here: gateway.allowPrograms is off';
    throw new ToolwharfError('FORBIDDEN', message);
  }
  if (mayAddPrograms(identity)) return;
  const message = 'To add a program, prove who you are: send the admin token or the key of an administrator';
  throw new ToolwharfError('FORBIDDEN', message);
}
