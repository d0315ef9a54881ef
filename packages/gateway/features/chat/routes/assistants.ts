import type { AssistantView } from '../../../../contract/api/assistants.ts';
import type { Assistant } from '../../../../contract/records/assistant.ts';
import { assistantRoutes as routes } from '../../../../contract/routes/assistants.ts';
import type { Stored } from '../../../../toolwharf/storage/ports/record-store.ts';
import { hasRight, type Identity, seesAll } from '../../../core/auth/identity.ts';
import { listChanged } from '../../../core/events/collect-events.ts';
import { changedMeanwhile, noRecord } from '../../../core/records/administer.ts';
import { scopeFor } from '../../../core/rest/access.ts';
import { withCurrent } from '../../../core/rest/revision-conflict.ts';
import { type ApiPorts, implement } from '../../../core/rest/route.ts';
import { chatPorts } from '../ports.ts';

export const assistantRoutes = [
  implement(routes.listAssistants, {
    async handle(request, ports) {
      const assistants = await ports.storage.assistants.list();
      const isVisible = await visibleServers(request.identity, ports);
      return { assistants: assistants.map((assistant) => toAssistantView(assistant, request.identity, isVisible)) };
    },
  }),
  implement(routes.previewAssistant, {
    async handle({ identity, body }, ports) {
      await ports.servers.waitForStart();
      // Callers see the tools that their own conversations with the assistant would have.
      return ports.of(chatPorts).assistantTools(body, seesAll(identity) ? undefined : (identity.profile ?? 'default'));
    },
  }),
  implement(routes.getAssistant, {
    async handle(request, ports) {
      const assistant = await ports.storage.assistants.get(request.params.assistant);
      if (!assistant) throw noRecord('assistant', request.params.assistant);
      return toAssistantView(assistant, request.identity, await visibleServers(request.identity, ports));
    },
  }),
  implement(routes.putAssistant, {
    async handle({ body: { revision, ...settings }, params: { assistant: id } }, { storage: { assistants }, events }) {
      const assistant: Assistant = { ...settings, id };
      const change = async () => {
        if (revision === undefined) return assistants.put(assistant);
        const stored = await assistants.replace(assistant, revision);
        if (!stored) throw changedMeanwhile('assistant', settings.name, (await assistants.get(id))?.revision);
        return stored;
      };
      const stored = await withCurrent(change, async () => (await assistants.get(id)) ?? {});
      events.publish(listChanged('assistants.changed'));
      return stored;
    },
  }),
  implement(routes.removeAssistant, {
    async handle(request, { storage, events }) {
      const { assistant } = request.params;
      if (!(await storage.assistants.remove(assistant))) throw noRecord('assistant', assistant);
      events.publish(listChanged('assistants.changed'));
    },
  }),
];

function toAssistantView(
  { instructions, disabledTools, trustedTools, serverIds, ...assistant }: Stored<Assistant>,
  identity: Identity,
  isVisible: (serverId: string) => boolean,
): AssistantView {
  if (hasRight(identity, 'assistants.write'))
    return { ...assistant, instructions, disabledTools, serverIds, trustedTools };
  return { ...assistant, serverIds: serverIds.filter(isVisible) };
}

/** Whether the caller may see a server, by id. The id of a stored server differs from its name. */
async function visibleServers(identity: Identity, ports: ApiPorts): Promise<(serverId: string) => boolean> {
  const scope = scopeFor({ identity }, ports);
  const names = new Map((await ports.servers.stored.list()).map(({ id, name }) => [id, name]));
  return (serverId) => scope.hasServer(names.get(serverId) ?? serverId);
}
