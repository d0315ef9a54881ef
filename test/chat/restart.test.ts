import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { appendFile, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { openStorage } from '../../src/storage/open-storage.ts';
import { createSealer } from '../../src/storage/sealer.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { createGate, type Script, startScriptedChat } from '../fixtures/models/scripted-chat-server.ts';
import { createSqliteWorkspace } from '../storage/kinds.ts';
import { fixture, tempDir } from '../support/fixtures.ts';
import { openTestChat, type TestChat, type TestChatOptions, textOf } from '../support/open-chat.ts';
import { waitFor } from '../support/wait-for.ts';

const config = { servers: { fixture: fixture('legacy') } };
const asks: TestChatOptions['assistant'] = { toolApproval: 'always-ask' };
const tellLast: Script = ({ last }) => ({ text: `Told: ${last}` });
const directories: string[] = [];
afterAll(() => {
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
});

/** Storage, and the same storage as a process would find it whose predecessor was killed at this moment. */
async function crashable(): Promise<AsyncDisposable & { storage: Storage; crash(): Promise<Storage> }> {
  const workspace = createSqliteWorkspace();
  const storage = await workspace.open();
  const others: Storage[] = [];
  return {
    storage,
    async crash() {
      const copy = mkdtempSync(join(tmpdir(), 'toolwharf-crash-'));
      directories.push(copy);
      cpSync(dirname(workspace.file), copy, { recursive: true });
      const file = join(copy, 'toolwharf.db');
      const opened = await openStorage({ kind: 'sqlite', file, sealer: createSealer(workspace.key) });
      others.push(opened);
      return opened;
    },
    async [Symbol.asyncDispose]() {
      for (const one of [storage, ...others]) await one.close();
      workspace[Symbol.dispose]();
    },
  };
}

async function isAsked(talk: TestChat): Promise<void> {
  await waitFor(async () => (await talk.calls()).some(({ status }) => status === 'asked'), { what: 'a question' });
  await waitFor(
    async () =>
      (await talk.storage.conversations.messages(talk.id))
        .at(-1)
        ?.parts.some((part) => part.type === 'tool-call' && part.status === 'asked'),
    { what: 'a question that is kept' },
  );
}

describe('an answer that waits for a person', () => {
  const write = (path: string) => ({ calls: [{ name: 'mcp_fixture_write', args: { path, text: 'ran' } }] });

  test('an answer awaiting approval continues after a restart with the same approval, and the tool runs once', async () => {
    await using directory = await tempDir();
    const path = directory.file('ran');
    await using model = await startScriptedChat([write(path), tellLast]);
    await using storage = await openStorage({ kind: 'memory' });
    const options = { config, model, storage, assistant: asks };
    let asked = '';
    {
      await using talk = await openTestChat(options);
      await talk.chat.send(talk.id, 'Write');
      asked = (await talk.question()).id;
      await isAsked(talk);
    }
    const [left] = await storage.conversations.list();
    expect(left?.status).toBe('asking');
    expect((await storage.conversations.messages(left?.id ?? '')).at(-1)).toMatchObject({ status: 'streaming' });
    await using talk = await openTestChat(options);
    expect((await talk.question()).id).toBe(asked);
    await isAsked(talk);
    expect(await talk.calls()).toMatchObject([{ approvalId: asked }]);
    await talk.answer({ kind: 'allow' });
    const answer = await talk.ended();
    expect(answer.status).toBe('complete');
    expect((await readFile(path, 'utf8')).trim().split('\n')).toEqual(['ran']);
    expect(await storage.approvals.list()).toHaveLength(1);
    expect(model.requests).toHaveLength(2);
  });

  test('an answer awaiting approval continues after a crash with the stored approval and the same call id', async () => {
    await using directory = await tempDir();
    const path = directory.file('ran');
    await using model = await startScriptedChat([write(path), tellLast]);
    await using workspace = await crashable();
    const options = { config, model, assistant: asks };
    await using before = await openTestChat({ ...options, storage: workspace.storage });
    await before.chat.send(before.id, 'Write');
    const asked = await before.question();
    await isAsked(before);
    const storage = await workspace.crash();
    expect(await storage.journal.get(asked.callId)).toMatchObject({ error: { code: 'TOOLBOX_CLOSED' } });
    await using after = await openTestChat({ ...options, storage });
    expect((await after.question()).id).toBe(asked.id);
    await after.answer({ kind: 'allow' });
    const answer = await after.ended();
    expect(answer.status).toBe('complete');
    const [call] = await after.calls();
    expect(call).toMatchObject({ status: 'success', callId: asked.callId });
    expect(await storage.journal.get(asked.callId)).toMatchObject({ status: 'success' });
    expect((await readFile(path, 'utf8')).trim().split('\n')).toEqual(['ran']);
  });

  test('an approval that was answered during the downtime runs its call at the start', async () => {
    await using model = await startScriptedChat([
      { calls: [{ name: 'mcp_fixture_echo', args: { text: 'hi' } }] },
      tellLast,
    ]);
    await using storage = await openStorage({ kind: 'memory' });
    const options = { config, model, storage, assistant: asks };
    let asked = '';
    {
      await using talk = await openTestChat(options);
      await talk.chat.send(talk.id, 'Echo');
      asked = (await talk.question()).id;
      await isAsked(talk);
    }
    await storage.approvals.answer(asked, { kind: 'allow' }, 'ann', Date.now());
    await using talk = await openTestChat(options);
    expect(textOf(await talk.ended())).toBe('Told: hi');
    expect(await storage.approvals.get(asked)).toMatchObject({ status: 'used' });
  });

  test('a resumed answer waits for a server that starts later', async () => {
    await using model = await startScriptedChat([
      { calls: [{ name: 'mcp_fixture_echo', args: { text: 'hi' } }] },
      tellLast,
    ]);
    await using storage = await openStorage({ kind: 'memory' });
    const options = { model, storage, assistant: asks };
    await using directory = await tempDir();
    const file = directory.file('started');
    const slow = (ms: string) => ({ servers: { fixture: fixture('slow-start', { START_MS: ms }) } });
    const held = { servers: { fixture: fixture('slow-start', { START_FILE: file, START_COUNT: '2' }) } };
    {
      await using talk = await openTestChat({ ...options, config: slow('0') });
      await talk.chat.send(talk.id, 'Echo');
      await isAsked(talk);
    }
    {
      // Stopped again before the server was there.
      await using talk = await openTestChat({ ...options, config: slow('60000'), startWaitMs: 0 });
      expect((await talk.conversation()).status).not.toBe('idle');
    }
    await using talk = await openTestChat({ ...options, config: held, startWaitMs: 0 });
    expect(talk.toolbox.tools).toEqual([]);
    await appendFile(file, 'now\n');
    await isAsked(talk);
    await talk.answer({ kind: 'allow' });
    expect(textOf(await talk.ended())).toBe('Told: hi');
  });

  test('an answer ends when its assistant was removed, and its approval is withdrawn', async () => {
    await using model = await startScriptedChat([{ calls: [{ name: 'mcp_fixture_echo', args: { text: 'hi' } }] }]);
    await using storage = await openStorage({ kind: 'memory' });
    const options = { config, model, storage, assistant: asks };
    {
      await using talk = await openTestChat(options);
      await talk.chat.send(talk.id, 'Echo');
      await isAsked(talk);
      await storage.assistants.remove(talk.assistant.id);
    }
    await using talk = await openTestChat(options);
    expect(await talk.ended()).toMatchObject({
      status: 'error',
      problem: expect.stringMatching(/assistant.*no longer exists/),
    });
    expect(await talk.calls()).toMatchObject([{ status: 'waiting' }]);
    expect(await storage.approvals.list({ status: 'pending' })).toEqual([]);
  });

  test('a resumed answer tells the model that its tool was removed', async () => {
    await using model = await startScriptedChat([
      { calls: [{ name: 'mcp_fixture_echo', args: { text: 'hi' } }] },
      tellLast,
    ]);
    await using storage = await openStorage({ kind: 'memory' });
    const options = { model, storage, assistant: asks };
    {
      await using talk = await openTestChat({ ...options, config });
      await talk.chat.send(talk.id, 'Echo');
      await isAsked(talk);
    }
    await using talk = await openTestChat({ ...options, config: { servers: {} } });
    expect(textOf(await talk.ended())).toMatch(/Told: MCP error: The tool mcp_fixture_echo is no longer available/);
  });
});

describe('an answer in the middle of something', () => {
  test('a call that a crash interrupts has an unknown outcome and is not run again', async () => {
    await using directory = await tempDir();
    const path = directory.file('ran');
    const calls = [
      { name: 'mcp_fixture_write', args: { path, text: 'ran' } },
      { name: 'mcp_fixture_sleep', args: { ms: 60_000 } },
    ];
    await using model = await startScriptedChat([{ calls }, tellLast, tellLast]);
    await using workspace = await crashable();
    await using before = await openTestChat({ config, model, storage: workspace.storage });
    await before.chat.send(before.id, 'Go');
    await waitFor(
      async () => (await before.calls()).map(({ status }) => status).join() === 'success,running' && before.last(),
      { what: 'a finished and a running call' },
    );
    await waitFor(async () =>
      JSON.stringify(await workspace.storage.conversations.messages(before.id)).includes('"running"'),
    );
    const storage = await workspace.crash();
    await using after = await openTestChat({ config, model, storage });
    const answer = await after.ended();
    expect(answer).toMatchObject({
      status: 'interrupted',
      problem: expect.stringMatching(/stopped during this answer/),
    });
    expect(await after.calls()).toMatchObject([
      { status: 'success' },
      { status: 'unknown', result: { isError: true, errorCode: 'OUTCOME_UNKNOWN' } },
    ]);
    expect(model.requests).toHaveLength(1);
    await after.chat.resume(after.id);
    expect(textOf(await after.ended())).toMatch(/Told: MCP error: .*unknown; it was not sent again/);
    expect((await readFile(path, 'utf8')).trim().split('\n')).toEqual(['ran']);
  });

  test('after a crash between journal and conversation, the conversation shows what the journal knows', async () => {
    await using model = await startScriptedChat([
      { calls: [{ name: 'mcp_fixture_echo', args: { text: 'kept' }, id: 'c1' }] },
      { text: 'x' },
    ]);
    await using storage = await openStorage({ kind: 'memory' });
    {
      await using talk = await openTestChat({ config, model, storage });
      await talk.say('Echo');
    }
    // As the store was before the conversation heard of the call's end.
    const [conversation] = await storage.conversations.list();
    const id = conversation?.id ?? '';
    const answer = (await storage.conversations.messages(id)).at(-1);
    const [call] = answer?.parts ?? [];
    if (!conversation || !answer || call?.type !== 'tool-call') throw new Error('There is no call');
    const { result: _, completedAt: __, ...running } = call;
    await storage.conversations.putMessage(id, {
      ...answer,
      status: 'streaming',
      parts: [{ ...running, status: 'running' }],
    });
    await storage.conversations.put({ ...conversation, status: 'running' });
    await using talk = await openTestChat({ config, model, storage });
    expect((await talk.ended()).status).toBe('interrupted');
    expect(await talk.calls()).toMatchObject([{ status: 'success', result: { content: [{ text: 'kept' }] } }]);
  });

  test('an interrupted answer keeps the text it had, after a crash and after a stop', async () => {
    for (const how of ['crash', 'stop'] as const) {
      const gate = createGate();
      await using model = await startScriptedChat([{ text: 'As I was saying', hold: gate }, { text: 'anyway.' }]);
      await using workspace = await crashable();
      await using stack = new AsyncDisposableStack();
      const before = stack.use(await openTestChat({ model, storage: workspace.storage }));
      await before.chat.send(before.id, 'Talk');
      await gate.reached;
      await waitFor(async () =>
        JSON.stringify(await workspace.storage.conversations.messages(before.id)).includes('As I was saying'),
      );
      if (how === 'stop') await before.chat.close();
      const storage = await workspace.crash();
      await using after = await openTestChat({ model, storage });
      const answer = await after.ended();
      expect(answer).toMatchObject({ status: 'interrupted', problem: expect.any(String) });
      expect(textOf(answer)).toBe('As I was saying');
      await after.chat.resume(after.id);
      expect(textOf(await after.ended())).toBe('As I was saying|anyway.');
      gate.open();
    }
  });

  test('a normal stop cancels running calls and keeps pending approvals', async () => {
    const calls = [
      { name: 'mcp_fixture_sleep', args: { ms: 60_000 } },
      { name: 'mcp_fixture_echo', args: { text: 'asked' } },
    ];
    await using model = await startScriptedChat([{ calls }, { text: 'All told.' }]);
    await using storage = await openStorage({ kind: 'memory' });
    const toolbox = { approval: { ask: ['*_echo'] } };
    const options = { config: { ...config, toolbox }, model, storage };
    {
      await using talk = await openTestChat(options);
      await talk.chat.send(talk.id, 'Both');
      await isAsked(talk);
      await waitFor(async () => (await talk.calls())[0]?.status === 'running', { what: 'a running call' });
    }
    const [left] = await storage.conversations.list();
    const parts = (await storage.conversations.messages(left?.id ?? '')).at(-1)?.parts;
    expect(parts).toMatchObject([{ status: 'cancelled' }, { status: 'asked' }]);
    await using talk = await openTestChat(options);
    await talk.answer({ kind: 'allow' });
    expect(textOf(await talk.ended())).toBe('All told.');
    expect((await talk.calls()).map(({ status }) => status)).toEqual(['cancelled', 'success']);
  });

  test('an answer with finished and unfinished calls can be continued or abandoned', async () => {
    const calls = [
      { name: 'mcp_fixture_sleep', args: { ms: 60_000 } },
      { name: 'mcp_fixture_echo', args: { text: 'asked' } },
    ];
    await using model = await startScriptedChat([{ calls }, { text: 'Left.' }]);
    await using workspace = await crashable();
    const options = { config: { ...config, toolbox: { approval: { ask: ['*_echo'] } } }, model };
    await using before = await openTestChat({ ...options, storage: workspace.storage });
    await before.chat.send(before.id, 'Both');
    await isAsked(before);
    await waitFor(async () => (await before.calls())[0]?.status === 'running', { what: 'a running call' });
    for (const choice of ['go on', 'leave'] as const) {
      await using after = await openTestChat({ ...options, storage: await workspace.crash() });
      expect((await after.ended()).status).toBe('interrupted');
      expect((await after.calls()).map(({ status }) => status)).toEqual(['unknown', 'waiting']);
      if (choice === 'go on') {
        await after.chat.resume(after.id);
        await waitFor(async () => (await after.calls())[1]?.status === 'asked', { what: 'the question' });
        await after.chat.stop(after.id);
        expect((await after.calls()).map(({ status }) => status)).toEqual(['unknown', 'denied']);
      } else {
        expect(textOf(await after.say('Leave it'))).toBe('Left.');
        const messages = (await after.chat.read(after.id))?.messages ?? [];
        expect(messages[1]).toMatchObject({
          status: 'interrupted',
          parts: [{ status: 'unknown' }, { status: 'cancelled' }],
        });
      }
    }
  });

  test('a new message settles the calls that never ran', async () => {
    await using model = await startScriptedChat([
      { calls: [{ name: 'mcp_fixture_echo', args: { text: 'asked' } }] },
      { text: 'Fine.' },
    ]);
    await using workspace = await crashable();
    const options = { config, model, assistant: asks };
    await using before = await openTestChat({ ...options, storage: workspace.storage });
    await before.chat.send(before.id, 'Echo');
    await isAsked(before);
    const storage = await workspace.crash();
    await using after = await openTestChat({ ...options, storage });
    await waitFor(async () => (await after.calls())[0]?.status === 'asked', { what: 'the question' });
    expect(textOf(await after.say('Never mind'))).toBe('Fine.');
    const messages = (await after.chat.read(after.id))?.messages ?? [];
    expect(messages[1]).toMatchObject({ status: 'stopped', parts: [{ status: 'denied' }] });
    expect(await storage.approvals.list({ status: 'pending' })).toEqual([]);
  });
});
