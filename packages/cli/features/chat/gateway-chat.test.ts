import type { EventSourceMessage } from 'eventsource-parser/stream';
import { expect, test, vi } from 'vitest';
import { createFunctions } from '../../../contract/client.ts';
import { ToolwharfError } from '../../../contract/errors.ts';
import { type ApiRoutes, operations } from '../../../contract/operations.ts';
import type { Conversation, Message } from '../../../contract/records/conversation.ts';
import type { ChatEvent, ConversationContent } from '../../../gateway/features/chat/chat.ts';
import type { GatewayClient } from '../../core/client/gateway-client.ts';
import { listOwnConversations } from './chat-host.ts';
import { createGatewayChat } from './gateway-chat.ts';

const conversation = { id: 'c', title: 'Notes', status: 'running', owner: 'admin' } as Conversation;

function message(text: string, status: Message['status'] = 'streaming'): Message {
  return { id: 'm', role: 'assistant', parts: [{ type: 'text', text }], status, createdAt: '' };
}

const sent = (event: string, data: object): EventSourceMessage => ({
  event,
  id: undefined,
  data: JSON.stringify(data),
});
const snapshot = (...messages: Message[]) => sent('snapshot', { conversation, messages });

/** A gateway whose event streams are these, one after the other; each may end with an error. */
function gatewayWith(streams: (readonly (EventSourceMessage | Error)[])[], answers: Record<string, object> = {}) {
  const asked: string[] = [];
  async function open(signal: AbortSignal) {
    const events = streams.shift();
    if (events?.[0] instanceof Error) throw events[0];
    return (async function* () {
      for (const event of events ?? []) {
        await new Promise((resolve) => setImmediate(resolve));
        if (event instanceof Error) throw event;
        yield event;
      }
      // The last stream stays open.
      if (streams.length === 0 && !signal.aborted)
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
    })();
  }
  const functions = createFunctions<ApiRoutes, AsyncIterable<EventSourceMessage>>(
    operations,
    async ({ path, signal = new AbortController().signal }) => {
      if (path.endsWith('/events')) {
        asked.push(path);
        return open(signal);
      }
      const answer = answers[path];
      if (!answer) throw new ToolwharfError('NOT_FOUND', 'There is nothing');
      return answer;
    },
  );
  const gateway: GatewayClient = { url: 'http://gateway', ...functions };
  return { gateway, asked };
}

function listening(streams: (readonly (EventSourceMessage | Error)[])[]) {
  const { gateway, asked } = gatewayWith(streams);
  const onLost = vi.fn<(cause: unknown) => void>();
  const chat = createGatewayChat(gateway, { onLost, retryMs: 1 });
  const heard: ChatEvent[] = [];
  const end = chat.watch('c', (event) => heard.push(event));
  return { chat, heard, asked, onLost, end };
}

test('watching and then reading a conversation delivers every change exactly once', async () => {
  const { chat, heard, asked } = listening([
    [
      snapshot(message('Hel')),
      sent('text', { message: 'm', index: 0, text: 'lo' }),
      sent('message', { message: message('Hello', 'complete') }),
    ],
  ]);
  const first = (await chat.read('c')) as ConversationContent;
  expect(first.messages[0]?.parts).toEqual([{ type: 'text', text: 'Hel' }]);
  await expect.poll(() => heard.map(({ kind }) => kind)).toEqual(['text', 'message']);
  expect((await chat.read('c'))?.messages[0]).toEqual(message('Hello', 'complete'));
  expect(asked).toEqual(['/api/conversations/c/events']);
  await chat.close();
});

test('a broken stream is reopened, and missed changes are delivered', async () => {
  const { chat, heard } = listening([
    [snapshot(message('Hel')), sent('text', { message: 'm', index: 0, text: 'lo' }), new Error('broken')],
    [new Error('refused')],
    [snapshot(message('Hello you', 'complete'))],
  ]);
  await expect.poll(() => heard).toHaveLength(2);
  expect(heard).toEqual([
    { kind: 'text', message: 'm', index: 0, text: 'lo' },
    { kind: 'message', message: message('Hello you', 'complete') },
  ]);
  await chat.close();
});

test('a lost gateway is reported once, and reading does not wait for it', async () => {
  const { chat, onLost } = listening(Array.from({ length: 10 }, () => [new Error('refused')]));
  await expect(chat.read('c')).resolves.toBeUndefined();
  expect(onLost).toHaveBeenCalledTimes(1);
  await chat.close();
});

test('a missing or deleted conversation is reported as removed', async () => {
  const missing = listening([[new ToolwharfError('NOT_FOUND', 'There is no conversation')]]);
  await expect.poll(() => missing.heard).toEqual([{ kind: 'removed' }]);
  expect(await missing.chat.read('c')).toBeUndefined();
  const removed = listening([[snapshot(), sent('removed', {})], []]);
  await expect.poll(() => removed.heard).toEqual([{ kind: 'removed' }]);
  expect(removed.asked).toHaveLength(1);
  await Promise.all([missing.chat.close(), removed.chat.close()]);
});

test('the stream is closed when the last listener unsubscribes', async () => {
  const { chat, heard, end, asked } = listening([[snapshot(message('a'))]]);
  const other: ChatEvent[] = [];
  const endOther = chat.watch('c', (event) => other.push(event));
  await chat.read('c');
  expect(asked).toHaveLength(1);
  end();
  endOther();
  expect(await chat.read('c')).toBeUndefined();
  expect([...heard, ...other]).toEqual([]);
});

test('the conversations of the person at the terminal are listed', async () => {
  const conversations = [conversation, { ...conversation, id: 'd', owner: 'key:1' }, { ...conversation, id: 'e' }];
  const { gateway } = gatewayWith([], { '/api/conversations?limit=1000': { conversations } });
  const chat = createGatewayChat(gateway, { onLost: () => {} });
  expect((await chat.list()).map(({ id }) => id)).toEqual(['c', 'd', 'e']);
  expect((await listOwnConversations(chat)).map(({ id }) => id)).toEqual(['c', 'e']);
});
