import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { ConversationChange } from '../../packages/gateway/features/chat/chat.ts';
import { createGate, type Script } from '../fixtures/models/scripted-chat-server.ts';
import { openScriptedChat, textOf } from '../support/open-chat.ts';
import { waitFor } from '../support/wait-for.ts';

describe('a message', () => {
  test('a message that is answered again starts a branch, and the old answer and everything after it are kept', async () => {
    await using testChat = await openScriptedChat([{ text: 'Bad.' }, { text: 'Later.' }, { text: 'Good.' }]);
    const bad = await testChat.sendAndWait('Question');
    await testChat.sendAndWait('And?');
    await testChat.chat.retry(testChat.id, bad.id);
    expect(textOf(await testChat.waitForAnswer())).toBe('Good.');
    expect((await testChat.chat.read(testChat.id))?.messages.map(textOf)).toEqual(['Question', 'Good.']);
    const all = ['Question', 'Bad.', 'And?', 'Later.', 'Good.'];
    expect((await testChat.storage.conversations.messages(testChat.id)).map(textOf)).toEqual(all);
    expect(testChat.model.requests.at(-1)?.last).toBe('Question');
  });

  test('a message that is edited starts a branch, and the model sees nothing of the other one', async () => {
    await using testChat = await openScriptedChat([{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }]);
    await testChat.sendAndWait('First');
    const [userMessage] = (await testChat.chat.read(testChat.id))?.messages ?? [];
    await testChat.sendAndWait('Second');
    await testChat.chat.edit(testChat.id, userMessage?.id ?? '', 'Better');
    await testChat.waitForAnswer();
    expect((await testChat.chat.read(testChat.id))?.messages.map(textOf)).toEqual(['Better', 'Three.']);
    expect(testChat.model.requests.at(-1)?.messages.slice(1)).toEqual([{ role: 'user', content: 'Better' }]);
  });

  test('a message can be answered again while its answer is still streaming', async () => {
    const gate = createGate();
    await using testChat = await openScriptedChat([{ text: 'Slow', hold: gate }, { text: 'Fast.' }]);
    const slow = await testChat.chat.send(testChat.id, 'Go');
    await gate.reached;
    await testChat.chat.retry(testChat.id, slow.id);
    expect(textOf(await testChat.waitForAnswer())).toBe('Fast.');
    expect((await testChat.chat.read(testChat.id))?.messages).toHaveLength(2);
    gate.open();
  });

  test('a message can be edited only if a person wrote it, and only in an existing conversation', async () => {
    await using testChat = await openScriptedChat([{ text: 'Yes.' }]);
    const { chat, id } = testChat;
    await expect(chat.resume(id)).rejects.toMatchObject({ code: 'CONFLICT', message: /has no messages yet/ });
    const answer = await testChat.sendAndWait('Yes?');
    const [userMessage] = (await chat.read(id))?.messages ?? [];
    await expect(chat.resume(id)).rejects.toMatchObject({ code: 'CONFLICT', message: /complete/ });
    await expect(chat.retry(id, userMessage?.id ?? '')).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(chat.edit(id, answer.id, 'x')).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(chat.edit(id, randomUUID(), 'x')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(chat.send(randomUUID(), 'x')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(chat.stop(randomUUID())).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await chat.read(randomUUID())).toBeUndefined();
    expect((await chat.read(id))?.messages).toHaveLength(2);
  });

  test('a message that a crash left unanswered is answered when the person continues', async () => {
    await using testChat = await openScriptedChat([{ text: 'Here I am.' }]);
    const userMessage = {
      id: randomUUID(),
      role: 'user',
      status: 'complete',
      createdAt: new Date().toISOString(),
    } as const;
    await testChat.storage.conversations.putMessage(testChat.id, {
      ...userMessage,
      parts: [{ type: 'text', text: 'Hello?' }],
    });
    await testChat.chat.resume(testChat.id);
    expect(
      textOf(
        (await waitFor(async () => (await testChat.conversation()).status === 'idle' && testChat.last())) as never,
      ),
    ).toBe('Here I am.');
  });
});

describe('the conversation', () => {
  test('the conversation has its first words as its title, unless a title was set', async () => {
    await using testChat = await openScriptedChat([{ text: 'a' }, { text: 'b' }, { text: 'c' }]);
    await testChat.sendAndWait(
      `Please  tell me\neverything there is to know about the history of harbours ${'x'.repeat(300)}`,
    );
    const { title } = await testChat.conversation();
    expect(title).toBe('Please tell me everything there is to know about the…');
    await testChat.sendAndWait('Short');
    expect((await testChat.conversation()).title).toBe(title);
    const named = await testChat.chat.create({ owner: 'ann', title: 'Mine' });
    await testChat.chat.send(named.id, 'Hello');
    await waitFor(async () => (await testChat.chat.read(named.id))?.conversation.status === 'idle');
    expect((await testChat.chat.read(named.id))?.conversation.title).toBe('Mine');
  });

  test('the conversation notifies all watchers when it is renamed, reassigned or removed', async () => {
    const changes: ConversationChange[] = [];
    await using testChat = await openScriptedChat([], { ports: { onChanged: (change) => changes.push(change) } });
    const other = { ...testChat.assistant, id: randomUUID(), name: 'Other' };
    await testChat.storage.assistants.put(other);
    expect(await testChat.chat.update(testChat.id, { title: 'New name' })).toMatchObject({ title: 'New name' });
    expect(await testChat.chat.update(testChat.id, { assistantId: other.id })).toMatchObject({ assistantId: other.id });
    await expect(testChat.chat.update(testChat.id, { assistantId: randomUUID() })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    expect(await testChat.storage.conversations.get(testChat.id)).toMatchObject({
      title: 'New name',
      assistantId: other.id,
    });
    expect(await testChat.chat.remove(testChat.id)).toBe(true);
    expect(await testChat.chat.remove(testChat.id)).toBe(false);
    expect(await testChat.chat.read(testChat.id)).toBeUndefined();
    await waitFor(() => testChat.events.at(-1)?.kind === 'removed', { what: 'the news' });
    expect(changes.at(-1)).toEqual({ kind: 'removed', id: testChat.id, owner: 'ann' });
  });

  test('the conversation has the first assistant, or the one that was chosen', async () => {
    await using testChat = await openScriptedChat([]);
    await expect(testChat.chat.create({ owner: 'bob', assistantId: randomUUID() })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    expect(await testChat.chat.create({ owner: 'bob' })).toMatchObject({
      assistantId: testChat.assistant.id,
      owner: 'bob',
    });
    expect(await testChat.chat.list({ owner: 'bob' })).toHaveLength(1);
    expect(await testChat.chat.list()).toHaveLength(2);
    await testChat.storage.assistants.remove(testChat.assistant.id);
    await expect(testChat.chat.create({ owner: 'bob' })).rejects.toThrow(/no assistant yet/);
    const answer = await testChat.sendAndWait('Anybody?');
    expect(answer).toMatchObject({ status: 'error', problem: expect.stringMatching(/assistant.*no longer exists/) });
  });
});

describe('a model that fails', () => {
  const wrong: { name: string; turn: Script; problem: RegExp; tries?: number }[] = [
    {
      name: 'rejects the key',
      turn: { status: 401, error: 'Incorrect API key provided: sk-secret-of-the-test' },
      problem: /^Scripted rejected the key \(HTTP 401\).*\[redacted\]/,
    },
    {
      name: 'has no such model',
      turn: { status: 404, error: 'model not found' },
      problem: /HTTP 404.*Check the model's name/,
    },
    {
      name: 'limits the request rate',
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
      name: 'has a shorter context',
      turn: { status: 400, error: { error: { message: 'too much', code: 'context_length_exceeded' } } },
      problem: /too long for this model/,
    },
    {
      name: 'breaks off',
      turn: { text: 'Half a', drop: true },
      problem: /could not be reached, or the connection broke/,
    },
    {
      name: 'ends without a finish reason',
      turn: { text: 'Half a', finish: null },
      problem: /ended without a finish reason/,
    },
    { name: 'blocks its answer', turn: { finish: 'content_filter' }, problem: /blocked the answer/ },
    { name: 'returns an empty answer', turn: { text: '' }, problem: /returned an empty answer/ },
  ];

  test.each(wrong)(
    'a model that fails because it $name is reported to the person, who can continue',
    async ({ turn, problem, tries = 1 }) => {
      await using testChat = await openScriptedChat([...Array<Script>(tries).fill(turn), { text: 'Back again.' }]);
      const answer = await testChat.sendAndWait('Hello');
      expect(answer).toMatchObject({ status: 'error', problem: expect.stringMatching(problem) });
      expect(JSON.stringify(answer)).not.toContain('sk-secret');
      expect(testChat.model.requests).toHaveLength(tries);
      await testChat.chat.resume(testChat.id);
      const rest = await testChat.waitForAnswer();
      expect(rest).toMatchObject({ id: answer.id, status: 'complete' });
      expect(textOf(rest)).toMatch(/Back again\.$/);
    },
  );

  test('a request that the provider refuses for now is repeated, and the answer says why and until when it waits', async () => {
    const busy = { status: 429, error: 'slow down', headers: { 'retry-after-ms': '1' } };
    await using testChat = await openScriptedChat([busy, { text: 'Here.' }]);
    expect(textOf(await testChat.sendAndWait('Hello'))).toBe('Here.');
    const waits = testChat.events.flatMap((event) => (event.kind === 'message' ? (event.message.waitsFor ?? []) : []));
    expect(waits).toMatchObject([
      { what: 'model' },
      { what: 'retry', reason: 'Scripted reached its rate limit' },
      { what: 'model' },
    ]);
    expect(await testChat.last()).not.toHaveProperty('waitsFor');
  });

  test('an answer that has begun is not requested again when it breaks off', async () => {
    await using testChat = await openScriptedChat([{ text: 'Half a', drop: true }]);
    expect(await testChat.sendAndWait('Hello')).toMatchObject({ status: 'error' });
    expect(testChat.model.requests).toHaveLength(1);
  });

  test('a model that does not begin to answer in its time ends the answer, which names the limit', async () => {
    const gate = createGate();
    const silent = async () => {
      await gate.pass();
      return { text: 'Too late' };
    };
    await using testChat = await openScriptedChat([silent]);
    const { provider, model } = testChat.assistant.model;
    await testChat.storage.modelSettings.put({ provider, model, firstOutputMs: 1_000 });
    expect(await testChat.sendAndWait('Hello')).toMatchObject({
      status: 'error',
      problem: expect.stringMatching(/did not begin to answer within 1 s\. Try again, choose another model, or raise/),
    });
    gate.open();
    expect(testChat.model.requests).toHaveLength(1);
  });

  test('a model that fails because it reaches its own token limit ends the answer as limited', async () => {
    await using testChat = await openScriptedChat([{ text: 'So far', finish: 'length' }]);
    expect(await testChat.sendAndWait('Go')).toMatchObject({
      status: 'limited',
      problem: expect.stringMatching(/output limit/),
    });
  });

  test('a model that fails because it is unreachable is reported with its URL', async () => {
    await using testChat = await openScriptedChat([]);
    const [provider] = await testChat.storage.providers.list();
    // Nothing listens on this port, and no other test can be given it.
    if (provider) await testChat.storage.providers.put({ ...provider, baseUrl: 'http://127.0.0.1:3/v1' });
    const answer = await testChat.chat.send(testChat.id, 'Hello').then(() => testChat.waitForAnswer());
    expect(answer).toMatchObject({ status: 'error', problem: expect.stringMatching(/ECONNREFUSED/) });
  });

  test('a model that fails because its provider was removed is reported with the reason', async () => {
    await using testChat = await openScriptedChat([]);
    await testChat.storage.providers.remove(testChat.assistant.model.provider);
    expect(await testChat.sendAndWait('Hello')).toMatchObject({
      status: 'error',
      problem: expect.stringMatching(/no model provider/),
    });
  });
});
