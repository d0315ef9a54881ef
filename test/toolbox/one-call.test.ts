import { afterEach, describe, expect, test, vi } from 'vitest';
import { ToolwharfError } from '../../packages/contract/errors.ts';
import type { JsonObject } from '../../packages/contract/json.ts';
import { type ApprovalAnswer, definePlugin, localTool } from '../../packages/toolwharf/index.ts';
import type { InternalStartOptions } from '../../packages/toolwharf/invocation/invoker.ts';
import { createMemoryRules } from '../../packages/toolwharf/storage/memory/memory-stores.ts';
import type { InternalToolbox, InternalToolboxOptions } from '../../packages/toolwharf/toolbox.ts';
import { fixture } from '../support/fixtures.ts';
import { openToolbox } from '../support/toolbox.ts';
import { waitFor } from '../support/wait-for.ts';

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: JsonObject;
  readonly result?: JsonObject;
}

/** A server in this process that answers a call or read when the test says so. */
function createHeldServer() {
  const received: JsonObject[] = [];
  const cancelled: unknown[] = [];
  const held: ((result: JsonObject) => void)[] = [];
  const replies = new Map<unknown, (result: JsonObject | undefined) => void>();
  let deliver: (message: Message) => void = () => {};

  function answer({ method, params = {} }: Message): JsonObject | Promise<JsonObject> {
    switch (method) {
      case 'initialize':
        return {
          protocolVersion: '2025-06-18',
          capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
          serverInfo: { name: 'held', version: '1.0.0' },
        };
      case 'tools/list':
        return { tools: [{ name: 'act', inputSchema: { type: 'object', properties: { uri: { type: 'string' } } } }] };
      case 'resources/list':
        return { resources: [{ uri: 'memo://one', name: 'one' }] };
      case 'prompts/list':
        return { prompts: [{ name: 'memo://one' }] };
      case 'tools/call':
      case 'resources/read':
      case 'prompts/get':
      case 'completion/complete':
        received.push(params);
        return new Promise((resolve) => held.push(resolve));
      default:
        return {};
    }
  }

  const plugin = definePlugin({
    name: 'held',
    transports: {
      held: {
        open() {
          const transport = {
            onmessage: undefined as ((message: never) => void) | undefined,
            onclose: undefined as (() => void) | undefined,
            async start() {},
            async close() {
              transport.onclose?.();
            },
            async send(sent: unknown) {
              const message: Message = JSON.parse(JSON.stringify(sent));
              if (message.method === 'notifications/cancelled') cancelled.push(message.params?.requestId);
              if (message.id === undefined) return;
              if (message.method === undefined) return replies.get(message.id)?.(message.result);
              deliver = (message) => transport.onmessage?.({ jsonrpc: '2.0', ...message } as never);
              const result = await answer(message);
              queueMicrotask(() => deliver({ id: message.id, result }));
            },
          };
          return transport as never;
        },
      },
    },
  });

  return {
    plugin,
    /** The params of the calls and reads. */
    received,
    cancelled,
    async arrival(count: number) {
      await waitFor(() => received.length === count, { what: `request ${count}` });
    },
    /** Answers the oldest request. */
    answer: () => held.shift()?.({ content: [], contents: [], messages: [], completion: { values: [] } }),
    /** Asks the client a question, and returns the reply. */
    ask: () =>
      new Promise<JsonObject | undefined>((resolve) => {
        replies.set('question', resolve);
        deliver({
          id: 'question',
          method: 'elicitation/create',
          params: { message: 'Who?', requestedSchema: { type: 'object', properties: {} } },
        });
      }),
  };
}

type Run = (toolbox: InternalToolbox, options?: InternalStartOptions) => Promise<unknown>;

/** The same call of a tool, a resource, a prompt and a completion. Each rejects if it fails. */
const runs: Readonly<Record<string, Run>> = {
  async tool(toolbox, options) {
    const { failure } = await toolbox.start('mcp_s_act', { uri: 'memo://one' }, options).result;
    if (failure) throw new ToolwharfError(failure.code, failure.message);
  },
  resource: (toolbox, options) => toolbox.resources.read('s', 'memo://one', options),
  prompt: (toolbox, options) => toolbox.prompts.get('s', 'memo://one', undefined, options),
  completion: (toolbox, options) =>
    toolbox.servers.complete(
      's',
      { ref: { type: 'ref/prompt', name: 'memo://one' }, argument: { name: 'tone', value: 'f' } },
      options,
    ),
};
const all = Object.entries(runs);
/** Completions need no approval. */
const approved = all.filter(([kind]) => kind !== 'completion');

const methods: Readonly<Record<string, string>> = {
  tool: 'act',
  resource: 'resources/read',
  prompt: 'prompts/get',
  completion: 'completion/complete',
};
/** The kind of a record of a call; undefined for a tool. */
const recordKinds: Readonly<Record<string, string>> = { resource: 'resource', prompt: 'prompt', completion: 'prompt' };
const named = (kind: string, name: string) => (kind === 'prompt' ? { name } : { uri: name });

interface Settings {
  readonly server?: JsonObject;
  readonly toolbox?: JsonObject;
  readonly options?: InternalToolboxOptions;
}

async function open({ server, toolbox: settings, options }: Settings = {}) {
  const held = createHeldServer();
  const rules = createMemoryRules();
  const serverConfig = { transport: 'held', protocol: 'legacy', cancelGrace: 0, ...server };
  const toolbox = await openToolbox({ servers: { s: serverConfig }, toolbox: settings } as never, {
    rules,
    ...options,
    plugins: [held.plugin],
  });
  return { held, toolbox, rules, [Symbol.asyncDispose]: () => toolbox.close() };
}

/** The settings and answers with which every call waits for a person. */
function asking(answer: (asked: number) => ApprovalAnswer | Promise<ApprovalAnswer>) {
  const asked: JsonObject[] = [];
  const approver = {
    async ask(request: { readonly arguments: JsonObject }) {
      asked.push(request.arguments);
      return answer(asked.length);
    },
  };
  return { asked, toolbox: { approval: { mode: 'always-ask', reads: 'ask' } }, options: { approver } };
}

function denyRule(kind: string, toolbox: InternalToolbox, matching?: JsonObject) {
  const serverAddress = toolbox.catalog.find('mcp_s_act')?.serverAddress;
  const rule = { id: 'r', scope: 'tool', answer: 'deny', createdAt: new Date().toISOString() } as const;
  return { ...rule, serverAddress, tool: methods[kind], matching } as never;
}

const one = { defaultToolConfig: { maxInstances: 1 } };

describe.each(all)('limits hold for a %s', (kind, run) => {
  test('one more than maxInstances waits until another has ended', async () => {
    await using opened = await open({ server: one });
    const { held, toolbox } = opened;
    const [first, second] = [run(toolbox), run(toolbox)];
    await held.arrival(1);
    expect(toolbox.calls.stats()).toMatchObject({ running: 1, queued: 1 });
    held.answer();
    await first;
    await held.arrival(2);
    held.answer();
    await second;
    expect(toolbox.calls.stats()).toMatchObject({ running: 0, queued: 0 });
  });

  test('one more than maxConcurrent over all tools waits', async () => {
    const gate = Promise.withResolvers<string>();
    const hold = localTool({ name: 'hold', execute: () => gate.promise });
    await using opened = await open({ toolbox: { maxConcurrent: 1 }, options: { tools: [hold] } });
    const { held, toolbox } = opened;
    const holding = toolbox.call('hold', {});
    const waiting = run(toolbox);
    await waitFor(() => toolbox.calls.stats().queued === 1);
    expect(held.received).toEqual([]);
    gate.resolve('released');
    await holding;
    await held.arrival(1);
    held.answer();
    await waiting;
  });

  test('waiting callers are served in turn', async () => {
    await using opened = await open({ server: one });
    const { held, toolbox } = opened;
    const order: string[] = [];
    const runAs = (id: string) =>
      run(toolbox, { caller: { id, kind: 'client' } }).then(() => {
        order.push(id);
      });
    const running = ['busy', 'busy', 'busy', 'quiet'].map(runAs);
    for (let count = 1; count <= 4; count++) {
      await held.arrival(count);
      held.answer();
    }
    await Promise.all(running);
    expect(order.indexOf('quiet')).toBeLessThan(3);
  });

  test('the limits of its caller apply', async () => {
    await using opened = await open();
    const { held, toolbox } = opened;
    const callerLimits = { maxRunning: 1, maxQueued: 1 };
    const [first, second] = [run(toolbox, { callerLimits }), run(toolbox, { callerLimits })];
    await expect(run(toolbox, { callerLimits })).rejects.toMatchObject({ code: 'LIMIT_REACHED' });
    await held.arrival(1);
    held.answer();
    await first;
    await held.arrival(2);
    held.answer();
    await second;
  });

  test('the rate limit of its server applies', async () => {
    await using opened = await open({ server: { rate: { calls: 1, per: '1h' } } });
    const { held, toolbox } = opened;
    const first = run(toolbox);
    await held.arrival(1);
    held.answer();
    await first;
    await expect(run(toolbox)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    expect(held.received).toHaveLength(1);
  });

  test('a cancelled one leaves the queue or the server, and frees its permit', async () => {
    await using opened = await open({ server: one });
    const { held, toolbox } = opened;
    const [running, queued] = [new AbortController(), new AbortController()];
    const first = run(toolbox, { signal: running.signal });
    const second = run(toolbox, { signal: queued.signal });
    const third = run(toolbox);
    await held.arrival(1);
    queued.abort();
    await expect(second).rejects.toMatchObject({ code: 'CALL_CANCELLED' });
    running.abort();
    await expect(first).rejects.toMatchObject({ code: 'CALL_CANCELLED' });
    await held.arrival(2);
    expect(held.cancelled).toHaveLength(1);
    held.answer();
    held.answer();
    await third;
    const ends = (await toolbox.calls.list()).map(({ status, end }) => end ?? status);
    expect(ends.sort()).toEqual(['cancelled', 'cancelled', 'success']);
  });

  test('it is found and cancelled by its id, which no other call can use', async () => {
    await using opened = await open();
    const { held, toolbox } = opened;
    const running = run(toolbox, { id: 'mine' });
    await held.arrival(1);
    await expect(run(toolbox, { id: 'mine' })).rejects.toMatchObject({ code: 'CONFLICT' });
    toolbox.calls.find('mine')?.cancel('enough');
    await expect(running).rejects.toMatchObject({ code: 'CALL_CANCELLED', message: expect.stringContaining('enough') });
    expect((await toolbox.calls.list())[0]).toMatchObject({ id: 'mine', end: 'cancelled' });
    expect(toolbox.calls.find('mine')).toBeUndefined();
  });

  test('its record must be written before it is sent', async () => {
    const journal = {
      write: () => Promise.reject(new Error('disk full')),
      get: async () => undefined,
      list: async () => [],
      claim: async () => undefined,
    };
    await using opened = await open({ options: { journal } });
    const { held, toolbox } = opened;
    await expect(run(toolbox)).rejects.toMatchObject({ code: 'JOURNAL_UNAVAILABLE' });
    expect(held.received).toEqual([]);
  });

  test('its record has its kind, its arguments and no content', async () => {
    await using opened = await open();
    const { held, toolbox } = opened;
    const running = run(toolbox, { caller: { id: 'ada', kind: 'client' } });
    await held.arrival(1);
    held.answer();
    await running;
    const [record] = await toolbox.calls.list();
    expect(record).toMatchObject({
      server: 's',
      originalName: methods[kind],
      status: 'success',
      caller: { id: 'ada' },
    });
    expect(record?.kind).toBe(recordKinds[kind]);
    if (kind !== 'tool') expect(record?.result).toBeUndefined();
  });
});

describe.each(all)('a queued %s is authorized again before it is sent', (kind, run) => {
  async function queued(change: (opened: Awaited<ReturnType<typeof open>>) => unknown, options?: InternalStartOptions) {
    await using opened = await open({ server: one });
    const { held, toolbox } = opened;
    const first = run(toolbox);
    await held.arrival(1);
    const waiting = run(toolbox, options).then(
      () => 'sent',
      (cause) => (cause as ToolwharfError).code,
    );
    await waitFor(() => toolbox.calls.stats().queued === 1);
    await change(opened);
    held.answer();
    await first.catch(() => {});
    const outcome = await waiting;
    expect(held.received).toHaveLength(1);
    expect(toolbox.calls.stats()).toMatchObject({ running: 0, queued: 0 });
    return outcome;
  }

  test('a caller whose key was revoked is denied', async () => {
    const refreshPolicy = () => Promise.reject(new ToolwharfError('FORBIDDEN', 'The key was revoked'));
    expect(await queued(() => {}, { refreshPolicy })).toBe('FORBIDDEN');
  });

  test('a profile that hides it since then applies', async () => {
    const approval = { mode: 'auto', trustedTools: [], ask: [], deny: [], reads: 'allow' } as never;
    const hiding = { approval, mayUse: () => false, mayRead: () => false };
    const options = { policy: { approval }, refreshPolicy: () => hiding };
    expect(await queued(() => {}, options)).toBe(kind === 'tool' ? 'TOOL_NAME_INVALID' : 'NOT_FOUND');
  });

  test('a rule that denies it since then applies', async () => {
    expect(await queued(({ rules, toolbox }) => rules.add(denyRule(kind, toolbox)))).toBe('CALL_DENIED');
  });

  test('a server that was removed since then is not asked', async () => {
    const code = await queued(({ toolbox }) => toolbox.servers.remove('s'));
    expect(code).toBe(kind === 'tool' ? 'TOOL_CHANGED' : 'NOT_FOUND');
  });
});

describe.each(approved)('a %s that waits for approval', (kind, run) => {
  test.each([
    ['a revoked key', 'FORBIDDEN'],
    ['a hidden target', kind === 'tool' ? 'TOOL_NAME_INVALID' : 'NOT_FOUND'],
    ['a rule that denies it', 'CALL_DENIED'],
  ])('a call is not sent after the answer with %s', async (change, code) => {
    const settings = asking(async () => {
      if (change === 'a rule that denies it') await opened.rules.add(denyRule(kind, opened.toolbox));
      return { kind: 'allow' };
    });
    await using opened = await open(settings);
    const { approval } = opened.toolbox.config.toolbox;
    const refreshPolicy = () => {
      if (change === 'a revoked key') throw new ToolwharfError('FORBIDDEN', 'The key was revoked');
      return change === 'a hidden target' ? { approval, mayUse: () => false, mayRead: () => false } : { approval };
    };
    await expect(run(opened.toolbox, { policy: { approval }, refreshPolicy })).rejects.toMatchObject({ code });
    expect(opened.held.received).toEqual([]);
  });

  test('a call is judged again with the arguments that the approver edited', async () => {
    const settings = asking(() => ({ kind: 'allow', arguments: named(kind, 'memo://two') }));
    await using opened = await open(settings);
    await opened.rules.add(denyRule(kind, opened.toolbox, named(kind, 'memo://two')));
    await expect(run(opened.toolbox)).rejects.toMatchObject({ code: 'CALL_DENIED' });
    expect(opened.held.received).toEqual([]);
    expect((await opened.toolbox.calls.list())[0]).toMatchObject({
      end: 'denied',
      arguments: named(kind, 'memo://two'),
      approval: { answer: 'allow', originalArguments: named(kind, 'memo://one') },
    });
  });

  test('a call is not sent with edited arguments that are invalid', async () => {
    const settings = asking(() => ({ kind: 'allow', arguments: { uri: 7, name: 7 } }));
    await using opened = await open(settings);
    await expect(run(opened.toolbox)).rejects.toMatchObject({ code: 'ARGUMENTS_INVALID' });
    expect(opened.held.received).toEqual([]);
  });

  test('asks again if its server is another one after the answer', async () => {
    const settings = asking(async (count) => {
      if (count > 1) return { kind: 'deny' };
      await opened.toolbox.servers.update('s', fixture('legacy'));
      return { kind: 'allow' };
    });
    await using opened = await open(settings);
    // The other server has no such tool.
    const [code, times] = kind === 'tool' ? ['TOOL_CHANGED', 1] : ['CALL_DENIED', 2];
    await expect(run(opened.toolbox)).rejects.toMatchObject({ code });
    expect(settings.asked).toHaveLength(times);
  });

  test('holds no permit meanwhile', async () => {
    const both = Promise.withResolvers<void>();
    const settings = asking(async (count) => {
      if (count === 2) both.resolve();
      await both.promise;
      return { kind: 'allow' };
    });
    await using opened = await open({ ...settings, server: one });
    const { held, toolbox } = opened;
    const running = [run(toolbox), run(toolbox)];
    for (const count of [1, 2]) {
      await held.arrival(count);
      held.answer();
    }
    await Promise.all(running);
  });
});

describe.each(all)('the clock of a %s', (kind, run) => {
  afterEach(() => {
    vi.useRealTimers();
  });
  const timed = { server: { timeout: '1s', maxTimeout: '1s', defaultToolConfig: { timeout: '1s' } } };

  test('the clock of a call is paused while a person answers a question of the server', async () => {
    const states: unknown[] = [];
    const host = {
      capabilities: { elicitation: {} },
      async elicit(
        _params: JsonObject,
        { call }: { readonly call: { readonly state: string; readonly tool: string } },
      ) {
        await vi.advanceTimersByTimeAsync(60_000);
        states.push(call.state, call.tool);
        return { action: 'decline' as const };
      },
    };
    await using opened = await open({ ...timed, options: { host: host as never } });
    const { held, toolbox } = opened;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const running = run(toolbox, { host: host as never });
    await held.arrival(1);
    expect(await held.ask()).toEqual({ action: 'decline' });
    held.answer();
    await running;
    expect(states).toEqual(['awaiting-input', kind === 'tool' ? 'mcp_s_act' : methods[kind]]);
  });

  test('ends it when its time is over', async () => {
    await using opened = await open(timed);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const running = run(opened.toolbox).catch((cause) => cause);
    await opened.held.arrival(1);
    await vi.advanceTimersByTimeAsync(1_100);
    expect(await running).toMatchObject({ code: 'CALL_TIMED_OUT' });
  });
});
