import { z } from 'zod';
import { ToolwharfError } from '../../../kernel/errors.ts';
import { version } from '../../../kernel/version.ts';
import type { Assistant } from '../../../storage/ports/assistant-store.ts';
import type { Identity } from '../../auth/identity.ts';
import { toConfigView } from '../config-view.ts';
import { scopeFor } from '../lookup.ts';
import { type ApiPorts, route } from '../route.ts';
import {
  assistantInputSchema,
  assistantListSchema,
  assistantViewSchema,
  configSchema,
  healthSchema,
  profileListSchema,
} from '../schemas/settings.ts';

const params = z.object({ assistant: z.uuid() });

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
          path: name === 'default' ? '/mcp' : `/mcp/${encodeURIComponent(name)}`,
          naming,
          mode: approval.mode,
          ...(isAdmin && { ...(servers && { servers }), ...(allow && { allow }), ...(deny && { deny }), approval }),
        })),
      };
    },
  }),
  route({
    operationId: 'listAssistants',
    method: 'get',
    path: '/api/assistants',
    right: 'read',
    group: 'assistants',
    summary: 'Every assistant with its tool settings.',
    answer: assistantListSchema,
    async handle(request, ports) {
      const assistants = await ports.storage.assistants.list();
      const isVisible = await visibleServers(request.identity, ports);
      return { assistants: assistants.map((assistant) => toAssistantView(assistant, request.identity, isVisible)) };
    },
  }),
  route({
    operationId: 'getAssistant',
    method: 'get',
    path: '/api/assistants/{assistant}',
    right: 'read',
    group: 'assistants',
    summary: 'One assistant with its tool settings.',
    params,
    answer: assistantViewSchema,
    errors: ['NOT_FOUND'],
    async handle(request, ports) {
      const assistant = await ports.storage.assistants.get(request.params.assistant);
      if (!assistant) throw noAssistant(request.params.assistant);
      return toAssistantView(assistant, request.identity, await visibleServers(request.identity, ports));
    },
  }),
  route({
    operationId: 'putAssistant',
    method: 'put',
    path: '/api/assistants/{assistant}',
    right: 'admin',
    group: 'assistants',
    summary: 'Adds an assistant, or replaces the one of that id.',
    params,
    body: assistantInputSchema,
    answer: assistantViewSchema,
    async handle(request, { storage }) {
      const assistant: Assistant = { ...request.body, id: request.params.assistant };
      await storage.assistants.put(assistant);
      return assistant;
    },
  }),
  route({
    operationId: 'removeAssistant',
    method: 'delete',
    path: '/api/assistants/{assistant}',
    right: 'admin',
    group: 'assistants',
    summary: 'Forgets an assistant.',
    params,
    errors: ['NOT_FOUND'],
    async handle(request, { storage }) {
      const { assistant } = request.params;
      if (!(await storage.assistants.remove(assistant))) throw noAssistant(assistant);
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
      const { toolbox, storage, mcp, stopping, startedAt } = ports;
      const { isAdmin, caller } = request.identity;
      const scope = scopeFor(request, ports);
      const servers = toolbox.servers().filter(({ name }) => scope.hasServer(name));
      const inState = (state: string) => servers.filter(({ status }) => status.state === state).length;
      const isWell = servers.every(({ enabled, status }) => !enabled || status.state === 'connected');
      const { running, queued } = toolbox.stats();
      await storage.approvals.expire(Date.now());
      const filter = { status: 'pending', limit: 1_000, ...(!isAdmin && { caller: caller.id }) } as const;
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
        pendingApprovals: (await storage.approvals.list(filter)).length,
      };
    },
  }),
];

function toAssistantView(
  { trustedTools, settings, serverIds, ...assistant }: Assistant,
  { isAdmin }: Identity,
  isVisible: (serverId: string) => boolean,
) {
  if (isAdmin) return { ...assistant, serverIds, trustedTools, settings };
  return { ...assistant, serverIds: serverIds.filter(isVisible) };
}

/** Which servers someone sees, by id: of a stored server that is another word than its name. */
async function visibleServers(identity: Identity, ports: ApiPorts): Promise<(serverId: string) => boolean> {
  const scope = scopeFor({ identity }, ports);
  const names = new Map((await ports.stored.list()).map(({ id, name }) => [id, name]));
  return (serverId) => scope.hasServer(names.get(serverId) ?? serverId);
}

function noAssistant(id: string): ToolwharfError {
  return new ToolwharfError('NOT_FOUND', `There is no assistant '${id}'`);
}
