import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { ToolwharfError } from '../../src/kernel/errors.ts';
import { openStorage } from '../../src/storage/open-storage.ts';
import { createGate, startScriptedChat } from '../fixtures/models/scripted-chat-server.ts';
import { collectLog, fixture, tempDir } from '../support/fixtures.ts';
import { openTestChat } from '../support/open-chat.ts';
import { waitFor } from '../support/wait-for.ts';

const config = { servers: { fixture: fixture('legacy') } };

describe('a store that fails', () => {
  const broken = () => Promise.reject(new ToolwharfError('STORAGE_UNAVAILABLE', 'The disk is full'));

  test('a call that cannot be stored does not run, and the person is told', async () => {
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
    await using talk = await openTestChat({ config, model, storage, ports });
    await talk.chat.send(talk.id, 'Write');
    const isTold = () =>
      talk.events.find((event) => event.kind === 'message' && event.message.problem === 'The disk is full');
    expect(await waitFor(isTold, { what: 'a word about it' })).toMatchObject({ message: { status: 'error' } });
    isFull = false;
    // What could be kept is what there is.
    const answer = await talk.ended();
    expect(answer).toMatchObject({ status: 'interrupted', parts: [{ type: 'text', text: 'First' }] });
    expect(await readFile(path, 'utf8').catch(() => 'not there')).toBe('not there');
  });

  test('an answer can be stopped although the store fails', async () => {
    const gate = createGate();
    await using model = await startScriptedChat([{ text: 'Talking', hold: gate }]);
    await using talk = await openTestChat({ model, ports: { denyApprovals: broken } });
    await talk.chat.send(talk.id, 'Talk');
    await gate.reached;
    await expect(talk.chat.stop(talk.id)).rejects.toThrow('The disk is full');
    expect((await talk.ended()).status).toBe('stopped');
    gate.open();
  });

  test('a conversation that cannot be recovered does not affect the others', async () => {
    await using model = await startScriptedChat([]);
    await using storage = await openStorage({ kind: 'memory' });
    const { log, entries } = collectLog();
    {
      await using talk = await openTestChat({ model, storage });
      const conversation = await talk.conversation();
      await storage.conversations.put({ ...conversation, status: 'running' });
      await storage.conversations.put({ ...conversation, id: crypto.randomUUID(), status: 'running' });
    }
    let times = 0;
    const conversations: typeof storage.conversations = {
      ...storage.conversations,
      claim: (id) => (++times === 1 ? broken() : storage.conversations.claim(id)),
    };
    await using talk = await openTestChat({ model, storage, ports: { storage: { ...storage, conversations }, log } });
    expect((await talk.chat.list()).map(({ status }) => status).sort()).toEqual(['idle', 'running']);
    expect(entries.map(({ event }) => event)).toEqual(['chat.not-recovered']);
  });
});

test('a conversation that another process answers is left to that process', async () => {
  await using model = await startScriptedChat([]);
  await using storage = await openStorage({ kind: 'memory' });
  const conversations = { ...storage.conversations, claim: async () => false };
  await using talk = await openTestChat({ model, storage, ports: { storage: { ...storage, conversations } } });
  await expect(talk.chat.send(talk.id, 'x')).rejects.toMatchObject({ code: 'CONFLICT' });
  expect((await talk.chat.read(talk.id))?.messages).toEqual([]);
});

test('a closed chat starts no answer', async () => {
  await using model = await startScriptedChat([]);
  await using talk = await openTestChat({ model });
  await talk.chat.close();
  await expect(talk.chat.send(talk.id, 'x')).rejects.toMatchObject({ code: 'TOOLBOX_CLOSED' });
});

test('conversations that another process abandoned are taken over while running', async () => {
  await using model = await startScriptedChat([{ text: 'x' }]);
  await using storage = await openStorage({ kind: 'memory' });
  await using talk = await openTestChat({ model, storage, ports: { recoveryIntervalMs: 20 } });
  const left = { ...(await talk.conversation()), id: crypto.randomUUID(), status: 'running' as const };
  await storage.conversations.put(left);
  await waitFor(async () => (await storage.conversations.get(left.id))?.status === 'idle', { what: 'the end of it' });
  expect((await talk.say('Hi')).status).toBe('complete');
});
