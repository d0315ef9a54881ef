import { z } from 'zod';
import { toExportedJson, toMarkdown } from '../../../chat/export-conversation.ts';
import { ToolwharfError } from '../../../kernel/errors.ts';
import { noConversation } from '../../../storage/ports/conversation-store.ts';
import { readAppTexts } from '../../apps/read-app-texts.ts';
import { personIds } from '../../auth/identity.ts';
import { answerWithinLimit, type ChatLimitPorts, createWithinLimit } from '../../chat/chat-limits.ts';
import { serveConversation } from '../../chat/serve-conversation.ts';
import { findConversation, findOwnConversation } from '../access.ts';
import { type ApiPorts, route } from '../route.ts';
import {
  attachmentSchema,
  chatEventSchemas,
  conversationChangeSchema,
  conversationContentSchema,
  conversationInputSchema,
  conversationListSchema,
  conversationMatchListSchema,
  conversationViewSchema,
  messageEditSchema,
  messageInputSchema,
  messageViewSchema,
} from '../schemas/chat.ts';

const group = 'chat';
const right = 'call';
const params = z.object({ conversation: z.uuid() });
const messageParams = params.extend({ message: z.uuid() });

export const conversationRoutes = [
  route({
    operationId: 'listConversations',
    method: 'get',
    path: '/api/conversations',
    right,
    group,
    summary: 'Lists conversations, most recently changed first. Only administrators see those of others.',
    query: z.object({ limit: z.coerce.number().int().min(1).max(1_000).default(100) }),
    answer: conversationListSchema,
    async handle({ identity, query }, { chat }) {
      const owner = identity.isAdmin ? undefined : identity.caller.id;
      return { conversations: await chat.conversations.list({ limit: query.limit, owner }) };
    },
  }),
  route({
    operationId: 'searchConversations',
    method: 'get',
    path: '/api/conversations/search',
    right,
    group,
    summary:
      'Searches the titles and messages of your own conversations. Words with a typo are found if nothing else is.',
    query: z.object({
      query: z.string().trim().min(1).max(200).describe('Words that must all occur.'),
      limit: z.coerce.number().int().min(1).max(50).default(20),
    }),
    answer: conversationMatchListSchema,
    async handle({ identity, query: { query, limit } }, { chat }) {
      return { matches: await chat.conversations.search({ query, limit, owners: personIds(identity) }) };
    },
  }),
  route({
    operationId: 'createConversation',
    method: 'post',
    path: '/api/conversations',
    right,
    group,
    summary: 'Creates a conversation with an assistant.',
    body: conversationInputSchema,
    answer: conversationViewSchema,
    status: 201,
    errors: ['LIMIT_REACHED', 'NOT_FOUND'],
    async handle({ identity, body }, ports) {
      const { caller, isAdmin, profile = isAdmin ? undefined : 'default' } = identity;
      return createWithinLimit(identity, limitPorts(ports), () =>
        ports.chat.conversations.create({ ...body, owner: caller.id, profile }),
      );
    },
  }),
  route({
    operationId: 'getConversation',
    method: 'get',
    path: '/api/conversations/{conversation}',
    right,
    group,
    summary: 'Returns a conversation with the messages of its selected branch.',
    params,
    answer: conversationContentSchema,
    errors: ['NOT_FOUND'],
    access: findConversation,
    async handle({ resource: { id } }, { chat }) {
      const content = await chat.conversations.read(id);
      if (!content) throw noConversation(id);
      return content;
    },
  }),
  route({
    operationId: 'updateConversation',
    method: 'put',
    path: '/api/conversations/{conversation}',
    right,
    group,
    summary: 'Changes the title or the assistant of a conversation.',
    params,
    body: conversationChangeSchema,
    answer: conversationViewSchema,
    errors: ['CONFLICT', 'NOT_FOUND'],
    access: findOwnConversation,
    handle: ({ resource: { id }, body }, { chat }) => chat.conversations.update(id, body),
  }),
  route({
    operationId: 'removeConversation',
    method: 'delete',
    path: '/api/conversations/{conversation}',
    right,
    group,
    summary: 'Stops the running answer and deletes the conversation.',
    params,
    errors: ['NOT_FOUND'],
    access: findConversation,
    async handle({ resource: { id } }, { chat }) {
      if (!(await chat.conversations.remove(id))) throw noConversation(id);
    },
  }),
  route({
    operationId: 'sendMessage',
    method: 'post',
    path: '/api/conversations/{conversation}/messages',
    right,
    group,
    summary:
      'Sends a message and responds with the answer as it starts. A running answer is stopped first and its pending approvals are denied.',
    params,
    body: messageInputSchema,
    answer: messageViewSchema,
    errors: ['CONFLICT', 'LIMIT_REACHED', 'NOT_FOUND'],
    access: findOwnConversation,
    async handle({ identity, resource, body }, ports) {
      const { text, attachments = [] } = body;
      const apps = await readAppTexts(body.apps ?? [], { identity, conversation: resource }, ports);
      await ports.servers.waitForStart();
      return answerWithinLimit(identity, resource, limitPorts(ports), () =>
        ports.chat.conversations.send(resource.id, text, attachments, apps),
      );
    },
  }),
  route({
    operationId: 'stopConversation',
    method: 'post',
    path: '/api/conversations/{conversation}/stop',
    right,
    group,
    summary: 'Stops the running answer. Responds when it has stopped.',
    params,
    errors: ['NOT_FOUND'],
    access: findConversation,
    handle: ({ resource: { id } }, { chat }) => chat.conversations.stop(id),
  }),
  route({
    operationId: 'resumeConversation',
    method: 'post',
    path: '/api/conversations/{conversation}/resume',
    right,
    group,
    summary: 'Continues an answer that was stopped, was interrupted, reached a limit or failed.',
    params,
    answer: messageViewSchema,
    errors: ['CONFLICT', 'LIMIT_REACHED', 'NOT_FOUND'],
    access: findOwnConversation,
    async handle({ identity, resource }, ports) {
      await ports.servers.waitForStart();
      return answerWithinLimit(identity, resource, limitPorts(ports), () =>
        ports.chat.conversations.resume(resource.id),
      );
    },
  }),
  route({
    operationId: 'retryMessage',
    method: 'post',
    path: '/api/conversations/{conversation}/messages/{message}/retry',
    right,
    group,
    summary:
      'Generates another version of an answer. The earlier version and the messages after it are kept in their branch.',
    params: messageParams,
    answer: messageViewSchema,
    errors: ['CONFLICT', 'LIMIT_REACHED', 'NOT_FOUND'],
    access: findOwnConversation,
    async handle({ identity, resource, params: { message } }, ports) {
      await ports.servers.waitForStart();
      return answerWithinLimit(identity, resource, limitPorts(ports), () =>
        ports.chat.conversations.retry(resource.id, message),
      );
    },
  }),
  route({
    operationId: 'editMessage',
    method: 'post',
    path: '/api/conversations/{conversation}/messages/{message}/edit',
    right,
    group,
    summary:
      "Answers another version of a user's message, with the same attachments. The earlier version and the messages after it are kept in their branch.",
    params: messageParams,
    body: messageEditSchema,
    answer: messageViewSchema,
    errors: ['CONFLICT', 'LIMIT_REACHED', 'NOT_FOUND'],
    access: findOwnConversation,
    async handle({ identity, resource, params: { message }, body }, ports) {
      await ports.servers.waitForStart();
      return answerWithinLimit(identity, resource, limitPorts(ports), () =>
        ports.chat.conversations.edit(resource.id, message, body.text),
      );
    },
  }),
  route({
    operationId: 'selectMessage',
    method: 'post',
    path: '/api/conversations/{conversation}/messages/{message}/select',
    right,
    group,
    summary: 'Selects the branch of a version of a message. The next message continues this branch.',
    params: messageParams,
    errors: ['CONFLICT', 'NOT_FOUND'],
    access: findOwnConversation,
    handle: ({ resource: { id }, params: { message } }, { chat }) => chat.conversations.select(id, message),
  }),
  route({
    operationId: 'getAttachment',
    method: 'get',
    path: '/api/conversations/{conversation}/attachments/{attachment}',
    right,
    group,
    summary: 'Returns the content of a file that was sent with a message.',
    params: params.extend({ attachment: z.uuid() }),
    answer: attachmentSchema,
    errors: ['NOT_FOUND'],
    access: findConversation,
    async handle({ resource: { id }, params: { attachment } }, { chat }) {
      const found = await chat.conversations.readAttachment(id, attachment);
      if (found) return found;
      throw new ToolwharfError('NOT_FOUND', `There is no attachment '${attachment}' in this conversation`);
    },
  }),
  route({
    operationId: 'exportConversation',
    method: 'get',
    path: '/api/conversations/{conversation}/export',
    right,
    group,
    summary: 'Exports a conversation with its tool calls: the selected branch as Markdown, or all branches as JSON.',
    params,
    query: z.object({ format: z.enum(['markdown', 'json']).default('markdown') }),
    files: ['text/markdown', 'application/json'],
    errors: ['NOT_FOUND'],
    access: findConversation,
    async handle({ resource: { id, title }, query: { format } }, { chat }) {
      const isMarkdown = format === 'markdown';
      const content = await (isMarkdown ? chat.conversations.read(id) : chat.conversations.readBranches(id));
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
  route({
    operationId: 'watchConversation',
    method: 'get',
    path: '/api/conversations/{conversation}/events',
    right,
    group,
    summary:
      'Streams a conversation as server-sent events: a snapshot, then every change. A client that reconnects gets a new snapshot.',
    params,
    streams: chatEventSchemas,
    errors: ['LIMIT_REACHED', 'NOT_FOUND', 'OVERLOADED'],
    access: findConversation,
    async handle({ outgoing, usage, resource: { id } }, { chat, stopping }) {
      await serveConversation(outgoing, id, { chat: chat.conversations, stopping, usage });
    },
  }),
];

function limitPorts({ chat, toolbox }: Pick<ApiPorts, 'chat' | 'toolbox'>): ChatLimitPorts {
  return { conversations: chat.conversations, limits: toolbox.config.gateway.limits };
}
