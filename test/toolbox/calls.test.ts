import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type CallRecord, localTool, type Toolbox } from '../../packages/toolwharf/index.ts';
import { fixture, tempDir } from '../support/fixtures.ts';
import { openToolbox } from '../support/toolbox.ts';

const lines = async (file: string) => (await readFile(file, 'utf8').catch(() => '')).split('\n').filter(Boolean);

describe('tools of servers and local tools have the same interface', () => {
  test('every tool has a name, a description, parameters and an execute function [A1]', async () => {
    const local = localTool({
      name: 'greet',
      description: 'Greets.',
      parameters: z.object({ name: z.string(), loud: z.boolean().default(false) }),
      execute: ({ name, loud }) => (loud ? `HI ${name}` : `hi ${name}`),
    });
    await using toolbox = await openToolbox({ servers: { legacy: fixture('legacy') } }, { tools: [local] });
    for (const tool of toolbox.tools) {
      expect(tool).toMatchObject({
        name: expect.any(String),
        description: expect.any(String),
        parameters: { type: 'object' },
      });
    }
    expect((await toolbox.tool('greet')?.execute({ name: 'Ada' }))?.text).toBe('hi Ada');
    expect((await toolbox.tool('mcp_legacy_echo')?.execute({ text: 'hi' }))?.text).toBe('hi');
    const wrong = await toolbox.call('greet', { name: 5 });
    expect(wrong).toMatchObject({ isError: true, failure: { code: 'ARGUMENTS_INVALID' } });
  });

  test('texts, JSON values and thrown errors of a local tool become results', async () => {
    const tools = [
      localTool({ name: 'text', execute: () => 'plain' }),
      localTool({ name: 'value', execute: () => ({ total: 3 }) }),
      localTool({ name: 'throws', execute: () => Promise.reject(new Error('no luck')) }),
      localTool({ name: 'deaf', timeoutMs: 50, execute: () => new Promise(() => {}) }),
    ];
    await using toolbox = await openToolbox({ servers: {} }, { tools });
    expect(await toolbox.call('text', {})).toMatchObject({ isError: false, text: 'plain' });
    expect(await toolbox.call('value', {})).toMatchObject({ structuredContent: { total: 3 }, text: '{"total":3}' });
    expect(await toolbox.call('throws', {})).toMatchObject({ isError: true, text: 'MCP error: no luck' });
    expect(await toolbox.call('deaf', {})).toMatchObject({ isError: true, failure: { code: 'CALL_TIMED_OUT' } });
  });
});

describe('a failed call does not throw', () => {
  async function failures(toolbox: Toolbox) {
    await using dir = await tempDir();
    const cancel = new AbortController();
    const whileItRuns = { signal: cancel.signal, onProgress: () => cancel.abort() };
    return {
      unknown: await toolbox.call('mcp_s_nothing', {}),
      invalid: await toolbox.call('mcp_s_add', { a: 'one' }),
      notObject: await toolbox.call('mcp_s_echo', 'hi'),
      ownFailure: await toolbox.call('mcp_s_fail', {}),
      cancelled: await toolbox.call('mcp_patient_linger', { path: dir.file('cancelled') }, whileItRuns),
      timedOut: await toolbox.call('mcp_s_sleep', { ms: 60_000 }),
      aborted: await toolbox.call('mcp_s_echo', { text: 'x' }, { signal: AbortSignal.abort() }),
    };
  }

  test('every failure is a result that starts with "MCP error:" and has its own code [A7]', async () => {
    await using toolbox = await openToolbox({
      servers: { s: { ...fixture('legacy'), maxTimeout: '1s' }, patient: fixture('cancellable') },
      toolbox: { tools: [{ name: 'sleep', timeout: '300ms' }] },
    });
    const found = await failures(toolbox);
    expect(Object.fromEntries(Object.entries(found).map(([key, result]) => [key, result.failure?.code]))).toEqual({
      unknown: 'TOOL_NAME_INVALID',
      invalid: 'ARGUMENTS_INVALID',
      notObject: 'ARGUMENTS_INVALID',
      ownFailure: undefined,
      cancelled: 'CALL_CANCELLED',
      timedOut: 'CALL_TIMED_OUT',
      aborted: 'CALL_CANCELLED',
    });
    for (const [key, result] of Object.entries(found)) {
      expect(result.isError).toBe(true);
      if (key !== 'ownFailure') expect(result.text).toMatch(/^MCP error: /);
    }
    expect(found.unknown.text).toBe('MCP error: Invalid MCP tool name: mcp_s_nothing');
  });

  test('arguments are validated before they are sent, with an error that a model can correct [R18]', async () => {
    await using dir = await tempDir();
    await using toolbox = await openToolbox({ servers: { s: fixture('legacy') } });
    const result = await toolbox.call('mcp_s_write', { path: dir.file('ran'), text: 7 });
    expect(result.text).toContain('text');
    expect(result.text).toMatch(/string/);
    expect(await lines(dir.file('ran'))).toEqual([]);
  });

  test('a call has an unknown outcome if its server dies while it runs, and it is never run twice [A8]', async () => {
    await using dir = await tempDir();
    const file = dir.file('ran');
    await using toolbox = await openToolbox({ servers: { s: fixture('die-in-call') } });
    const result = await toolbox.call('mcp_s_die', { path: file });
    expect(result).toMatchObject({ isError: true, failure: { code: 'OUTCOME_UNKNOWN' } });
    expect((await toolbox.call('mcp_s_echo', { text: 'back' })).text).toBe('back');
    expect(await lines(file)).toHaveLength(1);
  });

  test('an interrupted call is sent again only if its server is trusted and its tool is safe to repeat [A8]', async () => {
    await using dir = await tempDir();
    const cases = [
      { trusted: false, IDEMPOTENT: '1', runs: 1 },
      { trusted: true, IDEMPOTENT: '0', runs: 1 },
      { trusted: true, IDEMPOTENT: '1', runs: 2 },
    ];
    for (const [index, { trusted, IDEMPOTENT, runs }] of cases.entries()) {
      const path = dir.file(`ran-${index}`);
      const server = { ...fixture('die-in-call', { RECOVER: '1', IDEMPOTENT }), trusted };
      await using toolbox = await openToolbox({ servers: { s: server } });
      const result = await toolbox.call('mcp_s_die', { path });
      expect(result.failure?.code).toBe(runs === 2 ? undefined : 'OUTCOME_UNKNOWN');
      expect(await lines(path)).toHaveLength(runs);
    }
  });

  test('a call to a server that is down reports the server and its next connection attempt [B9]', async () => {
    await using toolbox = await openToolbox({ servers: { s: fixture('legacy') } });
    await toolbox.servers.disconnect('s');
    expect((await toolbox.call('mcp_s_echo', { text: 'x' })).text).toContain('Invalid MCP tool name');
    await toolbox.servers.connect('s');
    expect((await toolbox.call('mcp_s_echo', { text: 'x' })).text).toBe('x');
  });
});

describe('the limits of a toolbox', () => {
  test('max_instances applies to one tool and max_concurrent to all tools, and a timeout releases the permit [M12]', async () => {
    let running = 0;
    let most = 0;
    /** Calls that end only when the maximum number of them runs at the same time. */
    const work = (name: string, expected: number, all: PromiseWithResolvers<void>) =>
      localTool({
        name,
        execute: async () => {
          most = Math.max(most, ++running);
          if (running === expected) all.resolve();
          await all.promise;
          await new Promise((resolve) => setImmediate(resolve));
          running--;
          return 'done';
        },
      });
    const config = (maxInstances: number, maxConcurrent: number) => ({
      servers: {},
      toolbox: {
        maxConcurrent,
        tools: [
          { name: 'a', maxInstances },
          { name: 'b', maxInstances },
        ],
      },
    });
    for (const [maxInstances, maxConcurrent, expected] of [
      [2, 10, 4],
      [5, 3, 3],
    ] as const) {
      most = 0;
      const all = Promise.withResolvers<void>();
      const tools = ['a', 'b'].map((name) => work(name, expected, all));
      await using toolbox = await openToolbox(config(maxInstances, maxConcurrent), { tools });
      await Promise.all(Array.from({ length: 20 }, (_, index) => toolbox.call(index % 2 ? 'a' : 'b', {})));
      expect(most).toBe(expected);
    }
    const hang = localTool({
      ...{ name: 'hang', maxInstances: 1, timeoutMs: 60 },
      execute: (_args, { signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    });
    await using toolbox = await openToolbox({ servers: {} }, { tools: [hang] });
    expect(await toolbox.call('hang', {})).toMatchObject({ failure: { code: 'CALL_TIMED_OUT' } });
    const again = await toolbox.call('hang', {});
    expect(again.text).toContain('did not finish');
  });

  test('a cancelled call leaves the queue, and a full queue rejects calls [M12]', async () => {
    const open = Promise.withResolvers<string>();
    const slow = localTool({ name: 'slow', maxInstances: 1, execute: () => open.promise });
    await using toolbox = await openToolbox({ servers: {}, toolbox: { maxQueued: 1 } }, { tools: [slow] });
    const first = toolbox.call('slow', {});
    await new Promise((resolve) => setImmediate(resolve));
    const cancel = new AbortController();
    const second = toolbox.call('slow', {}, { signal: cancel.signal });
    await new Promise((resolve) => setImmediate(resolve));
    expect(await toolbox.call('slow', {})).toMatchObject({ failure: { code: 'QUEUE_FULL' } });
    cancel.abort();
    expect(await second).toMatchObject({ failure: { code: 'CALL_CANCELLED' } });
    const third = toolbox.call('slow', {});
    open.resolve('done');
    expect((await first).text).toBe('done');
    expect((await third).text).toBe('done');
  });

  test('a rate limit per server rejects further calls with a retry time [R20]', async () => {
    await using toolbox = await openToolbox({
      servers: { s: { ...fixture('legacy'), rate: { calls: 3, per: '1h' } } },
    });
    const results = [];
    for (let index = 0; index < 4; index++) results.push(await toolbox.call('mcp_s_echo', { text: 'x' }));
    expect(results.map((result) => result.failure?.code)).toEqual([undefined, undefined, undefined, 'RATE_LIMITED']);
    expect(results[3]?.text).toMatch(/try again in \d+ ms/);
  });
});

describe('an idempotency key', () => {
  test('an idempotency key runs a call once, returns its result to concurrent and later calls, and conflicts with other arguments', async () => {
    await using dir = await tempDir();
    const path = dir.file('ran');
    await using toolbox = await openToolbox({ servers: { s: fixture('legacy') } });
    const options = { idempotencyKey: 'k1' };
    const [one, two] = await Promise.all([
      toolbox.call('mcp_s_write', { path, text: 'a' }, options),
      toolbox.call('mcp_s_write', { text: 'a', path }, options),
    ]);
    const three = await toolbox.call('mcp_s_write', { path, text: 'a' }, options);
    expect(new Set([one.callId, two.callId, three.callId]).size).toBe(1);
    expect(await lines(path)).toHaveLength(1);
    const other = await toolbox.call('mcp_s_write', { path, text: 'b' }, options);
    expect(other).toMatchObject({ failure: { code: 'IDEMPOTENCY_CONFLICT' } });
  });
});

describe('a result', () => {
  test('a result retains images, structured content, unknown blocks and _meta', async () => {
    await using toolbox = await openToolbox({ servers: { s: fixture('legacy') } });
    expect((await toolbox.call('mcp_s_image', {})).content).toMatchObject([{ type: 'image', mimeType: 'image/png' }]);
    expect(await toolbox.call('mcp_s_structured', { city: 'Oslo' })).toMatchObject({
      structuredContent: { city: 'Oslo' },
    });
    const odd = await toolbox.call('mcp_s_unknown_content', {});
    expect(odd.raw).toMatchObject({ futureField: { kept: true } });
    expect(odd.content).toMatchObject([{ type: 'text' }, { type: 'hologram' }]);
  });

  test('a result of 50 MB is truncated, states the truncation and can be read in pages', async () => {
    await using toolbox = await openToolbox({
      servers: { s: fixture('huge-result') },
      toolbox: { maxResultBytes: 100_000 },
    });
    const result = await toolbox.call('mcp_s_huge', {});
    expect(result.isError).toBe(false);
    expect(result.text.length).toBeLessThan(110_000);
    expect(result.text).toMatch(/cut by Toolwharf/);
    expect(result.truncated?.totalBytes).toBeGreaterThan(50_000_000);
    expect(result.truncated?.shownBytes).toBeLessThan(110_000);
    const page = toolbox.calls.readResult(result.callId, 1_000_000, 10);
    expect(page).toMatchObject({ offset: 1_000_000, nextOffset: 1_000_010, text: 'x'.repeat(10) });
    expect(page?.totalLength).toBeGreaterThan(50_000_000);
  });

  test('a result contains no secrets of its server, and neither does the error output', async () => {
    const env = { ...process.env, MY_SECRET: 'swordfish-1234' };
    const program = fixture('legacy', { API_TOKEN: '${MY_SECRET}' });
    await using toolbox = await openToolbox({ servers: { s: program } }, { env });
    const result = await toolbox.call('mcp_s_env', { name: 'API_TOKEN' });
    expect(result.text).toBe('[redacted]');
    expect(JSON.stringify(result)).not.toContain('swordfish');
    expect(JSON.stringify([toolbox.servers.list(), toolbox.config, await toolbox.calls.list()])).not.toContain(
      'swordfish',
    );
  });

  test('a result is returned unchanged even if it does not match the output schema of its server', async () => {
    await using toolbox = await openToolbox({ servers: { s: fixture('lying-schema') } });
    expect((await toolbox.call('mcp_s_number', {})).isError).toBe(false);
    expect((await toolbox.call('mcp_s_echo', { text: 'x' })).text).toBe('x');
  });
});

describe('the record of a call', () => {
  test('the record of a call is stored and published when the call is pending, running and successful [R6]', async () => {
    const seen: CallRecord[] = [];
    await using toolbox = await openToolbox({ servers: { s: fixture('legacy') } });
    toolbox.on('call.changed', (record) => seen.push(record));
    const result = await toolbox.call('mcp_s_echo', { text: 'hi' }, { caller: { id: 'key-1', kind: 'client' } });
    expect(seen.map((record) => record.status)).toEqual(['pending', 'running', 'success']);
    const [record] = await toolbox.calls.list({ caller: 'key-1' });
    expect(record).toMatchObject({
      id: result.callId,
      server: 's',
      originalName: 'echo',
      arguments: { text: 'hi' },
      status: 'success',
      startedAt: expect.any(String),
      completedAt: expect.any(String),
      result: { content: [{ type: 'text', text: 'hi' }] },
    });
  });

  test('the record of a call contains the reason for each kind of failure [R6]', async () => {
    await using toolbox = await openToolbox({
      // Its progress extends the timeout up to this limit.
      servers: { s: { ...fixture('legacy'), maxTimeout: '1s' } },
      toolbox: { tools: [{ name: 'sleep', timeout: '100ms' }], approval: { deny: ['mcp_s_pid'] } },
    });
    await toolbox.call('mcp_s_pid', {});
    await toolbox.call('mcp_s_sleep', { ms: 60_000 });
    await toolbox.call('mcp_s_add', { a: 'x' });
    await toolbox.call('mcp_s_fail', {});
    await toolbox.call('mcp_s_echo', { text: 'x' }, { signal: AbortSignal.abort() });
    const records = await toolbox.calls.list({ status: 'error' });
    expect(records.map((record) => record.end).reverse()).toEqual([
      'denied',
      'timeout',
      'invalid',
      'tool',
      'cancelled',
    ]);
  });

  test('other work runs before a truncated result is recorded', async () => {
    let hasTurned = false;
    const turnedAtEnd: boolean[] = [];
    const journal = {
      async write({ status }: CallRecord) {
        if (status === 'success') turnedAtEnd.push(hasTurned);
      },
      get: async () => undefined,
      list: async () => [],
      claim: async () => undefined,
    };
    const write = localTool({
      name: 'write',
      description: 'Writes.',
      parameters: z.object({ length: z.number() }),
      execute({ length }) {
        hasTurned = false;
        setImmediate(() => {
          hasTurned = true;
        });
        return 'x'.repeat(length);
      },
    });
    const config = { servers: {}, toolbox: { maxResultBytes: 10_000 } };
    await using toolbox = await openToolbox(config, { tools: [write], journal });
    await toolbox.call('write', { length: 10 });
    await toolbox.call('write', { length: 100_000 });
    expect(turnedAtEnd).toEqual([false, true]);
  });

  test('the record of a call must be written before the call is sent', async () => {
    await using dir = await tempDir();
    const path = dir.file('ran');
    const broken = {
      write: () => Promise.reject(new Error('disk full')),
      get: async () => undefined,
      list: async () => [],
      claim: async () => undefined,
    };
    await using toolbox = await openToolbox({ servers: { s: fixture('legacy') } }, { journal: broken });
    const result = await toolbox.call('mcp_s_write', { path, text: 'x' });
    expect(result).toMatchObject({ isError: true, failure: { code: 'JOURNAL_UNAVAILABLE' } });
    expect(await lines(path)).toEqual([]);
  });
});
