import { describe, expect, test } from 'vitest';
import { type CallEvent, type CallState, localTool, type Toolbox } from '../../packages/toolwharf/index.ts';
import { createMemoryRules } from '../../packages/toolwharf/storage/memory/memory-stores.ts';
import { fixture } from '../support/fixtures.ts';
import { openToolbox } from '../support/toolbox.ts';
import { waitFor } from '../support/wait-for.ts';

/** A local tool that runs until it is released. */
function createHold(name = 'hold') {
  const { promise, resolve } = Promise.withResolvers<string>();
  return { tool: localTool({ name, execute: () => promise }), release: () => resolve('released') };
}

async function collect(events: AsyncIterable<CallEvent>): Promise<CallEvent[]> {
  const all: CallEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

const statesOf = (events: readonly CallEvent[]): CallState[] =>
  events.flatMap((event) => (event.type === 'state' ? [event.state] : []));

describe('a started call', () => {
  test('a started call shows its states and events until it has ended, and resolves with its result', async () => {
    await using toolbox = await openToolbox(
      { servers: { s: fixture('legacy') }, toolbox: { approval: { mode: 'always-ask' } } },
      { approver: { ask: async () => ({ kind: 'allow' }) } },
    );
    const call = toolbox.start('mcp_s_echo', { text: 'hello' }, { caller: { id: 'ada', kind: 'client' } });
    expect(call).toMatchObject({ tool: 'mcp_s_echo', caller: { id: 'ada' }, state: 'received' });
    expect(toolbox.calls.find(call.id)).toBe(call);
    const events = await collect(call.events);
    expect(statesOf(events)).toEqual(['received', 'awaiting-approval', 'running', 'ended']);
    expect(events.map(({ type }) => type)).toContain('approval-asked');
    expect(events.at(-1)).toMatchObject({ type: 'ended', result: { text: 'hello' } });
    expect((await call.result).callId).toBe(call.id);
    expect(call.state).toBe('ended');
    expect(toolbox.calls.find(call.id)).toBeUndefined();
    expect(statesOf(await collect(call.events))).toEqual(['ended']);
  });

  test('a started call can be cancelled while it runs, and ends as cancelled', async () => {
    const { tool } = createHold();
    await using toolbox = await openToolbox({ servers: {} }, { tools: [tool] });
    const call = toolbox.start('hold', {});
    call.subscribe((event) => {
      if (event.type === 'state' && event.state === 'running') call.cancel('no longer needed');
    });
    expect(await call.result).toMatchObject({ isError: true, failure: { code: 'CALL_CANCELLED' } });
    expect((await call.result).text).toContain('no longer needed');
    call.cancel();
  });

  test('a started call uses the approver and observers of the toolbox if it has no own host', async () => {
    const progress: unknown[] = [];
    const tool = localTool({
      name: 'work',
      execute: (_, { onProgress }) => {
        onProgress?.({ progress: 1 });
        return 'done';
      },
    });
    await using toolbox = await openToolbox(
      { servers: {}, toolbox: { approval: { mode: 'always-ask' } } },
      { tools: [tool], host: { approve: async () => ({ kind: 'allow' }), onProgress: (step) => progress.push(step) } },
    );
    expect((await toolbox.call('work', {})).text).toBe('done');
    expect(progress).toEqual([{ progress: 1 }]);
  });

  test('a started call has already ended with an error if the tool is unknown or the toolbox is closed', async () => {
    const toolbox = await openToolbox({ servers: {} });
    const unknown = toolbox.start('nothing', {});
    expect(unknown.state).toBe('ended');
    expect((await unknown.result).failure?.code).toBe('TOOL_NAME_INVALID');
    expect(statesOf(await collect(unknown.events))).toEqual(['ended']);
    await toolbox.close();
    expect((await toolbox.start('nothing', {}).result).failure?.code).toBe('TOOLBOX_CLOSED');
  });

  test('a started call cannot reuse the id of a running call', async () => {
    const { tool, release } = createHold();
    await using toolbox = await openToolbox({ servers: {} }, { tools: [tool] });
    const first = toolbox.start('hold', {}, { id: 'one' });
    expect((await toolbox.start('hold', {}, { id: 'one' }).result).failure?.code).toBe('CONFLICT');
    release();
    expect((await first.result).text).toBe('released');
  });

  test('a started call sends its questions, progress and log messages to its own host [N10]', async () => {
    await using toolbox = await openToolbox(
      { servers: { s: fixture('legacy') } },
      { host: { elicit: async () => ({ action: 'decline' }) } },
    );
    const states: CallState[] = [];
    const call = toolbox.start(
      'mcp_s_ask',
      { question: 'who?' },
      {
        host: {
          elicit: async (_params, { call: asking }) => {
            expect(asking.id).toBe(call.id);
            return { action: 'accept', content: { name: 'Ada' } };
          },
        },
      },
    );
    call.subscribe((event) => event.type === 'state' && states.push(event.state));
    expect((await call.result).text).toContain('Ada');
    expect(states).toEqual(['running', 'awaiting-input', 'running', 'ended']);
    expect((await toolbox.call('mcp_s_ask', { question: 'who?' })).text).not.toContain('Ada');
  });
});

test('steps of a composed tool refer to their parent call', async () => {
  const step = localTool({ name: 'step', execute: () => 'done' });
  const outer = localTool({
    name: 'outer',
    composed: true,
    execute: async (_, { call }) => (await call('step', {})).text,
  });
  await using toolbox = await openToolbox({ servers: {} }, { tools: [step, outer] });
  const call = toolbox.start('outer', {});
  expect((await call.result).text).toBe('done');
  const [child] = await toolbox.calls.list({ parent: call.id });
  expect(child).toMatchObject({ tool: 'step', parent: { kind: 'call', id: call.id } });
});

describe('a queued call is authorized again before it is dispatched', () => {
  /** One running call has the only permit, and a second call waits for it. */
  async function queue(toolbox: Toolbox, tool: string) {
    const running = toolbox.start('hold', {});
    await waitFor(() => running.state === 'running');
    const queued = toolbox.start(tool, tool === 'mcp_s_target' ? { a: 'x', b: 'y' } : {});
    await waitFor(() => queued.state === 'queued');
    return queued;
  }
  const one = { maxConcurrent: 1 };
  const changing = (onChange: string) => ({ s: { ...fixture('changing'), on_change: onChange } });

  async function mutate(toolbox: Toolbox): Promise<void> {
    const before = toolbox.catalog.find('mcp_s_target')?.definitionHash;
    await toolbox.servers.request('s', 'tools/call', { name: 'mutate', arguments: {} });
    await waitFor(() => toolbox.catalog.find('mcp_s_target')?.definitionHash !== before);
  }

  test('a tool that was quarantined in the meantime does not run', async () => {
    const hold = createHold();
    await using toolbox = await openToolbox({ servers: changing('quarantine'), toolbox: one }, { tools: [hold.tool] });
    const queued = await queue(toolbox, 'mcp_s_target');
    await mutate(toolbox);
    hold.release();
    expect(await queued.result).toMatchObject({ isError: true, failure: { code: 'TOOL_CHANGED' } });
  });

  test('a tool with a definition that changed in the meantime needs approval', async () => {
    const hold = createHold();
    const reasons: string[] = [];
    await using toolbox = await openToolbox(
      { servers: changing('ask'), toolbox: one },
      {
        tools: [hold.tool],
        approver: {
          async ask({ reason }) {
            reasons.push(reason);
            return { kind: 'allow' };
          },
        },
      },
    );
    const queued = await queue(toolbox, 'mcp_s_target');
    await mutate(toolbox);
    hold.release();
    expect((await queued.result).text).toContain('version 2');
    expect(reasons).toEqual([expect.stringContaining('changed since it was accepted')]);
  });

  test('a tool that was removed in the meantime does not run', async () => {
    const hold = createHold();
    await using toolbox = await openToolbox({ servers: changing('allow'), toolbox: one }, { tools: [hold.tool] });
    const queued = await queue(toolbox, 'mcp_s_removable');
    await mutate(toolbox);
    hold.release();
    expect(await queued.result).toMatchObject({ isError: true, failure: { code: 'TOOL_CHANGED' } });
  });

  test('a rule that denies the tool since then applies', async () => {
    const hold = createHold();
    const rules = createMemoryRules();
    await using toolbox = await openToolbox(
      { servers: changing('allow'), toolbox: one },
      { tools: [hold.tool], rules },
    );
    const queued = await queue(toolbox, 'mcp_s_target');
    const { serverAddress, originalName, definitionHash } = toolbox.catalog.find('mcp_s_target') ?? {};
    const rule = { id: 'r', scope: 'tool', answer: 'deny', createdAt: new Date().toISOString() } as const;
    await rules.add({ ...rule, serverAddress, tool: originalName, definitionHash });
    hold.release();
    expect(await queued.result).toMatchObject({ isError: true, failure: { code: 'CALL_DENIED' } });
  });

  test('a caller that lost its access in the meantime is denied', async () => {
    const hold = createHold();
    const idle = localTool({ name: 'idle', execute: () => 'ran' });
    await using toolbox = await openToolbox({ servers: {}, toolbox: one }, { tools: [hold.tool, idle] });
    const running = toolbox.start('hold', {});
    await waitFor(() => running.state === 'running');
    const { approval } = toolbox.config.toolbox;
    const refreshPolicy = () => Promise.reject(new Error('The key was revoked'));
    const queued = toolbox.start('idle', {}, { policy: { approval }, refreshPolicy });
    const hidden = toolbox.start(
      'idle',
      {},
      {
        policy: { approval },
        refreshPolicy: () => ({ approval, mayUse: () => false }),
      },
    );
    await waitFor(() => queued.state === 'queued' && hidden.state === 'queued');
    hold.release();
    expect((await queued.result).text).toContain('The key was revoked');
    expect((await hidden.result).failure?.code).toBe('TOOL_NAME_INVALID');
  });
});
