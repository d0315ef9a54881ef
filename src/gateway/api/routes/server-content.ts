import { z } from 'zod';
import { ToolwharfError } from '../../../kernel/errors.ts';
import type { JsonObject } from '../../../kernel/json.ts';
import type { ServerInfo } from '../../../servers/server-info.ts';
import { findServer } from '../access.ts';
import { type ApiPorts, route } from '../route.ts';
import {
  completionInputSchema,
  promptArgumentsSchema,
  promptListSchema,
  resourceListSchema,
  serverAnswerSchema,
} from '../schemas/servers.ts';

const group = 'servers';
const params = z.object({ server: z.string() });
const errors = ['NOT_FOUND', 'SERVER_DISCONNECTED', 'SERVER_ERROR', 'CALL_TIMED_OUT'] as const;

export const serverContentRoutes = [
  route({
    operationId: 'listResources',
    method: 'get',
    path: '/api/servers/{server}/resources',
    right: 'read',
    group,
    summary: 'Lists the resources and resource templates of a server, exactly as the server sent them.',
    params,
    answer: resourceListSchema,
    errors: ['NOT_FOUND'],
    access: findServer,
    async handle({ resource: { name } }, { toolbox }) {
      const items = (offered: readonly { readonly item: JsonObject }[]) => offered.map(({ item }) => item);
      return {
        resources: items(toolbox.resources.list(name)),
        resourceTemplates: items(toolbox.resources.listTemplates(name)),
      };
    },
  }),
  route({
    operationId: 'readResource',
    method: 'get',
    path: '/api/servers/{server}/resources/read',
    right: 'call',
    group,
    summary: 'Reads a resource of a server.',
    params,
    query: z.object({ uri: z.string().min(1).describe('URI of the resource.') }),
    answer: serverAnswerSchema,
    errors,
    access: findServer,
    handle: ({ resource: { name }, query, signal }, { toolbox }) => toolbox.resources.read(name, query.uri, { signal }),
  }),
  route({
    operationId: 'listPrompts',
    method: 'get',
    path: '/api/servers/{server}/prompts',
    right: 'read',
    group,
    summary: 'Lists the prompts of a server, exactly as the server sent them.',
    params,
    answer: promptListSchema,
    errors: ['NOT_FOUND'],
    access: findServer,
    handle: async ({ resource: { name } }, { toolbox }) => ({
      prompts: toolbox.prompts.list(name).map(({ item }) => item),
    }),
  }),
  route({
    operationId: 'getPrompt',
    method: 'post',
    path: '/api/servers/{server}/prompts/{prompt}',
    right: 'call',
    group,
    summary: 'Renders a prompt with arguments.',
    params: params.extend({ prompt: z.string() }),
    body: promptArgumentsSchema,
    answer: serverAnswerSchema,
    errors,
    access: findServer,
    async handle({ resource: server, params: { prompt }, body, signal }, ports) {
      assertHasPrompt(server, prompt, ports);
      return ports.toolbox.prompts.get(server.name, prompt, body.arguments, { signal });
    },
  }),
  route({
    operationId: 'complete',
    method: 'post',
    path: '/api/servers/{server}/completions',
    right: 'call',
    group,
    summary: 'Suggests values for an argument of a prompt or a resource template.',
    params,
    body: completionInputSchema,
    answer: serverAnswerSchema,
    errors,
    access: findServer,
    async handle({ resource: server, body, signal }, ports) {
      if (body.ref.type === 'ref/prompt') assertHasPrompt(server, body.ref.name, ports);
      return ports.toolbox.servers.complete(server.name, body, { signal });
    },
  }),
];

/** The configuration may hide some of a server's prompts. */
function assertHasPrompt({ name }: ServerInfo, prompt: string, { toolbox }: ApiPorts): void {
  if (toolbox.prompts.list(name).some(({ item }) => item.name === prompt)) return;
  throw new ToolwharfError('NOT_FOUND', `Server '${name}' has no prompt '${prompt}'`);
}
