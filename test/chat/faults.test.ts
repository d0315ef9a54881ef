import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { ToolwharfError } from '../../packages/contract/errors.ts';
import { openStorage } from '../../packages/gateway/core/storage/open-storage.ts';
import { createGate, startScriptedChat } from '../fixtures/models/scripted-chat-server.ts';
import { collectLog, fixture, tempDir } from '../support/fixtures.ts';
import { openTestChat } from '../support/open-chat.ts';
import { waitFor } from '../support/wait-for.ts';

const config = { servers: { fixture: fixture('legacy') } };

describe('while the store fails', () => {
  const broken = () => Promise.reject(new ToolwharfError('STORAGE_UNAVAILABLE', 'The disk is full'));

  test('a call that cannot be stored does not run, and the failure is reported to the person', async () => {
    await using directory = await tempDir();
    const path = directory.file('ran');
    await using model = await startScriptedChat([
      { text: 'First', calls: [{ name: 'mcp_fixture_write', args: { path, text: 'ran' } }] },
    ]);
    await using storage = await openStorage({ kind: 'memory' });
    let isFull = true;
    const conversations: typeof storage.conversations = {
      ...storage.conversations,
      putMessage: (id, message) =>
        isFull && message.parts.some(({ type }) => type === 'tool-call')
          ? broken()
          : storage.conversations.putMessage(id, message),
    };
    const ports = { storage: { ...storage, conversations }, recoveryIntervalMs: 20 };
    await using testChat = await openTestChat({ config, model, storage, ports });
    await testChat.chat.send(testChat.id, 'Write');
    const failureEvent = () =>
      testChat.events.find((event) => event.kind === 'message' && event.message.problem === 'The disk is full');
    expect(await waitFor(failureEvent, { what: 'the failure' })).toMatchObject({ message: { status: 'error' } });
    isFull = false;
    // The answer contains the parts that were stored.
    const answer = await testChat.waitForAnswer();
    expect(answer).toMatchObject({ status: 'interrupted', parts: [{ type: 'text', text: 'First' }] });
    expect(await readFile(path, 'utf8').catch(() => 'not there')).toBe('not there');
  });

  test('an answer can be stopped', async () => {
    const gate = createGate();
    await using model = await startScriptedChat([{ text: 'Talking', hold: gate }]);
    await using testChat = await openTestChat({ model, ports: { denyApprovals: broken } });
    await testChat.chat.send(testChat.id, 'Talk');
    await gate.reached;
    await expect(testChat.chat.stop(testChat.id)).rejects.toThrow('The disk is full');
    expect((await testChat.waitForAnswer()).status).toBe('stopped');
    gate.open();
  });

  test('a conversation that cannot be recovered does not affect the others', async () => {
    await using model = await startScriptedChat([]);
    await using storage = await openStorage({ kind: 'memory' });
    const { log, entries } = collectLog();
    {
      await using testChat = await openTestChat({ model, storage });
      const conversation = await testChat.conversation();
      await storage.conversations.put({ ...conversation, status: 'running' });
      await storage.conversations.put({ ...conversation, id: crypto.randomUUID(), status: 'running' });
    }
    let times = 0;
    const conversations: typeof storage.conversations = {
      ...storage.conversations,
      claim: (id) => (++times === 1 ? broken() : storage.conversations.claim(id)),
    };
    await using testChat = await openTestChat({
      model,
      storage,
      ports: { storage: { ...storage, conversations }, log },
    });
    expect((await testChat.chat.list()).map(({ status }) => status).sort()).toEqual(['idle', 'running']);
    expect(entries.map(({ event }) => event)).toEqual(['chat.not-recovered']);
  });
});

test('a conversation that another process answers is left to that process', async () => {
  await using model = await startScriptedChat([]);
  await using storage = await openStorage({ kind: 'memory' });
  const conversations = { ...storage.conversations, claim: async () => false };
  await using testChat = await openTestChat({ model, storage, ports: { storage: { ...storage, conversations } } });
  await expect(testChat.chat.send(testChat.id, 'x')).rejects.toMatchObject({ code: 'CONFLICT' });
  expect((await testChat.chat.read(testChat.id))?.messages).toEqual([]);
});

test('a closed chat starts no answer', async () => {
  await using model = await startScriptedChat([]);
  await using testChat = await openTestChat({ model });
  await testChat.chat.close();
  await expect(testChat.chat.send(testChat.id, 'x')).rejects.toMatchObject({ code: 'TOOLBOX_CLOSED' });
});

test('conversations that another process abandoned are taken over at run time', async () => {
  await using model = await startScriptedChat([{ text: 'x' }]);
  await using storage = await openStorage({ kind: 'memory' });
  await using testChat = await openTestChat({ model, storage, ports: { recoveryIntervalMs: 20 } });
  const left = { ...(await testChat.conversation()), id: crypto.randomUUID(), status: 'running' as const };
  await storage.conversations.put(left);
  await waitFor(async () => (await storage.conversations.get(left.id))?.status === 'idle', { what: 'the end of it' });
  expect((await testChat.sendAndWait('Hi')).status).toBe('complete');
});
