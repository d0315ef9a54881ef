import { z } from 'zod';
import { ToolwharfError } from '../../../kernel/errors.ts';
import { hasRight, type Identity } from '../../auth/identity.ts';
import { serveConversation } from '../../chat/serve-conversation.ts';
import { type ApiPorts, route } from '../route.ts';
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
    summary: 'Conversations, latest change first. Others than administrators see their own.',
    query: z.object({ limit: z.coerce.number().int().min(1).max(1_000).default(100) }),
    answer: conversationListSchema,
    async handle({ identity, query }, { chat }) {
      const own = !identity.isAdmin && { owner: identity.caller.id };
      return { conversations: await chat.list({ limit: query.limit, ...own }) };
    },
  }),
  route({
    operationId: 'createConversation',
    method: 'post',
    path: '/api/conversations',
    right,
    group,
    summary: 'Begins a conversation with an assistant.',
    body: conversationInputSchema,
    answer: conversationViewSchema,
    status: 201,
    errors: ['NOT_FOUND'],
    async handle({ identity, body }, { chat }) {
      const { caller, isAdmin, profile = isAdmin ? undefined : 'default' } = identity;
      return chat.create({ ...body, owner: caller.id, ...(profile !== undefined && { profile }) });
    },
  }),
  route({
    operationId: 'getConversation',
    method: 'get',
    path: '/api/conversations/{conversation}',
    right,
    group,
    summary: 'One conversation with all its messages.',
    params,
    answer: conversationContentSchema,
    errors: ['NOT_FOUND'],
    async handle({ identity, params: { conversation } }, ports) {
      await assertOwn(conversation, identity, ports);
      const found = await ports.chat.read(conversation);
      if (!found) throw noConversation(conversation);
      return found;
    },
  }),
  route({
    operationId: 'updateConversation',
    method: 'put',
    path: '/api/conversations/{conversation}',
    right,
    group,
    summary: 'Gives a conversation another title or another assistant.',
    params,
    body: conversationChangeSchema,
    answer: conversationViewSchema,
    errors: ['CONFLICT', 'NOT_FOUND'],
    async handle({ identity, params: { conversation }, body }, ports) {
      await assertOwn(conversation, identity, ports);
      return ports.chat.update(conversation, body);
    },
  }),
  route({
    operationId: 'removeConversation',
    method: 'delete',
    path: '/api/conversations/{conversation}',
    right,
    group,
    summary: 'Ends what is being answered, and forgets the conversation.',
    params,
    errors: ['NOT_FOUND'],
    async handle({ identity, params: { conversation } }, ports) {
      await assertOwn(conversation, identity, ports);
      if (!(await ports.chat.remove(conversation))) throw noConversation(conversation);
    },
  }),
  route({
    operationId: 'sendMessage',
    method: 'post',
    path: '/api/conversations/{conversation}/messages',
    right,
    group,
    summary:
      'Says something, and answers with the beginning of the answer. What is being answered ends first; its questions are denied.',
    params,
    body: messageInputSchema,
    answer: messageViewSchema,
    errors: ['CONFLICT', 'NOT_FOUND'],
    async handle({ identity, params: { conversation }, body }, ports) {
      await assertOwn(conversation, identity, ports);
      await ports.started();
      return ports.chat.send(conversation, body.text);
    },
  }),
  route({
    operationId: 'stopConversation',
    method: 'post',
    path: '/api/conversations/{conversation}/stop',
    right,
    group,
    summary: 'Ends what is being answered. Answers when it has ended.',
    params,
    errors: ['NOT_FOUND'],
    async handle({ identity, params: { conversation } }, ports) {
      await assertOwn(conversation, identity, ports);
      await ports.chat.stop(conversation);
    },
  }),
  route({
    operationId: 'resumeConversation',
    method: 'post',
    path: '/api/conversations/{conversation}/resume',
    right,
    group,
    summary: 'Goes on with an answer that was stopped, interrupted, limited or failed.',
    params,
    answer: messageViewSchema,
    errors: ['CONFLICT', 'NOT_FOUND'],
    async handle({ identity, params: { conversation } }, ports) {
      await assertOwn(conversation, identity, ports);
      await ports.started();
      return ports.chat.resume(conversation);
    },
  }),
  route({
    operationId: 'retryMessage',
    method: 'post',
    path: '/api/conversations/{conversation}/messages/{message}/retry',
    right,
    group,
    summary: 'Answers once more: this answer and all that came after it are gone.',
    params: messageParams,
    answer: messageViewSchema,
    errors: ['CONFLICT', 'NOT_FOUND'],
    async handle({ identity, params: { conversation, message } }, ports) {
      await assertOwn(conversation, identity, ports);
      await ports.started();
      return ports.chat.retry(conversation, message);
    },
  }),
  route({
    operationId: 'editMessage',
    method: 'post',
    path: '/api/conversations/{conversation}/messages/{message}/edit',
    right,
    group,
    summary: 'Says something else instead of what a person said: all after it is gone, and it is answered anew.',
    params: messageParams,
    body: messageInputSchema,
    answer: messageViewSchema,
    errors: ['CONFLICT', 'NOT_FOUND'],
    async handle({ identity, params: { conversation, message }, body }, ports) {
      await assertOwn(conversation, identity, ports);
      await ports.started();
      return ports.chat.edit(conversation, message, body.text);
    },
  }),
  route({
    operationId: 'watchConversation',
    method: 'get',
    path: '/api/conversations/{conversation}/events',
    right,
    group,
    summary:
      'Server-sent events of one conversation: first all of it, then what happens. Whoever comes back gets all of it again.',
    params,
    streams: chatEventSchemas,
    errors: ['NOT_FOUND', 'QUEUE_FULL'],
    async handle({ incoming, outgoing, identity, params: { conversation } }, ports) {
      await assertOwn(conversation, identity, ports);
      const { chat, authenticate, events, stopping } = ports;
      const mayWatch = async () => {
        const now = await authenticate(incoming);
        return now !== undefined && hasRight(now, right) && (now.isAdmin || now.caller.id === identity.caller.id);
      };
      await serveConversation(outgoing, conversation, { chat, events, stopping, mayWatch });
    },
  }),
];

/** Someone else's is as good as none. */
async function assertOwn(id: string, { isAdmin, caller }: Identity, { storage }: ApiPorts): Promise<void> {
  const found = await storage.conversations.get(id);
  if (!found || !(isAdmin || found.owner === caller.id)) throw noConversation(id);
}

function noConversation(id: string): ToolwharfError {
  return new ToolwharfError('NOT_FOUND', `There is no conversation '${id}'`);
}
