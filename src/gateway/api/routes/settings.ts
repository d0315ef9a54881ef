import { z } from 'zod';
import { ToolwharfError } from '../../../kernel/errors.ts';
import { version } from '../../../kernel/version.ts';
import { endpointPath } from '../../clients/mcp-clients.ts';
import { toConfigView } from '../config-view.ts';
import { describeClients } from '../describe-clients.ts';
import { scopeFor } from '../lookup.ts';
import { listApprovals } from '../own-approvals.ts';
import { route } from '../route.ts';
import { clientListSchema, configSchema, healthSchema, profileListSchema } from '../schemas/settings.ts';

export const settingsRoutes = [
  route({
    operationId: 'listProfiles',
    method: 'get',
    path: '/api/profiles',
    right: 'read',
    group: 'settings',
    summary: 'The profiles that whoever asks may use.',
    answer: profileListSchema,
    async handle({ identity }, { toolbox }) {
      const { profile: only, isAdmin } = identity;
      const profiles = toolbox.config.profiles.filter(({ name }) => only === undefined || name === only);
      return {
        profiles: profiles.map(({ name, naming, servers, allow, deny, approval }) => ({
          name,
          path: endpointPath(name),
          naming,
          mode: approval.mode,
          ...(isAdmin && { ...(servers && { servers }), ...(allow && { allow }), ...(deny && { deny }), approval }),
        })),
      };
    },
  }),
  route({
    operationId: 'listClients',
    method: 'get',
    path: '/api/clients',
    right: 'read',
    group: 'settings',
    summary: 'How each known MCP client is told of this gateway.',
    query: z.object({ profile: z.string().default('default').describe('Whose endpoint it shall use.') }),
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
    summary: 'The configuration in use, without its secrets: which file, what it says, what is odd about it.',
    answer: configSchema,
    handle: async (_request, ports) => toConfigView(ports),
  }),
  route({
    operationId: 'getHealth',
    method: 'get',
    path: '/api/health',
    right: 'read',
    group: 'settings',
    summary: 'How the gateway and its servers are doing.',
    answer: healthSchema,
    async handle(request, ports) {
      const { toolbox, mcp, stopping, startedAt } = ports;
      const scope = scopeFor(request, ports);
      const servers = toolbox.servers().filter(({ name }) => scope.hasServer(name));
      const inState = (state: string) => servers.filter(({ status }) => status.state === state).length;
      const isWell = servers.every(({ enabled, status }) => !enabled || status.state === 'connected');
      const { running, queued } = toolbox.stats();
      const pending = await listApprovals({ status: 'pending', limit: 1_000 }, request.identity, ports);
      return {
        status: stopping.aborted ? ('stopping' as const) : isWell ? ('ok' as const) : ('degraded' as const),
        version,
        startedAt,
        servers: {
          total: servers.length,
          connected: inState('connected'),
          degraded: inState('degraded'),
          connecting: inState('connecting'),
          error: inState('error'),
          disconnected: inState('disconnected'),
        },
        calls: { running, queued },
        sessions: mcp.open.sessions,
        pendingApprovals: pending.length,
      };
    },
  }),
];
