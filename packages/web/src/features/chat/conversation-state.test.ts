import { expect, test } from 'vitest';
import type { Conversation, Message, MessagePart, ToolCallPart } from '../../api/client.ts';
import { applyChatEvent, type ChatEvent, type ConversationState } from './conversation-state.ts';

const conversation: Conversation = {
  id: 'c',
  title: 'A title',
  assistantId: 'a',
  owner: 'local',
  status: 'idle',
  usage: { inputTokens: 0, outputTokens: 0 },
  durationMs: 0,
  createdAt: '2026-01-01T00:00:00Z',
  updatedAt: '2026-01-01T00:00:00Z',
};

const call: ToolCallPart = { type: 'tool-call', id: '1', name: 'read', arguments: {}, status: 'asked' };

function message(id: string, parts: readonly MessagePart[] = [{ type: 'text', text: id }]): Message {
  return { id, role: 'assistant', parts, status: 'streaming', createdAt: '2026-01-01T00:00:00Z' };
}

function after(...events: readonly ChatEvent[]): ConversationState | undefined {
  const first: ChatEvent = { name: 'snapshot', data: { conversation, messages: [message('one'), message('two')] } };
  return [first, ...events].reduce(applyChatEvent, undefined as ConversationState | undefined);
}

test('a snapshot replaces the whole state [R14]', () => {
  const state = after({ name: 'snapshot', data: { conversation, messages: [message('other')] } });
  expect(state?.messages.map(({ id }) => id)).toEqual(['other']);
});

test('there is no state before the first snapshot and after the removal', () => {
  expect(applyChatEvent(undefined, { name: 'message', data: { message: message('one') } })).toBeUndefined();
  expect(after({ name: 'removed', data: {} })).toBeUndefined();
});

test('a message is appended or replaced in place', () => {
  const state = after(
    { name: 'message', data: { message: message('three') } },
    { name: 'message', data: { message: { ...message('one'), status: 'complete' } } },
  );
  expect(state?.messages.map(({ id, status }) => `${id} ${status}`)).toEqual([
    'one complete',
    'two streaming',
    'three streaming',
  ]);
});

test('text is appended to its part, and other messages keep their identity', () => {
  const before = after();
  const state =
    before && applyChatEvent(before, { name: 'text', data: { message: 'two', index: 0, text: ' and more' } });
  expect(state?.messages[1]?.parts).toEqual([{ type: 'text', text: 'two and more' }]);
  expect(state?.messages[0]).toBe(before?.messages[0]);
  expect(before?.messages[1]?.parts).toEqual([{ type: 'text', text: 'two' }]);
});

test('a part is appended or replaced in place', () => {
  const state = after(
    { name: 'part', data: { message: 'two', index: 1, part: call } },
    { name: 'part', data: { message: 'two', index: 2, part: { type: 'step' } } },
    { name: 'part', data: { message: 'two', index: 1, part: { ...call, status: 'running' } } },
  );
  expect(state?.messages[1]?.parts).toEqual([
    { type: 'text', text: 'two' },
    { ...call, status: 'running' },
    { type: 'step' },
  ]);
});

test('a cut removes a message and all messages after it', () => {
  expect(after({ name: 'cut', data: { message: 'one' } })?.messages).toEqual([]);
  expect(after({ name: 'cut', data: { message: 'two' } })?.messages.map(({ id }) => id)).toEqual(['one']);
});

test('events about unknown messages or parts change nothing', () => {
  const before = after();
  for (const event of [
    { name: 'cut', data: { message: 'none' } },
    { name: 'text', data: { message: 'none', index: 0, text: 'x' } },
    { name: 'text', data: { message: 'two', index: 7, text: 'x' } },
  ] satisfies ChatEvent[]) {
    expect(before && applyChatEvent(before, event)).toBe(before);
  }
});

test('a conversation event replaces the conversation', () => {
  const state = after({ name: 'conversation', data: { conversation: { ...conversation, status: 'asking' } } });
  expect(state?.conversation.status).toBe('asking');
});
