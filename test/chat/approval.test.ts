import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { createGate, type Script, startScriptedChat } from '../fixtures/models/scripted-chat-server.ts';
import { fixture, tempDir } from '../support/fixtures.ts';
import { openTestChat, type TestChatOptions, textOf } from '../support/open-chat.ts';
import { waitFor } from '../support/wait-for.ts';

const config = { servers: { fixture: fixture('legacy') } };
const echo = (text: string) => ({ name: 'mcp_fixture_echo', args: { text } });
const tellLast: Script = ({ last }) => ({ text: `Told: ${last}` });

async function open(script: readonly Script[], options: Omit<TestChatOptions, 'model'> = {}) {
  const model = await startScriptedChat(script);
  const talk = await openTestChat({ config, model, assistant: { toolApproval: 'always-ask' }, ...options });
  return {
    ...talk,
    model,
    async [Symbol.asyncDispose]() {
      await talk[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
    },
  };
}

describe('an assistant that always asks', () => {
  test('an assistant that always asks waits for the person, then runs the tool and continues [R8] [R14] [R16]', async () => {
    await using talk = await open([{ calls: [echo('hello')] }, tellLast]);
    await talk.chat.send(talk.id, 'Echo hello');
    const request = await talk.question();
    await waitFor(async () => (await talk.conversation()).status === 'asking', { what: 'a conversation that asks' });
    const [call] = await talk.calls();
    expect(call).toMatchObject({ status: 'asked', approvalId: request.id, callId: request.callId });
    expect(request).toMatchObject({
      caller: { id: `assistant:${talk.assistant.id}`, conversation: talk.id },
      arguments: { text: 'hello' },
      reason: 'approval mode is always-ask',
    });
    const [kept] = (await talk.storage.conversations.messages(talk.id)).slice(-1);
    expect(kept).toMatchObject({ status: 'streaming', parts: [{ status: 'asked', callId: request.callId }] });
    await talk.answer({ kind: 'allow' });
    const answer = await talk.ended();
    expect(textOf(answer)).toBe('Told: hello');
    const [done] = await talk.calls();
    expect(done).toMatchObject({ status: 'success', callId: request.callId });
    expect(done).not.toHaveProperty('approvalId');
  });

  test('the model is told of a denial and its reason [R14]', async () => {
    await using talk = await open([{ calls: [echo('secret')] }, tellLast]);
    await talk.chat.send(talk.id, 'Echo');
    await talk.answer({ kind: 'deny', reason: 'not this one' });
    const answer = await talk.ended();
    expect(answer.status).toBe('complete');
    expect(textOf(answer)).toMatch(/^Told: MCP error: .* was denied: not this one/);
    expect(await talk.calls()).toMatchObject([{ status: 'denied', result: { errorCode: 'CALL_DENIED' } }]);
  });

  test('a call with edited arguments runs with the edited ones', async () => {
    await using talk = await open([{ calls: [echo('mine')] }, tellLast]);
    await talk.chat.send(talk.id, 'Echo');
    await talk.answer({ kind: 'allow', arguments: { text: 'yours' } });
    expect(textOf(await talk.ended())).toBe('Told: yours');
    expect(await talk.calls()).toMatchObject([{ status: 'success', arguments: { text: 'yours' } }]);
    // The model is told what was called.
    expect(talk.model.requests[1]?.messages.at(-2)).toMatchObject({
      tool_calls: [{ function: { arguments: '{"text":"yours"}' } }],
    });
  });

  test('two equal calls need two approvals', async () => {
    await using talk = await open([{ calls: [echo('same'), echo('same')] }, { text: 'Both.' }]);
    await talk.chat.send(talk.id, 'Twice');
    const first = await talk.question();
    await talk.answer({ kind: 'allow' });
    await waitFor(async () => (await talk.question()).id !== first.id, { what: 'a second question' });
    expect((await talk.calls()).map(({ status }) => status)).toEqual(['success', 'asked']);
    await talk.answer({ kind: 'allow' });
    await talk.ended();
    expect((await talk.calls()).map(({ status }) => status)).toEqual(['success', 'success']);
  });

  test('other calls run while one awaits approval, and thinking time does not count', async () => {
    const ask = ['*_echo'];
    await using talk = await open(
      [{ calls: [echo('asked'), { name: 'mcp_fixture_add', args: { a: 1, b: 1 } }] }, { text: 'Done.' }],
      {
        config: { ...config, toolbox: { approval: { ask } } },
        assistant: { toolApproval: 'auto' },
      },
    );
    const sent = performance.now();
    await talk.chat.send(talk.id, 'Both');
    await talk.question();
    await waitFor(async () => (await talk.calls())[1]?.status === 'success', { what: 'the other call' });
    const asked = performance.now();
    await waitFor(() => performance.now() - asked > 700, { what: 'some thinking' });
    const thought = performance.now() - asked;
    await talk.answer({ kind: 'allow' });
    await talk.ended();
    const { durationMs } = await talk.conversation();
    expect(durationMs).toBeGreaterThan(0);
    expect(durationMs).toBeLessThanOrEqual(performance.now() - sent - thought + 50);
  });

  test('an answer for the whole conversation ends the asking in it', async () => {
    await using talk = await open([{ calls: [echo('1')] }, { calls: [echo('2')] }, { text: 'Done.' }]);
    await talk.chat.send(talk.id, 'Go');
    await talk.answer({ kind: 'allow', scope: 'conversation' });
    expect((await talk.ended()).status).toBe('complete');
    expect((await talk.calls()).map(({ status }) => status)).toEqual(['success', 'success']);
    expect(await talk.storage.approvals.list()).toHaveLength(1);
  });
});

test('an assistant that trusts some tools asks about the others [R16]', async () => {
  await using talk = await open([{ calls: [echo('trusted'), { name: 'mcp_fixture_pid' }] }, { text: 'Done.' }], {
    assistant: { toolApproval: 'trusted-only', trustedTools: ['fixture/echo'] },
  });
  await talk.chat.send(talk.id, 'Go');
  expect((await talk.question()).originalName).toBe('pid');
  await waitFor(async () => (await talk.calls())[0]?.status === 'success', { what: 'the trusted tool' });
  await talk.answer({ kind: 'allow' });
  await talk.ended();
  expect(await talk.storage.approvals.list()).toHaveLength(1);
});

test('an assistant that never asks does ask where the profile of the conversation does [R16]', async () => {
  const profiles = { careful: { approval: { mode: 'trusted-only', trustedTools: ['fixture/echo'] } } };
  await using talk = await open([{ calls: [echo('free'), { name: 'mcp_fixture_pid' }] }, { text: 'Done.' }], {
    config: { ...config, profiles },
    assistant: { toolApproval: 'auto' },
    profile: 'careful',
  });
  await talk.chat.send(talk.id, 'Go');
  expect((await talk.question()).originalName).toBe('pid');
  await talk.answer({ kind: 'deny' });
  await talk.ended();
  expect((await talk.calls()).map(({ status }) => status)).toEqual(['success', 'denied']);
});

describe('a person who does not wait', () => {
  test('stopping an answer denies its pending approval, and the model is not asked again', async () => {
    await using talk = await open([{ calls: [echo('never')] }]);
    await talk.chat.send(talk.id, 'Echo');
    const { id } = await talk.question();
    await talk.chat.stop(talk.id);
    const answer = await talk.ended();
    expect(answer.status).toBe('stopped');
    expect(await talk.calls()).toMatchObject([{ status: 'denied' }]);
    expect(await talk.storage.approvals.get(id)).toMatchObject({
      status: 'denied',
      answer: { reason: 'the user stopped the answer' },
    });
    expect(talk.model.requests).toHaveLength(1);
  });

  test('a new message denies the pending approval first, and the model is told why', async () => {
    await using talk = await open([{ calls: [echo('a'), echo('a')] }, { text: 'As you like.' }]);
    await talk.chat.send(talk.id, 'Echo');
    const { id } = await talk.question();
    const answer = await talk.say('No, leave it');
    expect(textOf(answer)).toBe('As you like.');
    expect(await talk.storage.approvals.get(id)).toMatchObject({ status: 'denied' });
    const messages = (await talk.chat.read(talk.id))?.messages ?? [];
    expect(messages[1]).toMatchObject({ status: 'stopped', parts: [{ status: 'denied' }, { status: 'cancelled' }] });
    const told = talk.model.requests[1]?.messages.filter(({ role }) => role === 'tool');
    expect(told?.[0]?.content).toMatch(/was denied: the user sent another message instead/);
    expect(talk.model.requests[1]?.last).toBe('No, leave it');
    expect(await talk.storage.approvals.list({ status: 'pending' })).toEqual([]);
  });

  test('stopping an answer cancels its running call at the server', async () => {
    await using directory = await tempDir();
    const path = directory.file('cancelled');
    await using talk = await open([{ calls: [{ name: 'mcp_slow_linger', args: { path } }] }], {
      config: { servers: { slow: fixture('cancellable') } },
      assistant: { toolApproval: 'auto' },
    });
    await talk.chat.send(talk.id, 'Wait');
    await waitFor(async () => (await talk.calls())[0]?.status === 'running', { what: 'a running call' });
    await talk.chat.stop(talk.id);
    expect((await talk.last()).status).toBe('stopped');
    const [call] = await talk.calls();
    expect(call).toMatchObject({ status: 'cancelled', result: { errorCode: 'CALL_CANCELLED' } });
    expect(await talk.storage.journal.get(call?.callId ?? '')).toMatchObject({ end: 'cancelled' });
    await waitFor(() => readFile(path, 'utf8').catch(() => ''), { what: 'the server to hear of it' });
  });

  test('stopping an answer keeps its text, and the model can continue from there', async () => {
    const gate = createGate();
    await using talk = await open([{ text: 'Once upon a time', hold: gate }, { text: ' there was a king.' }]);
    await talk.chat.send(talk.id, 'Tell me a story');
    await gate.reached;
    await waitFor(async () => textOf(await talk.last()).includes('time'), { what: 'the text' });
    await talk.chat.stop(talk.id);
    const answer = await talk.ended();
    expect(answer).toMatchObject({ status: 'stopped', parts: [{ type: 'text', text: 'Once upon a time' }] });
    await waitFor(() => talk.model.abandoned === 1, { what: 'the end of the connection to the model' });
    await talk.chat.resume(talk.id);
    const whole = await talk.ended();
    expect(whole).toMatchObject({ id: answer.id, status: 'complete' });
    expect(textOf(whole)).toBe('Once upon a time| there was a king.');
    const asked = talk.model.requests[1]?.messages.slice(-2);
    expect(asked).toMatchObject([{ role: 'assistant', content: 'Once upon a time' }, { role: 'user' }]);
    expect(asked?.[1]?.content).toMatch(/cut off/);
    gate.open();
  });

  test('stopping an idle conversation changes nothing', async () => {
    await using talk = await open([{ text: 'Hi.' }]);
    const answer = await talk.say('Hi');
    await talk.chat.stop(talk.id);
    expect(await talk.last()).toEqual(answer);
  });
});
