import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import type { Storage } from '../../packages/toolwharf/storage/storage.ts';
import { type Script, type ScriptedChat, startScriptedChat } from '../fixtures/models/scripted-chat-server.ts';
import { type CrashableStorage, createCrashableStorage } from '../support/crashable-storage.ts';
import { fixture, tempDir } from '../support/fixtures.ts';
import { openTestChat, type TestChat, type TestChatOptions, textOf } from '../support/open-chat.ts';
import { waitFor } from '../support/wait-for.ts';

const servers = { fixture: fixture('legacy') };
const code: TestChatOptions['assistant'] = { expose: 'code', serverIds: ['fixture', 'local'] };
const repeatLast: Script = ({ last }) => ({ text: `Received: ${last}` });
const run = (script: string): Script => ({ calls: [{ name: 'run_code', args: { code: script } }] });

/** Writes `one`, makes a call that does not end before the crash, writes `two`, and returns what it learnt of that call. */
const writeTwice = (path: string) => `
const write = (text: string) => tools.fixture.write({ path: ${JSON.stringify(path)}, text });
await write('one');
const learnt = await tools.fixture.sleep({ ms: 60_000 }).catch((error) => error instanceof OutcomeUnknown ? 'unknown' : error.code);
await write('two');
learnt`;

interface Crash extends AsyncDisposable {
  readonly model: ScriptedChat;
  /** The storage as the next process finds it. */
  readonly storage: Storage;
  readonly linesOf: () => Promise<readonly string[]>;
  open(options?: Partial<TestChatOptions>): Promise<TestChat>;
}

interface CrashOptions extends Omit<Partial<TestChatOptions>, 'config'> {
  /** The configuration; `path` is the file that `linesOf` reads. */
  readonly config?: (path: string) => object;
}

/** A chat whose process is gone while `until` is true. */
async function crash(
  turns: (path: string) => readonly Script[],
  until: (chat: TestChat) => Promise<unknown>,
  { config: configFor = () => ({ servers }), ...options }: CrashOptions = {},
): Promise<Crash> {
  const stack = new AsyncDisposableStack();
  const directory = stack.use(await tempDir());
  const path = directory.file('written');
  const model = stack.use(await startScriptedChat(turns(path)));
  const workspace: CrashableStorage = stack.use(await createCrashableStorage());
  const shared = { config: configFor(path), model, assistant: code, ...options };
  const before = stack.use(await openTestChat({ ...shared, storage: workspace.storage }));
  await before.chat.send(before.id, 'Go');
  await waitFor(() => until(before));
  const storage = await workspace.crash();
  return {
    model,
    storage,
    linesOf: async () => (await readFile(path, 'utf8')).trim().split('\n'),
    open: (more = {}) => openTestChat({ ...shared, storage, ...more }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** The steps of the script with these states, in the journal and in the conversation. */
const hasSteps =
  (...statuses: readonly string[]) =>
  async ({ storage, id }: TestChat) => {
    const steps = (await storage.journal.list()).filter(({ parent }) => parent?.kind === 'call');
    const stored = JSON.stringify(await storage.conversations.messages(id));
    return stored.includes('"status":"running"') && steps.map(({ status }) => status).join() === statuses.join();
  };

const recordOf = async ({ storage }: Pick<TestChat, 'storage'>, tool = 'run_code') =>
  (await storage.journal.list({ tool }))[0];

describe('a script of an assistant', () => {
  test('a script of an assistant goes on after a crash: ended calls are not repeated, and the call in flight is an unknown outcome', async () => {
    await using crashed = await crash((path) => [run(writeTwice(path)), repeatLast], hasSteps('running', 'success'));
    await using after = await crashed.open();
    const answer = await after.waitForAnswer();
    expect(textOf(answer)).toBe('Received: unknown');
    expect(answer.status).toBe('complete');
    expect(await crashed.linesOf()).toEqual(['one', 'two']);
    const [part] = await after.calls();
    const record = await recordOf(after);
    expect(record).toMatchObject({ id: part?.callId, status: 'success', script: { continued: 1 } });
    expect(crashed.model.requests).toHaveLength(2);
  });

  test('a script of an assistant that waits for approval at a crash waits for the same approval, and goes on with it', async () => {
    const twice = (path: string) =>
      `for (const text of ['one', 'two']) await tools.fixture.write({ path: ${JSON.stringify(path)}, text }); 'done'`;
    await using crashed = await crash(
      (path) => [run(twice(path)), repeatLast],
      async ({ storage, id }) =>
        (await storage.approvals.list({ status: 'pending' })).length === 1 &&
        JSON.stringify(await storage.conversations.messages(id)).includes('"status":"asked"'),
      { assistant: { ...code, toolApproval: 'always-ask' } },
    );
    const [pending] = await crashed.storage.approvals.list({ status: 'pending' });
    await using after = await crashed.open();
    expect((await after.waitForApproval()).id).toBe(pending?.request.id);
    await after.answer({ kind: 'allow' });
    await waitFor(async () => (await after.storage.approvals.list({ status: 'used' })).length === 1);
    await after.answer({ kind: 'allow' });
    expect(textOf(await after.waitForAnswer())).toBe('Received: done');
    expect(await crashed.linesOf()).toEqual(['one', 'two']);
  });

  test('a saved script that an assistant calls goes on after a crash without asking again', async () => {
    const config = (path: string) => ({
      servers,
      toolbox: { chains: { saved: { code: writeTwice(path) } }, approval: { ask: ['saved'] } },
    });
    const answerFirst = async (chat: TestChat) => {
      for (const { request } of await chat.storage.approvals.list({ status: 'pending' }))
        await chat.approver.answer(request.id, { kind: 'allow' }, 'ann');
      return hasSteps('running', 'success')(chat);
    };
    const assistant: TestChatOptions['assistant'] = { expose: 'all', serverIds: ['fixture', 'local'] };
    await using crashed = await crash(() => [{ calls: [{ name: 'saved', args: {} }] }, repeatLast], answerFirst, {
      assistant,
      config,
    });
    await using after = await crashed.open();
    expect(textOf(await after.waitForAnswer())).toBe('Received: unknown');
    expect(await crashed.linesOf()).toEqual(['one', 'two']);
    expect(await after.storage.approvals.list()).toHaveLength(1);
  });

  test('a saved script that was changed during the downtime is not continued', async () => {
    const withChain = (path: string) => ({ servers, toolbox: { chains: { saved: { code: writeTwice(path) } } } });
    await using crashed = await crash(
      () => [{ calls: [{ name: 'saved', args: {} }] }, repeatLast],
      hasSteps('running', 'success'),
      { assistant: { expose: 'all', serverIds: ['fixture', 'local'] }, config: withChain },
    );
    const config = { servers, toolbox: { chains: { saved: { code: '1' } } } };
    await using after = await crashed.open({ config });
    expect(textOf(await after.waitForAnswer())).toMatch(/saved was changed while its script was interrupted/);
    expect(await recordOf(after, 'saved')).toMatchObject({ status: 'error', error: { code: 'TOOL_CHANGED' } });
    expect(await crashed.linesOf()).toEqual(['one']);
  });

  test('a script ends if its assistant was removed during the downtime, and is never started again', async () => {
    await using crashed = await crash((path) => [run(writeTwice(path)), repeatLast], hasSteps('running', 'success'));
    const [assistant] = await crashed.storage.assistants.list();
    await crashed.storage.assistants.remove(String(assistant?.id));
    {
      await using after = await crashed.open({ ports: { recoveryIntervalMs: 60_000 } });
      expect((await after.waitForAnswer()).status).toBe('error');
      expect(await after.calls()).toMatchObject([{ status: 'unknown', result: { errorCode: 'OUTCOME_UNKNOWN' } }]);
      expect(await recordOf(after)).toMatchObject({ status: 'error', error: { code: 'OUTCOME_UNKNOWN' } });
      if (assistant) await after.storage.assistants.put(assistant);
      await after.chat.resume(after.id);
      expect(textOf(await after.waitForAnswer())).toMatch(/Received: MCP error: .*was not continued/);
    }
    expect(await crashed.linesOf()).toEqual(['one']);
  });

  test('a script ends if the outcome of another call of the same answer is unknown, because a person must decide', async () => {
    const both: Script = {
      calls: [
        { name: 'saved', args: {} },
        { name: 'mcp_other_sleep', args: { ms: 60_000 } },
      ],
    };
    const config = (path: string) => ({
      servers: { ...servers, other: fixture('legacy') },
      toolbox: { chains: { saved: { code: writeTwice(path) } } },
    });
    await using crashed = await crash(
      () => [both, repeatLast],
      async (chat) => {
        const stored = JSON.stringify(await chat.storage.conversations.messages(chat.id));
        return (await hasSteps('running', 'success')(chat)) && stored.split('"status":"running"').length === 3;
      },
      { config, assistant: { expose: 'all', serverIds: ['fixture', 'other', 'local'] } },
    );
    await using after = await crashed.open();
    expect((await after.waitForAnswer()).status).toBe('interrupted');
    expect((await after.calls()).map(({ status }) => status)).toEqual(['unknown', 'unknown']);
    expect(await after.storage.journal.list({ status: 'running' })).toEqual([]);
    expect(await crashed.linesOf()).toEqual(['one']);
  });
});
