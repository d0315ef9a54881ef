import { describe, expect, test } from 'vitest';
import type { ToolCallPart } from '../../packages/contract/records/conversation.ts';
import { createGate, type Script } from '../fixtures/models/scripted-chat-server.ts';
import { fixture, tempDir } from '../support/fixtures.ts';
import { openScriptedChat, type TestChatOptions, textOf } from '../support/open-chat.ts';
import { waitFor } from '../support/wait-for.ts';

const config = { servers: { fixture: fixture('legacy') } };

const open = (script: readonly Script[], options: Omit<TestChatOptions, 'model'> = {}) =>
  openScriptedChat(script, { config, ...options });

describe('a conversation', () => {
  test('the answer of the model is streamed and stored with its usage', async () => {
    await using testChat = await open([{ text: 'Hello dear friend.', reasoning: 'A greeting.' }]);
    const { messages: before } = (await testChat.chat.read(testChat.id)) ?? { messages: undefined };
    expect(before).toEqual([]);
    const began = await testChat.chat.send(testChat.id, 'Hello?');
    expect(began).toMatchObject({ role: 'assistant', status: 'streaming', parts: [] });
    const answer = await testChat.waitForAnswer();
    expect(answer).toMatchObject({
      id: began.id,
      status: 'complete',
      model: 'Scripted · scripted',
      usage: { inputTokens: 10, outputTokens: 5 },
      parts: [
        { type: 'reasoning', text: 'A greeting.' },
        { type: 'text', text: 'Hello dear friend.' },
      ],
    });
    expect(await testChat.conversation()).toMatchObject({
      title: 'Hello?',
      status: 'idle',
      usage: { inputTokens: 10, outputTokens: 5 },
    });
    expect(await testChat.storage.conversations.messages(testChat.id)).toEqual(
      (await testChat.chat.read(testChat.id))?.messages,
    );
    expect(testChat.model.requests[0]?.messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hello?' },
    ]);
    expect(testChat.model.requests[0]?.headers.authorization).toBe('Bearer sk-secret-of-the-test');
  });

  test('tools that the model calls together run concurrently, and the model continues with their results [R14]', async () => {
    await using directory = await tempDir();
    const path = directory.file('passed');
    // The first call ends only after the second has run.
    await using testChat = await open(
      [
        {
          text: 'Let me see.',
          calls: [
            { name: 'mcp_gated_pass', args: { path }, id: 'slow' },
            { name: 'mcp_fixture_write', args: { path, text: 'done' }, id: 'quick' },
            { name: 'mcp_fixture_add', args: { a: 20, b: 22 }, id: 'sum' },
          ],
        },
        { text: 'It is 42.' },
      ],
      { config: { servers: { fixture: fixture('legacy'), gated: fixture('gated') } } },
    );
    const answer = await testChat.sendAndWait('What is 20 and 22?');
    expect(answer.status).toBe('complete');
    const [text, slow, quick, sum, step, rest] = answer.parts as [unknown, ...ToolCallPart[]];
    expect(text).toEqual({ type: 'text', text: 'Let me see.' });
    expect(sum).toMatchObject({
      name: 'mcp_fixture_add',
      tool: 'mcp_fixture_add',
      server: 'fixture',
      originalName: 'add',
      arguments: { a: 20, b: 22 },
      status: 'success',
      result: { isError: false, content: [{ type: 'text', text: '42' }] },
    });
    expect([slow?.status, quick?.status]).toEqual(['success', 'success']);
    expect([step, rest]).toEqual([{ type: 'step' }, { type: 'text', text: 'It is 42.' }]);
    const sent = testChat.model.requests[1]?.messages.slice(2);
    expect(sent).toMatchObject([
      { role: 'assistant', content: 'Let me see.', tool_calls: [{ id: 'slow' }, { id: 'quick' }, { id: 'sum' }] },
      { role: 'tool', tool_call_id: 'slow' },
      { role: 'tool', tool_call_id: 'quick' },
      { role: 'tool', tool_call_id: 'sum', content: '42' },
    ]);
    const record = await testChat.storage.journal.get(sum?.callId ?? '');
    expect(record).toMatchObject({
      status: 'success',
      caller: {
        id: `assistant:${testChat.assistant.id}`,
        kind: 'assistant',
        name: 'Tester',
        conversation: testChat.id,
      },
    });
    expect(answer.usage).toEqual({ inputTokens: 20, outputTokens: 10 });
  });

  test('a failing tool is shown as failed, reaches the model, and the model continues [R15]', async () => {
    await using testChat = await open([
      { calls: [{ name: 'mcp_fixture_fail' }] },
      ({ last }) => ({ text: `I see: ${last}` }),
    ]);
    const answer = await testChat.sendAndWait('Fail');
    const [call] = await testChat.calls();
    expect(call).toMatchObject({ status: 'error', result: { isError: true } });
    expect(answer.status).toBe('complete');
    expect(textOf(answer)).toMatch(/^I see: MCP error: /);
  });

  test('progress of a call is shown while it runs', async () => {
    await using testChat = await open([
      { calls: [{ name: 'mcp_fixture_sleep', args: { ms: 400 } }] },
      { text: 'Done.' },
    ]);
    await testChat.sendAndWait('Sleep');
    const states = testChat.events.flatMap((event) =>
      event.kind === 'part' && event.part.type === 'tool-call' ? [event.part] : [],
    );
    const statuses = states.map(({ status }) => status).filter((status, index, all) => status !== all[index - 1]);
    expect(statuses.slice(-2)).toEqual(['running', 'success']);
    expect(states.some(({ progress }) => (progress?.progress ?? 0) > 0)).toBe(true);
    expect(states.at(-1)).not.toHaveProperty('progress');
  });

  test('streamed text is collected into fewer events for watchers', async () => {
    const words = Array.from({ length: 200 }, (_, index) => `word${index} `);
    await using testChat = await open([{ text: words }]);
    const answer = await testChat.sendAndWait('Talk');
    expect(textOf(answer)).toBe(words.join(''));
    expect(testChat.events.filter(({ kind }) => kind === 'text').length).toBeLessThan(words.length);
  });

  test('the model receives the earlier messages of the conversation', async () => {
    await using testChat = await open([
      { calls: [{ name: 'mcp_fixture_echo', args: { text: 'one' }, id: 'c1' }] },
      { text: 'First.' },
      { text: 'Second.' },
    ]);
    await testChat.sendAndWait('One');
    await testChat.sendAndWait('Two');
    expect(testChat.model.requests[2]?.messages.slice(1)).toMatchObject([
      { role: 'user', content: 'One' },
      { role: 'assistant', tool_calls: [{ id: 'c1', function: { arguments: '{"text":"one"}' } }] },
      { role: 'tool', tool_call_id: 'c1', content: 'one' },
      { role: 'assistant', content: 'First.' },
      { role: 'user', content: 'Two' },
    ]);
    expect((await testChat.conversation()).usage).toEqual({ inputTokens: 30, outputTokens: 15 });
  });

  test('the model receives all of a large result, and the conversation stores a part that can be shown', async () => {
    await using testChat = await open([
      { calls: [{ name: 'mcp_fixture_big', args: { bytes: 200_000 } }] },
      { text: 'Big.' },
    ]);
    await testChat.sendAndWait('Big');
    const [call] = await testChat.calls();
    expect(call?.result?.cut).toBe(true);
    expect(JSON.stringify(call?.result).length).toBeLessThan(70_000);
    expect(testChat.model.requests[1]?.last.length).toBe(200_000);
  });

  test('unknown tool names, malformed arguments and invalid arguments of the model are answered with an error', async () => {
    await using testChat = await open([
      {
        calls: [
          { name: 'mcp_fixture_fly', args: {} },
          { name: 'mcp_fixture_echo', args: '{"text": "unterm' },
          { name: 'mcp_fixture_add', args: { a: 'one' } },
          { name: 'constructor', args: {} },
        ],
      },
      { text: 'Sorry.' },
    ]);
    expect((await testChat.sendAndWait('Go')).status).toBe('complete');
    const calls = await testChat.calls();
    expect(calls.map(({ status }) => status)).toEqual(['error', 'error', 'error', 'error']);
    expect(calls.map(({ result }) => result?.errorCode)).toEqual([
      'TOOL_NAME_INVALID',
      'ARGUMENTS_INVALID',
      'ARGUMENTS_INVALID',
      'TOOL_NAME_INVALID',
    ]);
    expect(calls.map(({ callId }) => callId !== undefined)).toEqual([false, false, true, false]);
    const toolMessages = testChat.model.requests[1]?.messages
      .filter(({ role }) => role === 'tool')
      .map(({ content }) => content);
    expect(toolMessages).toEqual([
      'MCP error: Invalid MCP tool name: mcp_fixture_fly',
      expect.stringContaining('not valid JSON'),
      expect.stringContaining('Invalid arguments for mcp_fixture_add'),
      'MCP error: Invalid MCP tool name: constructor',
    ]);
  });

  test('calls stay separate if the model gives them the same id or none', async () => {
    const call = (text: string, id: string) => ({ name: 'mcp_fixture_echo', args: { text }, id });
    await using testChat = await open([
      { calls: [call('one', 'call_0')] },
      { calls: [call('two', 'call_0')] },
      ({ messages }) => ({
        text: JSON.stringify(messages.filter(({ role }) => role === 'tool').map(({ content }) => content)),
      }),
    ]);
    expect(textOf(await testChat.sendAndWait('Go'))).toBe('["one","two"]');
    const ids = (await testChat.calls()).map(({ id }) => id);
    expect(new Set(ids).size).toBe(2);
    expect(ids[0]).toBe('call_0');
  });

  test('an answer stops at the limit of steps and continues on request', async () => {
    const again = { calls: [{ name: 'mcp_fixture_echo', args: { text: 'again' } }] };
    await using testChat = await open([again, again, again, { text: 'Enough.' }], { assistant: { maxSteps: 2 } });
    const answer = await testChat.sendAndWait('Loop');
    expect(answer).toMatchObject({ status: 'limited', problem: expect.stringMatching(/limit of 2 steps.*Continue/) });
    expect(testChat.model.requests).toHaveLength(2);
    await testChat.chat.resume(testChat.id);
    const rest = await testChat.waitForAnswer();
    expect(rest).toMatchObject({ id: answer.id, status: 'complete' });
    expect(rest).not.toHaveProperty('problem');
    expect(textOf(rest)).toBe('Enough.');
    expect(rest.usage).toEqual({ inputTokens: 40, outputTokens: 20 });
  });

  test('an answer stops at the limit of tokens, also in an endless text', async () => {
    await using testChat = await open(
      [
        { calls: [{ name: 'mcp_fixture_echo', args: { text: 'x' } }], usage: { inputTokens: 900, outputTokens: 200 } },
        { text: ['on and on '], endless: true },
      ],
      { assistant: { maxTokens: 1_000 } },
    );
    expect(await testChat.sendAndWait('Spend')).toMatchObject({
      status: 'limited',
      problem: expect.stringMatching(/1000 tokens/),
    });
    await testChat.chat.resume(testChat.id);
    const rest = await testChat.waitForAnswer();
    expect(rest).toMatchObject({ status: 'limited', problem: expect.stringMatching(/1000 tokens/) });
    expect(textOf(rest).length).toBeGreaterThan(1_000);
    await waitFor(() => testChat.model.abandoned === 1, { what: 'the end of the connection to the model' });
  });

  test('the model cannot call a tool that its assistant lacks, has disabled, or that the profile hides', async () => {
    const profiles = { team: { deny: ['fixture/write'], approval: { deny: ['*_add'] } } };
    await using testChat = await open(
      [
        {
          calls: ['pid', 'write', 'add', 'echo'].map((name) => ({
            name: `mcp_fixture_${name}`,
            args: { echo: { text: 'hi' }, add: { a: 1, b: 2 } }[name] ?? { path: '/nowhere', text: '' },
          })),
        },
        { text: 'So be it.' },
      ],
      {
        config: { ...config, servers: { ...config.servers, other: fixture('legacy') }, profiles },
        assistant: { serverIds: ['fixture'], disabledTools: ['fixture/pid'] },
        profile: 'team',
      },
    );
    await testChat.sendAndWait('Try');
    const shown = testChat.model.requests[0]?.tools ?? [];
    expect(shown).toContain('mcp_fixture_echo');
    expect(shown).not.toContain('mcp_fixture_pid');
    expect(shown).not.toContain('mcp_fixture_write');
    expect(shown.filter((name) => name.startsWith('mcp_other'))).toEqual([]);
    const calls = await testChat.calls();
    expect(calls.map(({ status, result }) => [status, result?.errorCode])).toEqual([
      ['error', 'TOOL_NAME_INVALID'],
      ['error', 'TOOL_NAME_INVALID'],
      ['denied', 'CALL_DENIED'],
      ['success', undefined],
    ]);
  });

  test('a conversation without its profile has no tools', async () => {
    await using testChat = await open([{ text: 'Nothing here.' }], { profile: 'gone' });
    await testChat.sendAndWait('Tools?');
    expect(testChat.model.requests[0]?.tools).toEqual([]);
  });

  test('a conversation streams one answer at a time', async () => {
    const gate = createGate();
    await using testChat = await open([{ text: 'One', hold: gate }, { text: 'Two' }, { text: 'Three' }]);
    const sent = await Promise.all(['a', 'b', 'c'].map((text) => testChat.chat.send(testChat.id, text)));
    gate.open();
    await testChat.waitForAnswer();
    const messages = (await testChat.chat.read(testChat.id))?.messages ?? [];
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant', 'user', 'assistant']);
    expect(messages.filter(({ role }) => role === 'assistant').map(({ id }) => id)).toEqual(sent.map(({ id }) => id));
    expect(messages.at(-1)?.status).toBe('complete');
    expect(messages.filter(({ status }) => status === 'streaming')).toEqual([]);
  });
});
