import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { ConversationChange } from '../../src/chat/chat.ts';
import { createGate, type Script, startScriptedChat } from '../fixtures/models/scripted-chat-server.ts';
import { openTestChat, type TestChatOptions, textOf } from '../support/open-chat.ts';
import { waitFor } from '../support/wait-for.ts';

async function open(script: readonly Script[], options: Omit<TestChatOptions, 'model'> = {}) {
  const model = await startScriptedChat(script);
  const talk = await openTestChat({ model, ...options });
  return {
    ...talk,
    model,
    async [Symbol.asyncDispose]() {
      await talk[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
    },
  };
}

describe('what was said', () => {
  test('answering a message again removes the old answer and everything after it', async () => {
    await using talk = await open([{ text: 'Bad.' }, { text: 'Later.' }, { text: 'Good.' }]);
    const bad = await talk.say('Question');
    await talk.say('And?');
    await talk.chat.retry(talk.id, bad.id);
    expect(textOf(await talk.ended())).toBe('Good.');
    expect((await talk.chat.read(talk.id))?.messages.map(textOf)).toEqual(['Question', 'Good.']);
    expect((await talk.storage.conversations.messages(talk.id)).map(textOf)).toEqual(['Question', 'Good.']);
    expect(talk.model.requests.at(-1)?.last).toBe('Question');
  });

  test('editing a message removes everything after it', async () => {
    await using talk = await open([{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }]);
    await talk.say('First');
    const [said] = (await talk.chat.read(talk.id))?.messages ?? [];
    await talk.say('Second');
    await talk.chat.edit(talk.id, said?.id ?? '', 'Better');
    await talk.ended();
    expect((await talk.chat.read(talk.id))?.messages.map(textOf)).toEqual(['Better', 'Three.']);
    expect(talk.model.requests.at(-1)?.messages.slice(1)).toEqual([{ role: 'user', content: 'Better' }]);
  });

  test('a message can be answered again while its answer is still streaming', async () => {
    const gate = createGate();
    await using talk = await open([{ text: 'Slow', hold: gate }, { text: 'Fast.' }]);
    const slow = await talk.chat.send(talk.id, 'Go');
    await gate.reached;
    await talk.chat.retry(talk.id, slow.id);
    expect(textOf(await talk.ended())).toBe('Fast.');
    expect((await talk.chat.read(talk.id))?.messages).toHaveLength(2);
    gate.open();
  });

  test('only messages of the person can be edited, and only in an existing conversation', async () => {
    await using talk = await open([{ text: 'Yes.' }]);
    const { chat, id } = talk;
    await expect(chat.resume(id)).rejects.toMatchObject({ code: 'CONFLICT', message: /has no messages yet/ });
    const answer = await talk.say('Yes?');
    const [said] = (await chat.read(id))?.messages ?? [];
    await expect(chat.resume(id)).rejects.toMatchObject({ code: 'CONFLICT', message: /complete/ });
    await expect(chat.retry(id, said?.id ?? '')).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(chat.edit(id, answer.id, 'x')).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(chat.edit(id, randomUUID(), 'x')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(chat.send(randomUUID(), 'x')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(chat.stop(randomUUID())).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await chat.read(randomUUID())).toBeUndefined();
    expect((await chat.read(id))?.messages).toHaveLength(2);
  });

  test('a message left unanswered by a crash is answered when the person continues', async () => {
    await using talk = await open([{ text: 'Here I am.' }]);
    const said = { id: randomUUID(), role: 'user', status: 'complete', createdAt: new Date().toISOString() } as const;
    await talk.storage.conversations.putMessage(talk.id, { ...said, parts: [{ type: 'text', text: 'Hello?' }] });
    await talk.chat.resume(talk.id);
    expect(
      textOf((await waitFor(async () => (await talk.conversation()).status === 'idle' && talk.last())) as never),
    ).toBe('Here I am.');
  });
});

describe('a conversation', () => {
  test('the first words of a conversation are its title, unless it was given one', async () => {
    await using talk = await open([{ text: 'a' }, { text: 'b' }, { text: 'c' }]);
    await talk.say(`Please  tell me\neverything there is to know about the history of harbours ${'x'.repeat(300)}`);
    const { title } = await talk.conversation();
    expect(title).toBe('Please tell me everything there is to know about the…');
    await talk.say('Short');
    expect((await talk.conversation()).title).toBe(title);
    const named = await talk.chat.create({ owner: 'ann', title: 'Mine' });
    await talk.chat.send(named.id, 'Hello');
    await waitFor(async () => (await talk.chat.read(named.id))?.conversation.status === 'idle');
    expect((await talk.chat.read(named.id))?.conversation.title).toBe('Mine');
  });

  test('renaming, reassigning and removing a conversation reaches everyone who watches it', async () => {
    const changes: ConversationChange[] = [];
    await using talk = await open([], { ports: { onChanged: (change) => changes.push(change) } });
    const other = { ...talk.assistant, id: randomUUID(), name: 'Other' };
    await talk.storage.assistants.put(other);
    expect(await talk.chat.update(talk.id, { title: 'New name' })).toMatchObject({ title: 'New name' });
    expect(await talk.chat.update(talk.id, { assistantId: other.id })).toMatchObject({ assistantId: other.id });
    await expect(talk.chat.update(talk.id, { assistantId: randomUUID() })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await talk.storage.conversations.get(talk.id)).toMatchObject({ title: 'New name', assistantId: other.id });
    expect(await talk.chat.remove(talk.id)).toBe(true);
    expect(await talk.chat.remove(talk.id)).toBe(false);
    expect(await talk.chat.read(talk.id)).toBeUndefined();
    await waitFor(() => talk.events.at(-1)?.kind === 'removed', { what: 'the news' });
    expect(changes.at(-1)).toEqual({ kind: 'removed', id: talk.id, owner: 'ann' });
  });

  test('a new conversation gets the first assistant, or the one it names', async () => {
    await using talk = await open([]);
    await expect(talk.chat.create({ owner: 'bob', assistantId: randomUUID() })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    expect(await talk.chat.create({ owner: 'bob' })).toMatchObject({ assistantId: talk.assistant.id, owner: 'bob' });
    expect(await talk.chat.list({ owner: 'bob' })).toHaveLength(1);
    expect(await talk.chat.list()).toHaveLength(2);
    await talk.storage.assistants.remove(talk.assistant.id);
    await expect(talk.chat.create({ owner: 'bob' })).rejects.toThrow(/no assistant yet/);
    const answer = await talk.say('Anybody?');
    expect(answer).toMatchObject({ status: 'error', problem: expect.stringMatching(/assistant.*no longer exists/) });
  });
});

describe('a model that fails', () => {
  const wrong: { name: string; turn: Script; problem: RegExp; tries?: number }[] = [
    {
      name: 'refuses the key',
      turn: { status: 401, error: 'Incorrect API key provided: sk-secret-of-the-test' },
      problem: /^Scripted rejected the key \(HTTP 401\).*\[redacted\]/,
    },
    {
      name: 'has no such model',
      turn: { status: 404, error: 'model not found' },
      problem: /HTTP 404.*Check the model's name/,
    },
    {
      name: 'takes no more requests',
      turn: { status: 429, error: 'slow down', headers: { 'retry-after-ms': '1' } },
      problem: /HTTP 429.*Wait a moment.*slow down/,
      tries: 3,
    },
    {
      name: 'is overloaded',
      turn: { status: 503, error: 'busy', headers: { 'retry-after-ms': '1' } },
      problem: /HTTP 503.*Try again.*busy/,
      tries: 3,
    },
    {
      name: 'was told too much',
      turn: { status: 400, error: { error: { message: 'too much', code: 'context_length_exceeded' } } },
      problem: /too long for this model/,
    },
    {
      name: 'breaks off',
      turn: { text: 'Half a', drop: true },
      problem: /could not be reached, or the connection broke/,
    },
    {
      name: 'ends without saying so',
      turn: { text: 'Half a', finish: null },
      problem: /ended without a finish reason/,
    },
    { name: 'holds its answer back', turn: { finish: 'content_filter' }, problem: /blocked the answer/ },
    { name: 'says nothing', turn: { text: '' }, problem: /returned an empty answer/ },
  ];

  test.each(wrong)('because it $name says so to the person, who can go on', async ({ turn, problem, tries = 1 }) => {
    await using talk = await open([...Array<Script>(tries).fill(turn), { text: 'Back again.' }]);
    const answer = await talk.say('Hello');
    expect(answer).toMatchObject({ status: 'error', problem: expect.stringMatching(problem) });
    expect(JSON.stringify(answer)).not.toContain('sk-secret');
    expect(talk.model.requests).toHaveLength(tries);
    await talk.chat.resume(talk.id);
    const rest = await talk.ended();
    expect(rest).toMatchObject({ id: answer.id, status: 'complete' });
    expect(textOf(rest)).toMatch(/Back again\.$/);
  });

  test('a model that reaches its own token limit ends the answer as limited', async () => {
    await using talk = await open([{ text: 'So far', finish: 'length' }]);
    expect(await talk.say('Go')).toMatchObject({ status: 'limited', problem: expect.stringMatching(/output limit/) });
  });

  test('an unreachable model is reported with its address', async () => {
    await using talk = await open([]);
    await talk.model[Symbol.asyncDispose]();
    await using again = await open([]);
    const [provider] = await again.storage.providers.list();
    if (provider) await again.storage.providers.put({ ...provider, baseUrl: talk.model.url });
    const answer = await again.chat.send(again.id, 'Hello').then(() => again.ended());
    expect(answer).toMatchObject({ status: 'error', problem: expect.stringMatching(/ECONNREFUSED/) });
  });

  test('an answer of a removed provider fails with the reason', async () => {
    await using talk = await open([]);
    await talk.storage.providers.remove(talk.assistant.model.provider);
    expect(await talk.say('Hello')).toMatchObject({
      status: 'error',
      problem: expect.stringMatching(/no model provider/),
    });
  });
});
