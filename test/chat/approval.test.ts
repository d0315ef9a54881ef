import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { createGate, type Script } from '../fixtures/models/scripted-chat-server.ts';
import { fixture, tempDir } from '../support/fixtures.ts';
import { openScriptedChat, type TestChatOptions, textOf } from '../support/open-chat.ts';
import { waitFor } from '../support/wait-for.ts';

const config = { servers: { fixture: fixture('legacy') } };
const echo = (text: string) => ({ name: 'mcp_fixture_echo', args: { text } });
const repeatLast: Script = ({ last }) => ({ text: `Received: ${last}` });

const open = (script: readonly Script[], options: Omit<TestChatOptions, 'model'> = {}) =>
  openScriptedChat(script, { config, assistant: { toolApproval: 'always-ask' }, ...options });

describe('an assistant with always-ask approval', () => {
  test('an assistant with always-ask approval waits for the person, then runs the tool and continues [R8] [R14] [R16]', async () => {
    await using testChat = await open([{ calls: [echo('hello')] }, repeatLast]);
    await testChat.chat.send(testChat.id, 'Echo hello');
    const request = await testChat.waitForApproval();
    await waitFor(async () => (await testChat.conversation()).status === 'asking', {
      what: 'a conversation that asks',
    });
    const [call] = await testChat.calls();
    expect(call).toMatchObject({ status: 'asked', approvalId: request.id, callId: request.callId });
    expect(request).toMatchObject({
      caller: { id: `assistant:${testChat.assistant.id}`, conversation: testChat.id },
      arguments: { text: 'hello' },
      reason: 'the approval mode is always-ask',
    });
    const [stored] = (await testChat.storage.conversations.messages(testChat.id)).slice(-1);
    expect(stored).toMatchObject({ status: 'streaming', parts: [{ status: 'asked', callId: request.callId }] });
    await testChat.answer({ kind: 'allow' });
    const answer = await testChat.waitForAnswer();
    expect(textOf(answer)).toBe('Received: hello');
    const [done] = await testChat.calls();
    expect(done).toMatchObject({ status: 'success', callId: request.callId });
    expect(done).not.toHaveProperty('approvalId');
  });

  test('an assistant with always-ask approval passes a denial and its reason to the model [R14]', async () => {
    await using testChat = await open([{ calls: [echo('secret')] }, repeatLast]);
    await testChat.chat.send(testChat.id, 'Echo');
    await testChat.answer({ kind: 'deny', reason: 'not this one' });
    const answer = await testChat.waitForAnswer();
    expect(answer.status).toBe('complete');
    expect(textOf(answer)).toMatch(/^Received: MCP error: .* was denied: not this one/);
    expect(await testChat.calls()).toMatchObject([{ status: 'denied', result: { errorCode: 'CALL_DENIED' } }]);
  });

  test('an assistant with always-ask approval runs a call with the arguments that the person edited', async () => {
    await using testChat = await open([{ calls: [echo('mine')] }, repeatLast]);
    await testChat.chat.send(testChat.id, 'Echo');
    await testChat.answer({ kind: 'allow', arguments: { text: 'yours' } });
    expect(textOf(await testChat.waitForAnswer())).toBe('Received: yours');
    expect(await testChat.calls()).toMatchObject([{ status: 'success', arguments: { text: 'yours' } }]);
    // The model receives the edited arguments.
    expect(testChat.model.requests[1]?.messages.at(-2)).toMatchObject({
      tool_calls: [{ function: { arguments: '{"text":"yours"}' } }],
    });
  });

  test('an assistant with always-ask approval needs two approvals for two equal calls', async () => {
    await using testChat = await open([{ calls: [echo('same'), echo('same')] }, { text: 'Both.' }]);
    await testChat.chat.send(testChat.id, 'Twice');
    const first = await testChat.waitForApproval();
    await testChat.answer({ kind: 'allow' });
    await waitFor(async () => (await testChat.waitForApproval()).id !== first.id, { what: 'a second question' });
    expect((await testChat.calls()).map(({ status }) => status)).toEqual(['success', 'asked']);
    await testChat.answer({ kind: 'allow' });
    await testChat.waitForAnswer();
    expect((await testChat.calls()).map(({ status }) => status)).toEqual(['success', 'success']);
  });

  test('an assistant with always-ask approval runs other calls while one awaits approval, and the waiting time does not count', async () => {
    const ask = ['*_echo'];
    await using testChat = await open(
      [{ calls: [echo('asked'), { name: 'mcp_fixture_add', args: { a: 1, b: 1 } }] }, { text: 'Done.' }],
      {
        config: { ...config, toolbox: { approval: { ask } } },
        assistant: { toolApproval: 'auto' },
      },
    );
    const sent = performance.now();
    await testChat.chat.send(testChat.id, 'Both');
    await testChat.waitForApproval();
    await waitFor(async () => (await testChat.calls())[1]?.status === 'success', { what: 'the other call' });
    const start = performance.now();
    await waitFor(() => performance.now() - start > 4_000, { what: 'the thinking time' });
    const thinkingMs = performance.now() - start;
    await testChat.answer({ kind: 'allow' });
    await testChat.waitForAnswer();
    const { durationMs } = await testChat.conversation();
    expect(durationMs).toBeGreaterThan(0);
    // Half of the thinking time is tolerance: the stopwatch may stop a moment after the other call has ended.
    expect(durationMs).toBeLessThan(performance.now() - sent - thinkingMs / 2);
  });

  test('an assistant with always-ask approval does not ask again after an answer for the whole conversation', async () => {
    await using testChat = await open([{ calls: [echo('1')] }, { calls: [echo('2')] }, { text: 'Done.' }]);
    await testChat.chat.send(testChat.id, 'Go');
    await testChat.answer({ kind: 'allow', scope: 'conversation' });
    expect((await testChat.waitForAnswer()).status).toBe('complete');
    expect((await testChat.calls()).map(({ status }) => status)).toEqual(['success', 'success']);
    expect(await testChat.storage.approvals.list()).toHaveLength(1);
  });
});

test('an answer for all calls of a tool holds for the assistant that asked, and another assistant still asks [R16]', async () => {
  const repeated: Script = ({ last }) => (last === 'Go' ? { calls: [echo('1')] } : { text: 'Done.' });
  await using testChat = await open([repeated, repeated, repeated, repeated, repeated, repeated]);
  await testChat.chat.send(testChat.id, 'Go');
  await testChat.answer({ kind: 'allow', scope: 'tool' });
  await testChat.waitForAnswer();
  await testChat.sendAndWait('Go');
  expect(await testChat.calls()).toMatchObject([{ status: 'success', rule: expect.any(String) }]);
  expect(await testChat.storage.approvals.list()).toHaveLength(1);

  const second = { ...testChat.assistant, id: randomUUID(), name: 'Second' };
  await testChat.storage.assistants.put(second);
  const { id } = await testChat.chat.create({ owner: 'ann', assistantId: second.id });
  await testChat.chat.send(id, 'Go');
  expect((await testChat.waitForApproval()).caller.id).toBe(`assistant:${second.id}`);
  await testChat.answer({ kind: 'deny' });
  await waitFor(async () => (await testChat.chat.read(id))?.conversation.status === 'idle', { what: 'the answer' });
  expect(await testChat.storage.approvals.list()).toHaveLength(2);
});

test('an assistant with trusted-only approval asks about the other tools [R16]', async () => {
  await using testChat = await open([{ calls: [echo('trusted'), { name: 'mcp_fixture_pid' }] }, { text: 'Done.' }], {
    assistant: { toolApproval: 'trusted-only', trustedTools: ['fixture/echo'] },
  });
  await testChat.chat.send(testChat.id, 'Go');
  expect((await testChat.waitForApproval()).originalName).toBe('pid');
  await waitFor(async () => (await testChat.calls())[0]?.status === 'success', { what: 'the trusted tool' });
  await testChat.answer({ kind: 'allow' });
  await testChat.waitForAnswer();
  expect(await testChat.storage.approvals.list()).toHaveLength(1);
});

test('an assistant with auto approval asks if the profile of the conversation requires approval [R16]', async () => {
  const profiles = { careful: { approval: { mode: 'trusted-only', trustedTools: ['fixture/echo'] } } };
  await using testChat = await open([{ calls: [echo('free'), { name: 'mcp_fixture_pid' }] }, { text: 'Done.' }], {
    config: { ...config, profiles },
    assistant: { toolApproval: 'auto' },
    profile: 'careful',
  });
  await testChat.chat.send(testChat.id, 'Go');
  expect((await testChat.waitForApproval()).originalName).toBe('pid');
  await testChat.answer({ kind: 'deny' });
  await testChat.waitForAnswer();
  expect((await testChat.calls()).map(({ status }) => status)).toEqual(['success', 'denied']);
});

describe('a person who does not wait for the answer', () => {
  test('a person who does not wait for the answer denies the pending approval by stopping the answer, and no further model request is made', async () => {
    await using testChat = await open([{ calls: [echo('never')] }]);
    await testChat.chat.send(testChat.id, 'Echo');
    const { id } = await testChat.waitForApproval();
    await testChat.chat.stop(testChat.id);
    const answer = await testChat.waitForAnswer();
    expect(answer.status).toBe('stopped');
    expect(await testChat.calls()).toMatchObject([{ status: 'denied' }]);
    expect(await testChat.storage.approvals.get(id)).toMatchObject({
      status: 'denied',
      answer: { reason: 'the user stopped the answer' },
    });
    expect(testChat.model.requests).toHaveLength(1);
  });

  test('a person who does not wait for the answer denies the pending approval by sending a new message, and the model receives the reason', async () => {
    await using testChat = await open([{ calls: [echo('a'), echo('a')] }, { text: 'As you like.' }]);
    await testChat.chat.send(testChat.id, 'Echo');
    const { id } = await testChat.waitForApproval();
    const answer = await testChat.sendAndWait('No, leave it');
    expect(textOf(answer)).toBe('As you like.');
    expect(await testChat.storage.approvals.get(id)).toMatchObject({ status: 'denied' });
    const messages = (await testChat.chat.read(testChat.id))?.messages ?? [];
    expect(messages[1]).toMatchObject({ status: 'stopped', parts: [{ status: 'denied' }, { status: 'cancelled' }] });
    const toolMessages = testChat.model.requests[1]?.messages.filter(({ role }) => role === 'tool');
    expect(toolMessages?.[0]?.content).toMatch(/was denied: the user sent another message instead/);
    expect(testChat.model.requests[1]?.last).toBe('No, leave it');
    expect(await testChat.storage.approvals.list({ status: 'pending' })).toEqual([]);
  });

  test('a person who does not wait for the answer cancels the running call at the server by stopping the answer', async () => {
    await using directory = await tempDir();
    const path = directory.file('cancelled');
    await using testChat = await open([{ calls: [{ name: 'mcp_slow_linger', args: { path } }] }], {
      config: { servers: { slow: fixture('cancellable') } },
      assistant: { toolApproval: 'auto' },
    });
    await testChat.chat.send(testChat.id, 'Wait');
    await waitFor(async () => (await testChat.calls())[0]?.status === 'running', { what: 'a running call' });
    await testChat.chat.stop(testChat.id);
    expect((await testChat.last()).status).toBe('stopped');
    const [call] = await testChat.calls();
    expect(call).toMatchObject({ status: 'cancelled', result: { errorCode: 'CALL_CANCELLED' } });
    expect(await testChat.storage.journal.get(call?.callId ?? '')).toMatchObject({ end: 'cancelled' });
    await waitFor(() => readFile(path, 'utf8').catch(() => ''), { what: 'the server to hear of it' });
  });

  test('a person who does not wait for the answer can stop the answer, which retains its text, and let the model continue from there', async () => {
    const gate = createGate();
    await using testChat = await open([{ text: 'Once upon a time', hold: gate }, { text: ' there was a king.' }]);
    await testChat.chat.send(testChat.id, 'Tell me a story');
    await gate.reached;
    await waitFor(async () => textOf(await testChat.last()).includes('time'), { what: 'the text' });
    await testChat.chat.stop(testChat.id);
    const answer = await testChat.waitForAnswer();
    expect(answer).toMatchObject({ status: 'stopped', parts: [{ type: 'text', text: 'Once upon a time' }] });
    await waitFor(() => testChat.model.abandoned === 1, { what: 'the end of the connection to the model' });
    await testChat.chat.resume(testChat.id);
    const whole = await testChat.waitForAnswer();
    expect(whole).toMatchObject({ id: answer.id, status: 'complete' });
    expect(textOf(whole)).toBe('Once upon a time| there was a king.');
    const continuation = testChat.model.requests[1]?.messages.slice(-2);
    expect(continuation).toMatchObject([{ role: 'assistant', content: 'Once upon a time' }, { role: 'user' }]);
    expect(continuation?.[1]?.content).toMatch(/cut off/);
    gate.open();
  });

  test('a person who does not wait for the answer can stop an idle conversation without effect', async () => {
    await using testChat = await open([{ text: 'Hi.' }]);
    const answer = await testChat.sendAndWait('Hi');
    await testChat.chat.stop(testChat.id);
    expect(await testChat.last()).toEqual(answer);
  });
});
