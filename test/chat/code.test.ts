import { describe, expect, test } from 'vitest';
import { assistantTools } from '../../packages/gateway/features/chat/assistant-tools.ts';
import type { Script } from '../fixtures/models/scripted-chat-server.ts';
import { fixture } from '../support/fixtures.ts';
import { openScriptedChat, type TestChatOptions, textOf } from '../support/open-chat.ts';
import { waitFor } from '../support/wait-for.ts';

const config = {
  servers: { fixture: fixture('legacy'), other: fixture('legacy') },
  toolbox: {
    chains: {
      echo_other: { steps: [{ tool: 'mcp_other_echo', arguments: { text: 'by a chain' } }] },
    },
  },
  profiles: {
    trusting: { approval: { mode: 'trusted-only', trustedTools: ['echo_other'] } },
  },
};
const serverIds = ['fixture', 'local'];
const run = (code: string): Script => ({ calls: [{ name: 'run_code', args: { code } }] });
const repeatLast: Script = ({ last }) => ({ text: `Received: ${last}` });
const both =
  "(await Promise.allSettled(['a', 'b'].map((text) => tools.fixture.echo({ text })))).map(({ value, reason }) => value ?? reason.code)";

const open = (script: readonly Script[], options: Omit<TestChatOptions, 'model' | 'config'> = {}) =>
  openScriptedChat(script, { ...options, config, assistant: { expose: 'code', serverIds, ...options.assistant } });

describe('an assistant that runs scripts over its tools', () => {
  test('the model is shown the tools for scripts, and the calls of its script are children of the script', async () => {
    const search: Script = { calls: [{ name: 'search_tools', args: { query: 'echo the text' } }] };
    const describeFirst: Script = ({ last }) => {
      const [found] = (JSON.parse(last) as { tools: { name: string }[] }).tools;
      return { calls: [{ name: 'describe_tools', args: { names: [found?.name] } }] };
    };
    await using testChat = await open([search, describeFirst, run(both), repeatLast]);
    expect(textOf(await testChat.sendAndWait('Echo'))).toBe('Received: ["a","b"]');
    expect(testChat.model.requests[0]?.tools).toEqual(['run_code', 'search_tools', 'describe_tools']);
    const [found, described, script] = await testChat.calls();
    expect(JSON.stringify(found?.result)).toContain('tools.fixture.echo');
    expect(JSON.stringify(described?.result)).toContain('echo(args: {');
    expect(script).toMatchObject({ name: 'run_code', status: 'success' });
    const calls = (await testChat.toolbox.calls.list()).filter(({ kind }) => kind === undefined);
    const { id } = calls.find(({ tool }) => tool === 'run_code') ?? {};
    expect(id).toBe(script?.callId);
    const steps = calls.filter(({ parent }) => parent?.kind === 'call');
    expect(steps).toHaveLength(2);
    for (const step of steps) {
      expect(step).toMatchObject({ server: 'fixture', originalName: 'echo', parent: { id } });
      expect(step.caller).toMatchObject({ kind: 'assistant', conversation: testChat.id });
    }
  });

  test('a script finds and calls only the tools that the assistant has', async () => {
    const code = `const found = [...await search('echo the text'), ...await search('add numbers')].map(({ name }) => name);
      const hidden = await tools.other.echo({ text: 'x' }).catch(({ code }) => code);
      const disabled = await tools.fixture.add({ a: 1, b: 2 }).catch(({ code }) => code);
      [found.every((name) => name.startsWith('tools.fixture.') && name !== 'tools.fixture.add' || name === 'tools.local.echo_other'), hidden, disabled, await tools.local.echo_other()]`;
    await using testChat = await open([run(code), repeatLast], { assistant: { disabledTools: ['fixture/add'] } });
    const answer = textOf(await testChat.sendAndWait('Try'));
    // A chain of the assistant may call tools that the assistant does not have, with a script and without.
    expect(answer).toBe('Received: [true,"TOOL_NAME_INVALID","TOOL_NAME_INVALID","by a chain"]');
  });

  test('the approvals of a script belong to its call, and each call has its own answer', async () => {
    await using testChat = await open([run(both), repeatLast], { assistant: { toolApproval: 'always-ask' } });
    await testChat.chat.send(testChat.id, 'Echo');
    const [one, other] = [await testChat.waitForApproval(0), await testChat.waitForApproval(1)];
    const part = await waitFor(async () => {
      const [call] = await testChat.calls();
      return call?.stepApprovalIds?.length === 2 ? call : undefined;
    });
    expect(part).toMatchObject({ name: 'run_code', status: 'asked' });
    expect(part?.stepApprovalIds?.toSorted()).toEqual([one.id, other.id].toSorted());
    expect(one.script?.call).toBe(part?.callId);
    expect((await testChat.conversation()).status).toBe('asking');
    const first = one.script?.step === 1 ? one : other;
    const second = first === one ? other : one;
    await testChat.approver.answer(first.id, { kind: 'allow', arguments: { text: 'edited' } }, 'ann');
    await testChat.approver.answer(second.id, { kind: 'deny' }, 'ann');
    expect(textOf(await testChat.waitForAnswer())).toBe('Received: ["edited","CALL_DENIED"]');
    const [ended] = await testChat.calls();
    expect(ended).toMatchObject({ status: 'success' });
    expect(ended?.stepApprovalIds).toBeUndefined();
  });

  test.each([
    ['a script', 'code', run('await tools.local.echo_other()')],
    ['a chain', 'all', { calls: [{ name: 'echo_other', args: {} }] }],
  ] as const)('the approval settings of the profile apply to the steps of %s', async (_, expose, call) => {
    await using testChat = await open([call, repeatLast], {
      profile: 'trusting',
      assistant: { toolApproval: 'auto', expose },
    });
    await testChat.chat.send(testChat.id, 'Echo');
    // The profile trusts the chain, but not the tool that the chain calls.
    const { tool, id } = await testChat.waitForApproval();
    expect(tool).toBe('mcp_other_echo');
    await waitFor(async () => (await testChat.calls())[0]?.stepApprovalIds?.includes(id), { what: 'the approval' });
    await testChat.answer({ kind: 'allow' });
    expect(textOf(await testChat.waitForAnswer())).toContain('by a chain');
  });

  test('stopping an answer cancels its script and withdraws the approvals of its calls', async () => {
    await using testChat = await open([run(both), repeatLast], { assistant: { toolApproval: 'always-ask' } });
    await testChat.chat.send(testChat.id, 'Echo');
    await testChat.waitForApproval(1);
    await testChat.chat.stop(testChat.id);
    expect(await testChat.last()).toMatchObject({ status: 'stopped' });
    expect(await testChat.storage.approvals.list({ status: 'pending' })).toEqual([]);
    const [script] = await testChat.calls();
    expect(script?.stepApprovalIds).toBeUndefined();
    const steps = await testChat.toolbox.calls.list({ server: 'fixture' });
    expect(steps.map(({ startedAt }) => startedAt)).toEqual([undefined, undefined]);
  });

  test('the preview says that the model runs scripts, and what the tools for scripts cost', async () => {
    await using testChat = await open([]);
    const ports = { toolbox: testChat.toolbox as never, serverNames: async () => new Map<string, string>() };
    const settings = { serverIds, disabledTools: [], trustedTools: [] };
    const preview = await assistantTools({ ...settings, expose: 'code' }, ports);
    expect(preview).toMatchObject({ exposed: 'code', warning: undefined });
    expect(preview.estimatedTokens).not.toBe(preview.allTokens);
  });
});
