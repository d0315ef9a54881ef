import { z } from 'zod';
import { ToolwharfError } from '../../../kernel/errors.ts';
import type { Assistant } from '../../../storage/ports/assistant-store.ts';
import type { Identity } from '../../auth/identity.ts';
import { listChanged } from '../../events/collect-events.ts';
import { scopeFor } from '../access.ts';
import { type ApiPorts, route } from '../route.ts';
import {
  type AssistantView,
  assistantInputSchema,
  assistantListSchema,
  assistantPreviewSchema,
  assistantViewSchema,
} from '../schemas/assistants.ts';

const group = 'assistants';
const params = z.object({ assistant: z.uuid() });

export const assistantRoutes = [
  route({
    operationId: 'listAssistants',
    method: 'get',
    path: '/api/assistants',
    right: 'read',
    group,
    summary: 'Lists every assistant with its model and tool settings.',
    answer: assistantListSchema,
    async handle(request, ports) {
      const assistants = await ports.storage.assistants.list();
      const isVisible = await visibleServers(request.identity, ports);
      return { assistants: assistants.map((assistant) => toAssistantView(assistant, request.identity, isVisible)) };
    },
  }),
  route({
    operationId: 'previewAssistant',
    method: 'post',
    path: '/api/assistants/preview',
    right: 'read',
    group,
    summary:
      'Returns the tools that an assistant with these settings would have, and their token cost. Nothing is stored.',
    body: assistantInputSchema,
    answer: assistantPreviewSchema,
    async handle({ identity, body }, ports) {
      await ports.servers.waitForStart();
      // Callers see the tools that their own conversations with the assistant would have.
      return ports.chat.assistantTools(body, identity.isAdmin ? undefined : (identity.profile ?? 'default'));
    },
  }),
  route({
    operationId: 'getAssistant',
    method: 'get',
    path: '/api/assistants/{assistant}',
    right: 'read',
    group,
    summary: 'Returns one assistant with its model and tool settings.',
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
    group,
    summary: 'Creates or replaces an assistant.',
    params,
    body: assistantInputSchema,
    answer: assistantViewSchema,
    async handle(request, { storage, events }) {
      const assistant: Assistant = { ...request.body, id: request.params.assistant };
      await storage.assistants.put(assistant);
      events.publish(listChanged('assistants.changed'));
      return assistant;
    },
  }),
  route({
    operationId: 'removeAssistant',
    method: 'delete',
    path: '/api/assistants/{assistant}',
    right: 'admin',
    group,
    summary: 'Deletes an assistant.',
    params,
    errors: ['NOT_FOUND'],
    async handle(request, { storage, events }) {
      const { assistant } = request.params;
      if (!(await storage.assistants.remove(assistant))) throw noAssistant(assistant);
      events.publish(listChanged('assistants.changed'));
    },
  }),
];

function toAssistantView(
  { instructions, disabledTools, trustedTools, serverIds, ...assistant }: Assistant,
  { isAdmin }: Identity,
  isVisible: (serverId: string) => boolean,
): AssistantView {
  if (isAdmin) return { ...assistant, instructions, disabledTools, serverIds, trustedTools };
  return { ...assistant, serverIds: serverIds.filter(isVisible) };
}

/** Whether the caller may see a server, by id. The id of a stored server differs from its name. */
async function visibleServers(identity: Identity, ports: ApiPorts): Promise<(serverId: string) => boolean> {
  const scope = scopeFor({ identity }, ports);
  const names = new Map((await ports.servers.stored.list()).map(({ id, name }) => [id, name]));
  return (serverId) => scope.hasServer(names.get(serverId) ?? serverId);
}

function noAssistant(id: string): ToolwharfError {
  return new ToolwharfError('NOT_FOUND', `There is no assistant '${id}'`);
}
