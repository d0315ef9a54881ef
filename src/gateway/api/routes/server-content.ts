import { z } from 'zod';
import type { InternalReadOptions } from '../../../invocation/read-content.ts';
import { ToolwharfError } from '../../../kernel/errors.ts';
import { createMayRead } from '../../../policy/visible-tools.ts';
import type { ServerInfo } from '../../../servers/server-info.ts';
import { assertActive } from '../../auth/admit-caller.ts';
import { findServer, scopeFor } from '../access.ts';
import { type ApiPorts, type ApiRequest, route } from '../route.ts';
import {
  completionInputSchema,
  promptArgumentsSchema,
  promptListSchema,
  resourceListSchema,
  serverAnswerSchema,
} from '../schemas/servers.ts';

type Requester = Pick<ApiRequest, 'identity' | 'signal' | 'results'>;

const group = 'servers';
const params = z.object({ server: z.string() });
const errors = [
  'NOT_FOUND',
  'CALL_DENIED',
  'CALL_CANCELLED',
  'SERVER_DISCONNECTED',
  'SERVER_ERROR',
  'CALL_TIMED_OUT',
  'RESULT_DISCARDED',
] as const;

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
    async handle(request, ports) {
      const { name } = request.resource;
      const { toolbox } = ports;
      const { hasResource, hasSkill } = scopeFor(request, ports);
      const isVisible = (uri: string) => {
        if (request.identity.isAdmin || !toolbox.skills.isOfSkill(name, uri)) return hasResource(name, uri);
        const skill = toolbox.skills.skillOf(name, uri);
        return skill !== undefined && skill.changed !== 'quarantine' && hasSkill(name, skill.path);
      };
      const resources = toolbox.resources.list(name).map(({ item }) => item);
      const resourceTemplates = toolbox.resources.listTemplates(name).map(({ item }) => item);
      return {
        resources: resources.filter(({ uri }) => isVisible(String(uri))),
        resourceTemplates: resourceTemplates.filter(({ uriTemplate }) => hasResource(name, String(uriTemplate))),
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
    async handle(request, ports) {
      using _slot = request.usage.reserve('reads');
      return await ports.toolbox.resources.read(request.resource.name, request.query.uri, readOptions(request, ports));
    },
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
    async handle(request, ports) {
      const { name } = request.resource;
      const { hasPrompt } = scopeFor(request, ports);
      const prompts = ports.toolbox.prompts.list(name).map(({ item }) => item);
      return { prompts: prompts.filter((item) => hasPrompt(name, String(item.name))) };
    },
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
    async handle(request, ports) {
      const {
        resource: server,
        params: { prompt: name },
        body,
      } = request;
      assertHasPrompt(server, name, request, ports);
      using _slot = request.usage.reserve('reads');
      return await ports.toolbox.prompts.get(server.name, name, body.arguments, readOptions(request, ports));
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
    async handle(request, ports) {
      const { resource: server, body, signal, results } = request;
      if (body.ref.type === 'ref/prompt') assertHasPrompt(server, body.ref.name, request, ports);
      else if (!scopeFor(request, ports).hasResource(server.name, body.ref.uri))
        throw new ToolwharfError('NOT_FOUND', `Server '${server.name}' has no resource '${body.ref.uri}'`);
      using _slot = request.usage.reserve('reads');
      return await ports.toolbox.servers.complete(server.name, body, {
        signal,
        host: { capabilities: {}, openReply: (subject: string) => results.openReply(subject) },
      });
    },
  }),
];

/** How content is read under the policy of the caller's profile. */
export function readOptions(request: Requester, ports: ApiPorts): InternalReadOptions {
  const { identity, signal, results } = request;
  const policy = () => {
    const scope = scopeFor(request, ports);
    return { approval: scope.profile.approval, mayRead: createMayRead(scope) };
  };
  return {
    caller: identity.caller,
    signal,
    host: { openReply: (subject: string) => results.openReply(subject) },
    policy: policy(),
    async refreshPolicy() {
      await assertActive(identity, ports.storage);
      return policy();
    },
  };
}

/** The configuration and the profile may hide some of a server's prompts. */
function assertHasPrompt({ name }: ServerInfo, prompt: string, request: Requester, ports: ApiPorts): void {
  const isListed = ports.toolbox.prompts.list(name).some(({ item }) => item.name === prompt);
  if (isListed && scopeFor(request, ports).hasPrompt(name, prompt)) return;
  throw new ToolwharfError('NOT_FOUND', `Server '${name}' has no prompt '${prompt}'`);
}
