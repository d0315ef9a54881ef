import { describe, expect, test } from 'vitest';
import { applyChatEvent } from '../../../contract/apply-chat-event.ts';
import type { Conversation, Message } from '../../../contract/records/conversation.ts';
import type { ChatEvent, ConversationContent } from './chat.ts';
import { eventsBetween } from './events-between.ts';

const conversation: Conversation = {
  id: 'c',
  title: 'Notes',
  assistantId: 'a',
  owner: 'admin',
  status: 'idle',
  usage: { inputTokens: 0, outputTokens: 0 },
  durationMs: 0,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
};

function message(id: string, text?: string, more: Partial<Message> = {}): Message {
  return {
    id,
    role: 'assistant',
    parts: text === undefined ? [] : [{ type: 'text', text }],
    status: 'streaming',
    createdAt: '2026-01-01T00:00:00.000Z',
    ...more,
  };
}

const content = (...messages: Message[]): ConversationContent => ({ conversation, messages });

function applied(start: ConversationContent, ...events: ChatEvent[]): ConversationContent | undefined {
  return events.reduce<ConversationContent | undefined>((now, event) => now && applyChatEvent(now, event), start);
}

describe('applyChatEvent', () => {
  test('applyChatEvent adds messages, extends them part by part and replaces them', () => {
    const end = applied(
      content(message('1', 'hi', { role: 'user' })),
      { kind: 'message', message: message('2') },
      { kind: 'part', message: '2', index: 0, part: { type: 'text', text: 'Let' } },
      { kind: 'text', message: '2', index: 0, text: ' me' },
      { kind: 'text', message: '2', index: 0, text: ' see' },
      { kind: 'part', message: '2', index: 1, part: { type: 'step' } },
      { kind: 'part', message: '2', index: 1, part: { type: 'reasoning', text: '' } },
      { kind: 'text', message: '2', index: 1, text: 'hm' },
    );
    expect(end?.messages.map(({ id }) => id)).toEqual(['1', '2']);
    expect(end?.messages[1]?.parts).toEqual([
      { type: 'text', text: 'Let me see' },
      { type: 'reasoning', text: 'hm' },
    ]);
    const finished = message('2', 'done', { status: 'complete' });
    expect(applied(end ?? content(), { kind: 'message', message: finished })?.messages[1]).toEqual(finished);
  });

  test('applyChatEvent truncates a conversation from the cut message on, and returns undefined for a removed conversation', () => {
    const three = content(message('1'), message('2'), message('3'));
    expect(applied(three, { kind: 'cut', message: '2' })?.messages.map(({ id }) => id)).toEqual(['1']);
    expect(applied(three, { kind: 'cut', message: '9' })).toEqual(three);
    expect(applied(three, { kind: 'removed' })).toBeUndefined();
  });

  test('applyChatEvent ignores events about a message that does not exist', () => {
    const one = content(message('1', 'a'));
    expect(applied(one, { kind: 'text', message: '9', index: 0, text: 'x' })).toEqual(one);
    expect(applied(one, { kind: 'text', message: '1', index: 4, text: 'x' })).toEqual(one);
  });
});

describe('eventsBetween', () => {
  test('eventsBetween returns the events that turn the earlier content into the later content', () => {
    const before = content(message('1', 'a'), message('2', 'b'), message('3', 'c'));
    const after: ConversationContent = {
      conversation: { ...conversation, status: 'running' },
      messages: [message('1', 'a'), message('2', 'b, and more'), message('4', 'd')],
    };
    const events = eventsBetween(before, after);
    expect(events.map(({ kind }) => kind)).toEqual(['cut', 'message', 'message', 'conversation']);
    expect(applied(before, ...events)).toEqual(after);
    expect(eventsBetween(after, after)).toEqual([]);
  });
});
