import { ToolwharfError } from '../../../../contract/errors.ts';
import type { ModelChoice } from '../../../../contract/records/assistant.ts';
import { conversationRoutes as routes } from '../../../../contract/routes/conversations.ts';
import { noConversation } from '../../../../toolwharf/storage/ports/conversation-store.ts';
import { hasRight, type Identity, personIds, seesAll } from '../../../core/auth/identity.ts';
import { findConversation, findOwnConversation } from '../../../core/rest/access.ts';
import { type ApiPorts, implement } from '../../../core/rest/route.ts';
import { answerWithinLimit, type ChatLimitPorts, createWithinLimit } from '../chat-limits.ts';
import { toExportedJson, toMarkdown } from '../export-conversation.ts';
import { chatPorts } from '../ports.ts';
import { readAppTexts } from '../read-app-texts.ts';
import { serveConversation } from '../serve-conversation.ts';

export const conversationRoutes = [
  implement(routes.listConversations, {
    async handle({ identity, query }, { of }) {
      const owner = hasRight(identity, 'conversations.manage') ? undefined : identity.caller.id;
      return { conversations: await of(chatPorts).conversations.list({ limit: query.limit, owner }) };
    },
  }),
  implement(routes.searchConversations, {
    async handle({ identity, query: { query, limit } }, { of }) {
      return of(chatPorts).conversations.search({ query, limit, owners: personIds(identity) });
    },
  }),
  implement(routes.createConversation, {
    async handle({ identity, body }, ports) {
      const { caller, profile = seesAll(identity) ? undefined : 'default' } = identity;
      await assertModelAllowed(body.model, identity, ports);
      return createWithinLimit(identity, limitPorts(ports), () =>
        ports.of(chatPorts).conversations.create({ ...body, owner: caller.id, profile }),
      );
    },
  }),
  implement(routes.getConversation, {
    access: findConversation,
    async handle({ resource: { id } }, { of }) {
      const content = await of(chatPorts).conversations.read(id);
      if (!content) throw noConversation(id);
      return content;
    },
  }),
  implement(routes.updateConversation, {
    access: findOwnConversation,
    async handle({ identity, resource: { id }, body }, ports) {
      await assertModelAllowed(body.model, identity, ports);
      return ports.of(chatPorts).conversations.update(id, body);
    },
  }),
  implement(routes.removeConversation, {
    access: findConversation,
    async handle({ resource: { id } }, { of }) {
      if (!(await of(chatPorts).conversations.remove(id))) throw noConversation(id);
    },
  }),
  implement(routes.sendMessage, {
    access: findOwnConversation,
    async handle({ identity, resource, body }, ports) {
      const { text, attachments = [] } = body;
      const apps = await readAppTexts(body.apps ?? [], { identity, conversation: resource }, ports);
      await ports.servers.waitForStart();
      return answerWithinLimit(identity, resource, limitPorts(ports), () =>
        ports.of(chatPorts).conversations.send(resource.id, text, attachments, apps),
      );
    },
  }),
  implement(routes.stopConversation, {
    access: findConversation,
    handle: ({ resource: { id } }, { of }) => of(chatPorts).conversations.stop(id),
  }),
  implement(routes.resumeConversation, {
    access: findOwnConversation,
    async handle({ identity, resource }, ports) {
      await ports.servers.waitForStart();
      return answerWithinLimit(identity, resource, limitPorts(ports), () =>
        ports.of(chatPorts).conversations.resume(resource.id),
      );
    },
  }),
  implement(routes.retryMessage, {
    access: findOwnConversation,
    async handle({ identity, resource, params: { message } }, ports) {
      await ports.servers.waitForStart();
      return answerWithinLimit(identity, resource, limitPorts(ports), () =>
        ports.of(chatPorts).conversations.retry(resource.id, message),
      );
    },
  }),
  implement(routes.editMessage, {
    access: findOwnConversation,
    async handle({ identity, resource, params: { message }, body }, ports) {
      await ports.servers.waitForStart();
      return answerWithinLimit(identity, resource, limitPorts(ports), () =>
        ports.of(chatPorts).conversations.edit(resource.id, message, body.text),
      );
    },
  }),
  implement(routes.selectMessage, {
    access: findOwnConversation,
    handle: ({ resource: { id }, params: { message } }, { of }) => of(chatPorts).conversations.select(id, message),
  }),
  implement(routes.getAttachment, {
    access: findConversation,
    async handle({ resource: { id }, params: { attachment } }, { of }) {
      const found = await of(chatPorts).conversations.readAttachment(id, attachment);
      if (found) return found;
      throw new ToolwharfError('NOT_FOUND', `There is no attachment '${attachment}' in this conversation`);
    },
  }),
  implement(routes.exportConversation, {
    access: findConversation,
    async handle({ resource: { id, title }, query: { format } }, { of }) {
      const isMarkdown = format === 'markdown';
      const content = await (isMarkdown
        ? of(chatPorts).conversations.read(id)
        : of(chatPorts).conversations.readBranches(id));
      if (!content) throw noConversation(id);
      const { conversation, messages } = content;
      const name =
        title
          .normalize('NFKD')
          .replaceAll(/[^\w]+/g, '-')
          .slice(0, 60) || 'conversation';
      return isMarkdown
        ? { mediaType: 'text/markdown', fileName: `${name}.md`, text: toMarkdown(conversation, messages) }
        : { mediaType: 'application/json', fileName: `${name}.json`, text: toExportedJson(conversation, messages) };
    },
  }),
  implement(routes.watchConversation, {
    access: findConversation,
    async handle({ outgoing, usage, resource: { id } }, { of, stopping }) {
      await serveConversation(outgoing, id, { chat: of(chatPorts).conversations, stopping, usage });
    },
  }),
];

/** Models cost money: who is no administrator chooses among those that administrators gave to assistants. */
async function assertModelAllowed(
  model: ModelChoice | null | undefined,
  identity: Identity,
  { storage }: Pick<ApiPorts, 'storage'>,
): Promise<void> {
  if (!model || hasRight(identity, 'providers.write')) return;
  const isUsed = (await storage.assistants.list()).some(
    (assistant) => assistant.model.provider === model.provider && assistant.model.model === model.model,
  );
  if (isUsed) return;
  throw new ToolwharfError(
    'FORBIDDEN',
    `No assistant has the model '${model.model}': choose the model of an assistant`,
  );
}

function limitPorts({ of, toolbox }: Pick<ApiPorts, 'of' | 'toolbox'>): ChatLimitPorts {
  return { conversations: of(chatPorts).conversations, limits: toolbox.config.gateway.limits };
}
