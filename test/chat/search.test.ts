import { describe, expect, test } from 'vitest';
import { assistantTools } from '../../packages/gateway/features/chat/assistant-tools.ts';
import type { Script } from '../fixtures/models/scripted-chat-server.ts';
import { fixture } from '../support/fixtures.ts';
import { openScriptedChat, type TestChatOptions, textOf } from '../support/open-chat.ts';

const config = { servers: { fixture: fixture('legacy') } };
const searchTools = ['search_tools', 'describe_tools', 'call_tool'];
const search: Script = { calls: [{ name: 'search_tools', args: { query: 'echo the text' } }] };
const callFirst =
  (args: object): Script =>
  ({ last }) => {
    const [found] = (JSON.parse(last) as { tools: { name: string }[] }).tools;
    return { calls: [{ name: 'call_tool', args: { name: found?.name, arguments: args } }] };
  };
const repeatLast: Script = ({ last }) => ({ text: `Received: ${last}` });

const open = (script: readonly Script[], assistant: TestChatOptions['assistant'] = {}) =>
  openScriptedChat(script, { config, assistant: { expose: 'search', ...assistant } });

describe('an assistant that searches its tools', () => {
  test('the model is shown three tools, and its call through call_tool is a call of the tool itself', async () => {
    await using testChat = await open([search, callFirst({ text: 'ahoy' }), repeatLast, repeatLast]);
    expect(textOf(await testChat.sendAndWait('Echo ahoy'))).toBe('Received: ahoy');
    expect(testChat.model.requests[0]?.tools).toEqual(searchTools);
    const parts = await testChat.calls();
    expect(parts).toMatchObject([
      { name: 'search_tools', status: 'success' },
      { name: 'call_tool', tool: 'mcp_fixture_echo', server: 'fixture', originalName: 'echo', status: 'success' },
    ]);
    expect(parts[1]?.arguments).toEqual({ text: 'ahoy' });
    const calls = (await testChat.toolbox.calls.list()).filter(({ kind }) => kind === undefined);
    expect(calls).toMatchObject([{ server: 'fixture', originalName: 'echo', parent: { kind: 'answer' } }]);
    const [searched] = (await testChat.toolbox.calls.list()).filter(({ kind }) => kind === 'search');
    expect(searched).toMatchObject({
      ...{ id: parts[0]?.callId, tool: 'search_tools', arguments: { query: 'echo the text' }, status: 'success' },
      ...{ parent: calls[0]?.parent, caller: calls[0]?.caller },
    });
    // The model gets its own call back, in this answer and in later ones.
    const sent = {
      function: { name: 'call_tool', arguments: '{"name":"mcp_fixture_echo","arguments":{"text":"ahoy"}}' },
    };
    expect(testChat.model.requests[2]?.messages.at(-2)).toMatchObject({ tool_calls: [sent] });
    await testChat.sendAndWait('And now?');
    expect(JSON.stringify(testChat.model.requests[3]?.messages)).toContain(JSON.stringify(sent.function.arguments));
  });

  test('a call through call_tool waits for the approval of the tool itself', async () => {
    await using testChat = await open([search, callFirst({ text: 'ahoy' }), repeatLast], {
      toolApproval: 'always-ask',
    });
    await testChat.chat.send(testChat.id, 'Echo ahoy');
    const request = await testChat.waitForApproval();
    expect(request).toMatchObject({ tool: 'mcp_fixture_echo', arguments: { text: 'ahoy' } });
    await testChat.answer({ kind: 'allow', arguments: { text: 'edited' } });
    expect(textOf(await testChat.waitForAnswer())).toBe('Received: edited');
    expect((await testChat.calls())[1]).toMatchObject({ status: 'success', arguments: { text: 'edited' } });
  });

  test('a wrong name is answered with similar names, and wrong arguments with what the schema requires', async () => {
    const call = (args: object): Script => ({ calls: [{ name: 'call_tool', args }] });
    await using testChat = await open([
      call({ name: 'mcp_fixture_ecko', arguments: { text: 'a' } }),
      call({ name: 'mcp_fixture_echo', arguments: { text: 5 } }),
      call({ name: 'mcp_fixture_echo', arguments: 'none' }),
      repeatLast,
    ]);
    await testChat.sendAndWait('Echo');
    const [wrongName, wrongArguments, noObject] = (await testChat.calls()).map((part) => JSON.stringify(part.result));
    expect(wrongName).toContain('Similar tools: mcp_fixture_echo');
    expect(wrongArguments).toMatch(/text.*string/);
    expect(noObject).toContain('call_tool');
  });

  test('the assistant does not find or call tools that are disabled', async () => {
    const hidden: Script = {
      calls: [{ name: 'call_tool', args: { name: 'mcp_fixture_echo', arguments: { text: 'x' } } }],
    };
    await using testChat = await open([search, hidden, repeatLast], { disabledTools: ['fixture/echo'] });
    await testChat.sendAndWait('Echo');
    const [found, called] = await testChat.calls();
    expect(JSON.stringify(found?.result)).not.toContain('mcp_fixture_echo');
    expect(called).toMatchObject({ status: 'error' });
    expect(await testChat.toolbox.calls.list({ server: 'fixture' })).toEqual([]);
  });

  test('the preview says how the model is shown the tools and what that costs', async () => {
    await using testChat = await open([]);
    const { toolbox } = testChat;
    const ports = { toolbox: toolbox as never, serverNames: async () => new Map<string, string>() };
    const settings = { serverIds: ['fixture'], disabledTools: [], trustedTools: [] };
    const all = await assistantTools({ ...settings, expose: 'auto' }, ports);
    expect(all).toMatchObject({ exposed: 'all', estimatedTokens: all.allTokens });
    const searched = await assistantTools({ ...settings, expose: 'search' }, ports);
    expect(searched).toMatchObject({ exposed: 'search', count: all.count, allTokens: all.allTokens });
    expect(searched.estimatedTokens).not.toBe(all.estimatedTokens);
  });
});
