import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { openStorage } from '../../packages/gateway/core/storage/open-storage.ts';
import type { RunningCall } from '../../packages/toolwharf/invocation/call.ts';
import { createGate, type Script, startScriptedChat } from '../fixtures/models/scripted-chat-server.ts';
import { createCrashableStorage } from '../support/crashable-storage.ts';
import { fixture, tempDir } from '../support/fixtures.ts';
import { openTestChat, type TestChat, type TestChatOptions, textOf } from '../support/open-chat.ts';
import { waitFor } from '../support/wait-for.ts';

const config = { servers: { fixture: fixture('legacy') } };
const asks: TestChatOptions['assistant'] = { toolApproval: 'always-ask' };
const repeatLast: Script = ({ last }) => ({ text: `Received: ${last}` });

async function waitForStoredApproval(testChat: TestChat): Promise<void> {
  await waitFor(async () => (await testChat.calls()).some(({ status }) => status === 'asked'), { what: 'an approval' });
  await waitFor(
    async () =>
      (await testChat.storage.conversations.messages(testChat.id))
        .at(-1)
        ?.parts.some((part) => part.type === 'tool-call' && part.status === 'asked'),
    { what: 'a stored approval' },
  );
}

describe('an answer awaiting approval', () => {
  const write = (path: string) => ({ calls: [{ name: 'mcp_fixture_write', args: { path, text: 'ran' } }] });

  test('an answer awaiting approval continues after a restart with the same approval, and the tool runs once', async () => {
    await using directory = await tempDir();
    const path = directory.file('ran');
    await using model = await startScriptedChat([write(path), repeatLast]);
    await using storage = await openStorage({ kind: 'memory' });
    const options = { config, model, storage, assistant: asks };
    let approvalId = '';
    {
      await using testChat = await openTestChat(options);
      await testChat.chat.send(testChat.id, 'Write');
      approvalId = (await testChat.waitForApproval()).id;
      await waitForStoredApproval(testChat);
    }
    const [left] = await storage.conversations.list();
    expect(left?.status).toBe('asking');
    expect((await storage.conversations.messages(left?.id ?? '')).at(-1)).toMatchObject({ status: 'streaming' });
    await using testChat = await openTestChat(options);
    expect((await testChat.waitForApproval()).id).toBe(approvalId);
    await waitForStoredApproval(testChat);
    expect(await testChat.calls()).toMatchObject([{ approvalId }]);
    await testChat.answer({ kind: 'allow' });
    const answer = await testChat.waitForAnswer();
    expect(answer.status).toBe('complete');
    expect((await readFile(path, 'utf8')).trim().split('\n')).toEqual(['ran']);
    expect(await storage.approvals.list()).toHaveLength(1);
    expect(model.requests).toHaveLength(2);
  });

  test('an answer awaiting approval continues after a crash with the stored approval and the same call id', async () => {
    await using directory = await tempDir();
    const path = directory.file('ran');
    await using model = await startScriptedChat([write(path), repeatLast]);
    await using workspace = await createCrashableStorage();
    const options = { config, model, assistant: asks };
    await using before = await openTestChat({ ...options, storage: workspace.storage });
    await before.chat.send(before.id, 'Write');
    const approval = await before.waitForApproval();
    await waitForStoredApproval(before);
    const storage = await workspace.crash();
    expect(await storage.journal.get(approval.callId)).toMatchObject({ error: { code: 'TOOLBOX_CLOSED' } });
    await using after = await openTestChat({ ...options, storage });
    expect((await after.waitForApproval()).id).toBe(approval.id);
    await after.answer({ kind: 'allow' });
    const answer = await after.waitForAnswer();
    expect(answer.status).toBe('complete');
    const [call] = await after.calls();
    expect(call).toMatchObject({ status: 'success', callId: approval.callId });
    expect(await storage.journal.get(approval.callId)).toMatchObject({ status: 'success' });
    expect((await readFile(path, 'utf8')).trim().split('\n')).toEqual(['ran']);
  });

  test('an answer awaiting approval runs its call at the start if the approval was answered during the downtime', async () => {
    await using model = await startScriptedChat([
      { calls: [{ name: 'mcp_fixture_echo', args: { text: 'hi' } }] },
      repeatLast,
    ]);
    await using storage = await openStorage({ kind: 'memory' });
    const options = { config, model, storage, assistant: asks };
    let approvalId = '';
    {
      await using testChat = await openTestChat(options);
      await testChat.chat.send(testChat.id, 'Echo');
      approvalId = (await testChat.waitForApproval()).id;
      await waitForStoredApproval(testChat);
    }
    await storage.approvals.answer(approvalId, { kind: 'allow' }, 'ann', Date.now());
    await using testChat = await openTestChat(options);
    expect(textOf(await testChat.waitForAnswer())).toBe('Received: hi');
    expect(await storage.approvals.get(approvalId)).toMatchObject({ status: 'used' });
  });

  test('an answer awaiting approval waits for a server that starts later', async () => {
    await using model = await startScriptedChat([
      { calls: [{ name: 'mcp_fixture_echo', args: { text: 'hi' } }] },
      repeatLast,
    ]);
    await using storage = await openStorage({ kind: 'memory' });
    const options = { model, storage, assistant: asks };
    await using directory = await tempDir();
    const file = directory.file('started');
    // The same server each time, since an approval is bound to it. It starts once the file has a line besides its own.
    const held = { servers: { fixture: fixture('slow-start', { START_FILE: file, START_COUNT: '2' }) } };
    {
      await writeFile(file, 'now\n');
      await using testChat = await openTestChat({ ...options, config: held });
      await testChat.chat.send(testChat.id, 'Echo');
      await waitForStoredApproval(testChat);
    }
    {
      // Stopped before the server was available.
      await writeFile(file, '');
      await using testChat = await openTestChat({ ...options, config: held, startWaitMs: 0 });
      expect((await testChat.conversation()).status).not.toBe('idle');
    }
    await writeFile(file, '');
    await using testChat = await openTestChat({ ...options, config: held, startWaitMs: 0 });
    expect(testChat.toolbox.tools).toEqual([]);
    await appendFile(file, 'now\n');
    await waitForStoredApproval(testChat);
    await testChat.answer({ kind: 'allow' });
    expect(textOf(await testChat.waitForAnswer())).toBe('Received: hi');
  });

  test('an answer awaiting approval ends when its assistant was removed, and its approval is withdrawn', async () => {
    await using model = await startScriptedChat([{ calls: [{ name: 'mcp_fixture_echo', args: { text: 'hi' } }] }]);
    await using storage = await openStorage({ kind: 'memory' });
    const options = { config, model, storage, assistant: asks };
    {
      await using testChat = await openTestChat(options);
      await testChat.chat.send(testChat.id, 'Echo');
      await waitForStoredApproval(testChat);
      await storage.assistants.remove(testChat.assistant.id);
    }
    await using testChat = await openTestChat(options);
    expect(await testChat.waitForAnswer()).toMatchObject({
      status: 'error',
      problem: expect.stringMatching(/assistant.*no longer exists/),
    });
    expect(await testChat.calls()).toMatchObject([{ status: 'waiting' }]);
    expect(await storage.approvals.list({ status: 'pending' })).toEqual([]);
  });

  test('an answer awaiting approval informs the model that its tool was removed', async () => {
    await using model = await startScriptedChat([
      { calls: [{ name: 'mcp_fixture_echo', args: { text: 'hi' } }] },
      repeatLast,
    ]);
    await using storage = await openStorage({ kind: 'memory' });
    const options = { model, storage, assistant: asks };
    {
      await using testChat = await openTestChat({ ...options, config });
      await testChat.chat.send(testChat.id, 'Echo');
      await waitForStoredApproval(testChat);
    }
    await using testChat = await openTestChat({ ...options, config: { servers: {} } });
    expect(textOf(await testChat.waitForAnswer())).toMatch(
      /Received: MCP error: The tool mcp_fixture_echo is no longer available/,
    );
  });
});

describe('an interrupted answer', () => {
  test('an interrupted answer has an unknown outcome for the call that a crash interrupted, and the call is not run again', async () => {
    await using directory = await tempDir();
    const path = directory.file('ran');
    const calls = [
      { name: 'mcp_fixture_write', args: { path, text: 'ran' } },
      { name: 'mcp_fixture_sleep', args: { ms: 60_000 } },
    ];
    await using model = await startScriptedChat([{ calls }, repeatLast, repeatLast]);
    await using workspace = await createCrashableStorage();
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
    const answer = await after.waitForAnswer();
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
    expect(textOf(await after.waitForAnswer())).toMatch(/Received: MCP error: .*unknown; it was not sent again/);
    expect((await readFile(path, 'utf8')).trim().split('\n')).toEqual(['ran']);
  });

  test('an interrupted answer shows the result in the journal after a crash between journal and conversation', async () => {
    await using model = await startScriptedChat([
      { calls: [{ name: 'mcp_fixture_echo', args: { text: 'kept' }, id: 'c1' }] },
      { text: 'x' },
    ]);
    await using storage = await openStorage({ kind: 'memory' });
    {
      await using testChat = await openTestChat({ config, model, storage });
      await testChat.sendAndWait('Echo');
    }
    // The store as it was before the end of the call reached the conversation.
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
    await using testChat = await openTestChat({ config, model, storage });
    expect((await testChat.waitForAnswer()).status).toBe('interrupted');
    expect(await testChat.calls()).toMatchObject([{ status: 'success', result: { content: [{ text: 'kept' }] } }]);
  });

  test('an interrupted answer retains its text after a crash and after a stop', async () => {
    for (const how of ['crash', 'stop'] as const) {
      const gate = createGate();
      await using model = await startScriptedChat([{ text: 'As I was saying', hold: gate }, { text: 'anyway.' }]);
      await using workspace = await createCrashableStorage();
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
      const answer = await after.waitForAnswer();
      expect(answer).toMatchObject({ status: 'interrupted', problem: expect.any(String) });
      expect(textOf(answer)).toBe('As I was saying');
      await after.chat.resume(after.id);
      expect(textOf(await after.waitForAnswer())).toBe('As I was saying|anyway.');
      gate.open();
    }
  });

  test('an answer that a normal stop interrupted has cancelled calls and retains its pending approvals', async () => {
    const calls = [
      { name: 'mcp_fixture_sleep', args: { ms: 60_000 } },
      { name: 'mcp_fixture_echo', args: { text: 'asked' } },
    ];
    await using model = await startScriptedChat([{ calls }, { text: 'All done.' }]);
    await using storage = await openStorage({ kind: 'memory' });
    const toolbox = { approval: { ask: ['*_echo'] } };
    const options = { config: { ...config, toolbox }, model, storage };
    {
      await using testChat = await openTestChat(options);
      await testChat.chat.send(testChat.id, 'Both');
      await waitForStoredApproval(testChat);
      await waitFor(async () => (await testChat.calls())[0]?.status === 'running', { what: 'a running call' });
    }
    const [left] = await storage.conversations.list();
    const parts = (await storage.conversations.messages(left?.id ?? '')).at(-1)?.parts;
    expect(parts).toMatchObject([{ status: 'cancelled' }, { status: 'asked' }]);
    await using testChat = await openTestChat(options);
    await testChat.answer({ kind: 'allow' });
    expect(textOf(await testChat.waitForAnswer())).toBe('All done.');
    expect((await testChat.calls()).map(({ status }) => status)).toEqual(['cancelled', 'success']);
  });

  test('an interrupted answer with finished and unfinished calls can be continued or abandoned', async () => {
    const calls = [
      { name: 'mcp_fixture_sleep', args: { ms: 60_000 } },
      { name: 'mcp_fixture_echo', args: { text: 'asked' } },
    ];
    await using model = await startScriptedChat([{ calls }, { text: 'Left.' }]);
    await using workspace = await createCrashableStorage();
    const options = { config: { ...config, toolbox: { approval: { ask: ['*_echo'] } } }, model };
    await using before = await openTestChat({ ...options, storage: workspace.storage });
    await before.chat.send(before.id, 'Both');
    await waitForStoredApproval(before);
    await waitFor(async () => (await before.calls())[0]?.status === 'running', { what: 'a running call' });
    for (const choice of ['go on', 'leave'] as const) {
      await using after = await openTestChat({ ...options, storage: await workspace.crash() });
      expect((await after.waitForAnswer()).status).toBe('interrupted');
      expect((await after.calls()).map(({ status }) => status)).toEqual(['unknown', 'waiting']);
      if (choice === 'go on') {
        await after.chat.resume(after.id);
        await waitFor(async () => (await after.calls())[1]?.status === 'asked', { what: 'the approval' });
        await after.chat.stop(after.id);
        expect((await after.calls()).map(({ status }) => status)).toEqual(['unknown', 'denied']);
      } else {
        expect(textOf(await after.sendAndWait('Leave it'))).toBe('Left.');
        const messages = (await after.chat.read(after.id))?.messages ?? [];
        expect(messages[1]).toMatchObject({
          status: 'interrupted',
          parts: [{ status: 'unknown' }, { status: 'cancelled' }],
        });
      }
    }
  });

  test('an interrupted answer is followed by a new message, which settles the calls that never ran', async () => {
    await using model = await startScriptedChat([
      { calls: [{ name: 'mcp_fixture_echo', args: { text: 'asked' } }] },
      { text: 'Fine.' },
    ]);
    await using workspace = await createCrashableStorage();
    const options = { config, model, assistant: asks };
    await using before = await openTestChat({ ...options, storage: workspace.storage });
    await before.chat.send(before.id, 'Echo');
    await waitForStoredApproval(before);
    const storage = await workspace.crash();
    await using after = await openTestChat({ ...options, storage });
    const { callId } = await after.waitForApproval();
    const isAsking = () => (after.toolbox.calls.find(callId) as RunningCall | undefined)?.approval !== undefined;
    await waitFor(isAsking, { what: 'the call that asks again' });
    expect(textOf(await after.sendAndWait('Never mind'))).toBe('Fine.');
    const messages = (await after.chat.read(after.id))?.messages ?? [];
    expect(messages[1]).toMatchObject({ status: 'stopped', parts: [{ status: 'denied' }] });
    expect(await storage.approvals.list({ status: 'pending' })).toEqual([]);
  });
});
