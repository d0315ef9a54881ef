import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Message } from '../../packages/contract/records/conversation.ts';
import { toExportedJson, toMarkdown } from '../../packages/gateway/features/chat/export-conversation.ts';
import { createGate, type Script } from '../fixtures/models/scripted-chat-server.ts';
import { fixture } from '../support/fixtures.ts';
import { openScriptedChat, openTestChat, type TestChatOptions, textOf } from '../support/open-chat.ts';

async function open(script: readonly Script[], options: Omit<TestChatOptions, 'model'> = {}) {
  const testChat = await openScriptedChat(script, options);
  const read = async () => (await testChat.chat.read(testChat.id))?.messages ?? [];
  return { ...testChat, read, texts: async () => (await read()).map(textOf) };
}

const at = (messages: readonly Message[], index: number) => messages.at(index) as Message;

describe('the versions of an answer', () => {
  test('the versions of an answer are kept, numbered and can be selected, and the model gets the selected branch only', async () => {
    await using testChat = await open([
      { text: 'First.' },
      { text: 'More.' },
      { text: 'Second.' },
      { text: 'On the first branch.' },
    ]);
    const { chat, id } = testChat;
    const first = await testChat.sendAndWait('Question');
    await testChat.sendAndWait('Go on');
    await chat.retry(id, first.id);
    const second = await testChat.waitForAnswer();
    expect(await testChat.texts()).toEqual(['Question', 'Second.']);
    expect(second.versions).toEqual([first.id, second.id]);
    expect(at(await testChat.read(), 0).versions).toBeUndefined();

    await chat.select(id, first.id);
    expect(await testChat.texts()).toEqual(['Question', 'First.', 'Go on', 'More.']);
    expect(at(await testChat.read(), 1).versions).toEqual([first.id, second.id]);
    await testChat.sendAndWait('And then?');
    expect(
      testChat.model.requests
        .at(-1)
        ?.messages.slice(1)
        .map(({ content }) => content),
    ).toEqual(['Question', 'First.', 'Go on', 'More.', 'And then?']);
    await chat.select(id, second.id);
    expect(await testChat.texts()).toEqual(['Question', 'Second.']);
    const usage = { inputTokens: 40, outputTokens: 20 };
    expect(await testChat.conversation()).toMatchObject({ selectedId: second.id, usage });
  });

  test('the versions of an answer survive a restart, with the selected one', async () => {
    await using testChat = await open([{ text: 'One.' }, { text: 'Two.' }]);
    const { chat, id, storage } = testChat;
    const one = await testChat.sendAndWait('Count');
    await chat.retry(id, one.id);
    await testChat.waitForAnswer();
    await chat.select(id, one.id);
    await using again = await openTestChat({ storage });
    expect((await again.chat.read(id))?.messages.map(textOf)).toEqual(['Count', 'One.']);
  });

  test('the versions of an answer cannot be switched while an answer is running, and only to messages of the conversation', async () => {
    const gate = createGate();
    await using testChat = await open([{ text: 'One.' }, { text: 'Two', hold: gate }]);
    const { chat, id } = testChat;
    const one = await testChat.sendAndWait('Count');
    await expect(chat.select(id, randomUUID())).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await chat.retry(id, one.id);
    await gate.reached;
    await expect(chat.select(id, one.id)).rejects.toMatchObject({ code: 'CONFLICT', message: /still running/ });
    gate.open();
    expect(textOf(await testChat.waitForAnswer())).toBe('Two');
  });

  test('the versions of an answer are limited in number', async () => {
    await using testChat = await open([{ text: 'One.' }, { text: 'Two.' }]);
    const { chat, id, storage } = testChat;
    const one = await testChat.sendAndWait('Count');
    for (let count = 1; count < 50; count++) await storage.conversations.putMessage(id, { ...one, id: randomUUID() });
    const last = (await chat.read(id))?.messages.at(-1);
    expect(last?.versions).toHaveLength(50);
    await expect(chat.retry(id, last?.id ?? '')).rejects.toMatchObject({ code: 'CONFLICT', message: /50 versions/ });
  });
});

test('an edited message keeps its branch, also the first message of the conversation', async () => {
  await using testChat = await open([{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }]);
  const { chat, id } = testChat;
  await testChat.sendAndWait('First');
  const first = at(await testChat.read(), 0);
  await chat.edit(id, first.id, 'Second');
  await testChat.waitForAnswer();
  const second = at(await testChat.read(), 0);
  expect(second.versions).toEqual([first.id, second.id]);
  await chat.select(id, first.id);
  expect(await testChat.texts()).toEqual(['First', 'One.']);
  await expect(chat.edit(id, second.id, 'x')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await chat.edit(id, first.id, 'Third');
  await testChat.waitForAnswer();
  expect(await testChat.texts()).toEqual(['Third', 'Three.']);
  expect(at(await testChat.read(), 0).versions).toHaveLength(3);
});

describe('the cost of an answer', () => {
  test('the cost of an answer is computed from the configured prices, for each answer and for the conversation', async () => {
    const usage = { inputTokens: 1_000, outputTokens: 200 };
    await using testChat = await open([
      { text: 'Free.', usage },
      { text: 'Paid.', usage },
      { text: 'Paid again.', usage },
    ]);
    const { storage, assistant } = testChat;
    expect(await testChat.sendAndWait('How much?')).not.toHaveProperty('costUsd');
    expect(await testChat.conversation()).not.toHaveProperty('costUsd', expect.any(Number));
    await storage.modelSettings.put({ ...assistant.model, inputPrice: 3, outputPrice: 15 });
    const paid = await testChat.sendAndWait('And now?');
    expect(paid.costUsd).toBeCloseTo(0.006, 10);
    await testChat.sendAndWait('Again?');
    expect((await testChat.conversation()).costUsd).toBeCloseTo(0.012, 10);
  });
});

test('an export contains the tool calls, and as JSON all branches', async () => {
  const calls = [{ name: 'mcp_files_add', args: { a: 2, b: 3 } }];
  await using testChat = await open([{ text: 'Adding.', calls }, { text: 'Five ```.' }, { text: 'Five.' }], {
    config: { servers: { files: fixture('legacy') } },
  });
  const { chat, id } = testChat;
  const first = await testChat.sendAndWait('What is 2 + 3?');
  await chat.retry(id, first.id);
  await testChat.waitForAnswer();
  await chat.select(id, first.id);
  const content = await chat.read(id);
  if (!content) throw new Error('The conversation does not exist');
  const markdown = toMarkdown(content.conversation, content.messages);
  expect(markdown).toContain('# What is 2 + 3?');
  expect(markdown).toContain('## You\n\nWhat is 2 + 3?');
  expect(markdown).toContain('**Tool call: files / add** (success)\n\n```json\n{\n  "a": 2,\n  "b": 3\n}\n```');
  expect(markdown).toContain('Five ```.');
  const branches = await chat.readBranches(id);
  const json = JSON.parse(toExportedJson(content.conversation, branches?.messages ?? []));
  expect(json).toMatchObject({ format: 'toolwharf-conversation', version: 1, conversation: { id } });
  expect(json.messages).toHaveLength(3);
});
