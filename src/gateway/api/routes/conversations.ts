import { z } from 'zod';
import { noConversation } from '../../../storage/ports/conversation-store.ts';
import { serveConversation } from '../../chat/serve-conversation.ts';
import { findConversation } from '../access.ts';
import { route } from '../route.ts';
import {
  chatEventSchemas,
  conversationChangeSchema,
  conversationContentSchema,
  conversationInputSchema,
  conversationListSchema,
  conversationViewSchema,
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
    operationId: 'createConversation',
    method: 'post',
    path: '/api/conversations',
    right,
    group,
    summary: 'Creates a conversation with an assistant.',
    body: conversationInputSchema,
    answer: conversationViewSchema,
    status: 201,
    errors: ['NOT_FOUND'],
    async handle({ identity, body }, { chat }) {
      const { caller, isAdmin, profile = isAdmin ? undefined : 'default' } = identity;
      return chat.conversations.create({ ...body, owner: caller.id, profile });
    },
  }),
  route({
    operationId: 'getConversation',
    method: 'get',
    path: '/api/conversations/{conversation}',
    right,
    group,
    summary: 'Returns a conversation with all its messages.',
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
    access: findConversation,
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
    errors: ['CONFLICT', 'NOT_FOUND'],
    access: findConversation,
    async handle({ resource: { id }, body }, { chat, servers }) {
      await servers.waitForStart();
      return chat.conversations.send(id, body.text);
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
    errors: ['CONFLICT', 'NOT_FOUND'],
    access: findConversation,
    async handle({ resource: { id } }, { chat, servers }) {
      await servers.waitForStart();
      return chat.conversations.resume(id);
    },
  }),
  route({
    operationId: 'retryMessage',
    method: 'post',
    path: '/api/conversations/{conversation}/messages/{message}/retry',
    right,
    group,
    summary: 'Generates an answer again. This answer and all later messages are deleted.',
    params: messageParams,
    answer: messageViewSchema,
    errors: ['CONFLICT', 'NOT_FOUND'],
    access: findConversation,
    async handle({ resource: { id }, params: { message } }, { chat, servers }) {
      await servers.waitForStart();
      return chat.conversations.retry(id, message);
    },
  }),
  route({
    operationId: 'editMessage',
    method: 'post',
    path: '/api/conversations/{conversation}/messages/{message}/edit',
    right,
    group,
    summary: "Replaces a user's message and answers the new one. All later messages are deleted.",
    params: messageParams,
    body: messageInputSchema,
    answer: messageViewSchema,
    errors: ['CONFLICT', 'NOT_FOUND'],
    access: findConversation,
    async handle({ resource: { id }, params: { message }, body }, { chat, servers }) {
      await servers.waitForStart();
      return chat.conversations.edit(id, message, body.text);
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
