import { ToolwharfError } from '../../../../contract/errors.ts';
import { serverContentRoutes as routes } from '../../../../contract/routes/server-content.ts';
import type { InternalReadOptions } from '../../../../toolwharf/invocation/read-content.ts';
import { createMayRead } from '../../../../toolwharf/policy/visible-tools.ts';
import type { ServerInfo } from '../../../../toolwharf/servers/server-info.ts';
import { assertActive } from '../../auth/admit-caller.ts';
import { hasRight } from '../../auth/identity.ts';
import { findServerWithContent, scopeFor } from '../access.ts';
import { type ApiPorts, type ApiRequest, implement } from '../route.ts';

type Requester = Pick<ApiRequest, 'identity' | 'signal' | 'results' | 'usage'>;

export const serverContentRoutes = [
  implement(routes.listResources, {
    access: findServerWithContent,
    async handle(request, ports) {
      const { name } = request.resource;
      const { toolbox } = ports;
      const { hasResource, hasSkill } = scopeFor(request, ports);
      const isVisible = (uri: string) => {
        if (hasRight(request.identity, 'tools.write') || !toolbox.skills.isOfSkill(name, uri))
          return hasResource(name, uri);
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
  implement(routes.readResource, {
    access: findServerWithContent,
    async handle(request, ports) {
      using _slot = request.usage.reserve('reads');
      return await ports.toolbox.resources.read(request.resource.name, request.query.uri, readOptions(request, ports));
    },
  }),
  implement(routes.listPrompts, {
    access: findServerWithContent,
    async handle(request, ports) {
      const { name } = request.resource;
      const { hasPrompt } = scopeFor(request, ports);
      const prompts = ports.toolbox.prompts.list(name).map(({ item }) => item);
      return { prompts: prompts.filter((item) => hasPrompt(name, String(item.name))) };
    },
  }),
  implement(routes.getPrompt, {
    access: findServerWithContent,
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
  implement(routes.complete, {
    access: findServerWithContent,
    async handle(request, ports) {
      const { resource: server, body } = request;
      if (body.ref.type === 'ref/prompt') assertHasPrompt(server, body.ref.name, request, ports);
      else if (!scopeFor(request, ports).hasResource(server.name, body.ref.uri))
        throw new ToolwharfError('NOT_FOUND', `Server '${server.name}' has no resource '${body.ref.uri}'`);
      using _slot = request.usage.reserve('reads');
      return await ports.toolbox.servers.complete(server.name, body, readOptions(request, ports));
    },
  }),
];

/** How content is read under the policy of the caller's profile. */
export function readOptions(request: Requester, ports: ApiPorts): InternalReadOptions {
  const { identity, signal, results, usage } = request;
  const policy = () => {
    const scope = scopeFor(request, ports);
    return { profile: scope.profile.name, approval: scope.profile.approval, mayRead: createMayRead(scope) };
  };
  return {
    caller: identity.caller,
    signal,
    host: { openReply: (subject: string) => results.openReply(subject) },
    policy: policy(),
    callerLimits: usage.calls,
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
