import { z } from 'zod';
import { ToolwharfError } from '../../../kernel/errors.ts';
import type { JsonObject } from '../../../kernel/json.ts';
import { findServer } from '../lookup.ts';
import { type ApiPorts, type ApiRequest, route } from '../route.ts';
import {
  completionInputSchema,
  promptArgumentsSchema,
  promptListSchema,
  resourceListSchema,
  serverAnswerSchema,
} from '../schemas/servers.ts';

const group = 'servers';
const params = z.object({ server: z.string() });
const failures = ['NOT_FOUND', 'SERVER_DISCONNECTED', 'SERVER_ERROR', 'CALL_TIMED_OUT'] as const;

export const serverContentRoutes = [
  route({
    operationId: 'listResources',
    method: 'get',
    path: '/api/servers/{server}/resources',
    right: 'read',
    group,
    summary: 'The resources and resource templates of a server, as it sent them.',
    params,
    answer: resourceListSchema,
    errors: ['NOT_FOUND'],
    async handle(request, ports) {
      const { name } = findServer(request.params.server, request, ports);
      const items = (offered: readonly { readonly item: JsonObject }[]) => offered.map(({ item }) => item);
      return {
        resources: items(ports.toolbox.resources(name)),
        resourceTemplates: items(ports.toolbox.resourceTemplates(name)),
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
    query: z.object({ uri: z.string().min(1) }),
    answer: serverAnswerSchema,
    errors: failures,
    async handle(request, ports) {
      const { name } = findServer(request.params.server, request, ports);
      return ports.toolbox.readResource(name, request.query.uri, { signal: request.signal });
    },
  }),
  route({
    operationId: 'listPrompts',
    method: 'get',
    path: '/api/servers/{server}/prompts',
    right: 'read',
    group,
    summary: 'The prompts of a server, as it sent them.',
    params,
    answer: promptListSchema,
    errors: ['NOT_FOUND'],
    async handle(request, ports) {
      const { name } = findServer(request.params.server, request, ports);
      return { prompts: ports.toolbox.prompts(name).map(({ item }) => item) };
    },
  }),
  route({
    operationId: 'getPrompt',
    method: 'post',
    path: '/api/servers/{server}/prompts/{prompt}',
    right: 'call',
    group,
    summary: 'Gets a prompt, filled in with arguments.',
    params: params.extend({ prompt: z.string() }),
    body: promptArgumentsSchema,
    answer: serverAnswerSchema,
    errors: failures,
    async handle(request, ports) {
      const { prompt } = request.params;
      const name = findPromptServer(prompt, request, ports);
      return ports.toolbox.getPrompt(name, prompt, request.body.arguments, { signal: request.signal });
    },
  }),
  route({
    operationId: 'complete',
    method: 'post',
    path: '/api/servers/{server}/completions',
    right: 'call',
    group,
    summary: 'Suggestions for an argument of a prompt or of a resource template.',
    params,
    body: completionInputSchema,
    answer: serverAnswerSchema,
    errors: failures,
    async handle(request, ports) {
      const { ref } = request.body;
      const { name } = findServer(request.params.server, request, ports);
      if (ref.type === 'ref/prompt') findPromptServer(ref.name, request, ports);
      return ports.toolbox.complete(name, request.body, { signal: request.signal });
    },
  }),
];

/** The server, if it offers that prompt: the configuration may leave some out. */
function findPromptServer(
  prompt: string,
  request: Pick<ApiRequest<{ readonly server: string }>, 'params' | 'identity'>,
  ports: ApiPorts,
): string {
  const { name } = findServer(request.params.server, request, ports);
  if (ports.toolbox.prompts(name).some(({ item }) => item.name === prompt)) return name;
  throw new ToolwharfError('NOT_FOUND', `Server '${name}' has no prompt '${prompt}'`);
}
