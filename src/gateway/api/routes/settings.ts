import { z } from 'zod';
import { ToolwharfError } from '../../../kernel/errors.ts';
import { version } from '../../../kernel/version.ts';
import { listApprovals, scopeFor } from '../access.ts';
import { toConfigView } from '../config-view.ts';
import { describeClients } from '../describe-clients.ts';
import { route } from '../route.ts';
import { clientListSchema, configSchema, documentSchema, healthSchema } from '../schemas/settings.ts';

export const settingsRoutes = [
  route({
    operationId: 'listClients',
    method: 'get',
    path: '/api/clients',
    right: 'read',
    group: 'settings',
    summary: 'Returns the configuration snippet of each known MCP client for this gateway.',
    query: z.object({
      profile: z.string().default('default').describe('The profile whose endpoint the client should use.'),
    }),
    answer: clientListSchema,
    errors: ['NOT_FOUND'],
    async handle(request, ports) {
      const { profile } = request.query;
      const { identity } = request;
      const isOpen = identity.profile === undefined || identity.profile === profile;
      if (!isOpen || !ports.toolbox.config.profiles.some(({ name }) => name === profile))
        throw new ToolwharfError('NOT_FOUND', `There is no profile '${profile}'`);
      return { clients: describeClients(profile, request, ports) };
    },
  }),
  route({
    operationId: 'getConfig',
    method: 'get',
    path: '/api/config',
    right: 'admin',
    group: 'settings',
    summary: 'Returns the configuration in use and its warnings, without secrets.',
    answer: configSchema,
    handle: async ({ incoming }, ports) => toConfigView(ports, incoming.socket.localPort),
  }),
  route({
    operationId: 'getHealth',
    method: 'get',
    path: '/api/health',
    right: 'read',
    group: 'settings',
    summary: 'Returns the health of the gateway and its servers.',
    answer: healthSchema,
    async handle(request, ports) {
      const { toolbox, stopping, gateway } = ports;
      const scope = scopeFor(request, ports);
      const servers = toolbox.servers.list().filter(({ name }) => scope.hasServer(name));
      const inState = (state: string) => servers.filter(({ status }) => status.state === state).length;
      const isHealthy = servers.every(({ enabled, status }) => !enabled || status.state === 'connected');
      const { running, queued } = toolbox.calls.stats();
      const pending = request.identity.isAdmin
        ? await ports.storage.approvals.countPending(Date.now())
        : (await listApprovals({ status: 'pending', limit: 1_000 }, request.identity, ports)).length;
      return {
        status: stopping.aborted ? ('stopping' as const) : isHealthy ? ('ok' as const) : ('degraded' as const),
        version,
        startedAt: gateway.startedAt,
        servers: {
          total: servers.length,
          connected: inState('connected'),
          degraded: inState('degraded'),
          connecting: inState('connecting'),
          error: inState('error'),
          disconnected: inState('disconnected'),
        },
        calls: { running, queued },
        sessions: gateway.mcp.open.sessions,
        pendingApprovals: pending,
      };
    },
  }),
  route({
    operationId: 'getOpenApiDocument',
    method: 'get',
    path: '/api/openapi.json',
    right: 'read',
    group: 'settings',
    summary: 'Returns the OpenAPI 3.1 document of this API.',
    answer: documentSchema,
    handle: async (_request, { gateway }) => gateway.openApi(),
  }),
];
