import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, test, vi } from 'vitest';
import { type Call, type LocalToolContext, localTool } from '../../packages/toolwharf/index.ts';
import type { InternalToolbox } from '../../packages/toolwharf/toolbox.ts';
import { startDeafHttp } from '../support/deaf-http.ts';
import { fixture, tempDir } from '../support/fixtures.ts';
import { openToolbox } from '../support/toolbox.ts';
import { patienceMs, waitFor } from '../support/wait-for.ts';

/** A toolbox with a server that ignores cancellation and runs one call of its tool at a time. */
async function openDeaf(settings: { readonly timeout?: number; readonly cancelGrace?: number } = {}) {
  const dir = await tempDir();
  const { timeout = patienceMs, cancelGrace } = settings;
  const server = { ...fixture('deaf'), cancelGrace, defaultToolConfig: { maxInstances: 1, timeout } };
  const toolbox = await openToolbox({ servers: { deaf: server } });
  const [log, gate] = [dir.file('log'), dir.file('gate')];
  return {
    toolbox,
    work: (name: string, signal?: AbortSignal) => toolbox.start('mcp_deaf_work', { log, gate, name }, { signal }),
    begun: async () => (await readFile(log, 'utf8').catch(() => '')).split('\n').filter(Boolean),
    answer: () => writeFile(gate, ''),
    async [Symbol.asyncDispose]() {
      await writeFile(gate, '');
      await toolbox.close();
      await dir[Symbol.asyncDispose]();
    },
  };
}

type Deaf = Awaited<ReturnType<typeof openDeaf>>;

/** Cancels a call after its server has begun it. */
async function cancelOne({ work, begun }: Deaf): Promise<void> {
  const cancel = new AbortController();
  const first = work('first', cancel.signal);
  await waitFor(async () => (await begun()).length === 1, { what: 'the first call' });
  cancel.abort();
  expect(await first.result).toMatchObject({ failure: { code: 'CALL_CANCELLED' } });
}

type DeafHttp = Awaited<ReturnType<typeof startDeafHttp>>;

/** A toolbox whose one tool, of the server over HTTP, has one permit. */
function openAtDeaf(
  { url }: DeafHttp,
  settings: { readonly protocol: 'legacy' | 'modern'; readonly cancelGrace: number },
) {
  const tool = { maxInstances: 1, timeout: patienceMs };
  return openToolbox({ servers: { deaf: { url, ...settings, defaultToolConfig: tool } } });
}

/** Cancels a call that the server over HTTP has received and does not answer. */
async function cancelFirst(toolbox: InternalToolbox, { begun }: DeafHttp): Promise<void> {
  const cancel = new AbortController();
  const first = toolbox.start('mcp_deaf_work', { name: 'first' }, { signal: cancel.signal });
  await waitFor(() => begun.length === 1, { what: 'the first call' });
  cancel.abort();
  expect(await first.result).toMatchObject({ failure: { code: 'CALL_CANCELLED' } });
}

const isQueued = (call: Call) => waitFor(() => call.state === 'queued', { what: 'the queued call' });
const unanswered = (toolbox: InternalToolbox) => toolbox.calls.stats().unanswered;

describe('a cancelled call that its server has not answered', () => {
  test('a cancelled call keeps its permit until the server answers late, which releases the permit once', async () => {
    await using deaf = await openDeaf();
    await cancelOne(deaf);
    const [second, third] = [deaf.work('second'), deaf.work('third')];
    await isQueued(third);
    expect([unanswered(deaf.toolbox), await deaf.begun()]).toEqual([1, ['first']]);
    await deaf.answer();
    expect(await second.result).toMatchObject({ text: 'second' });
    expect(await third.result).toMatchObject({ text: 'third' });
    expect(await deaf.begun()).toEqual(['first', 'second', 'third']);
    expect(deaf.toolbox.calls.stats()).toEqual({ running: 0, queued: 0, byKey: new Map() });
  });

  test('a cancelled call of a server over HTTP keeps its permit until the server answers late', async () => {
    await using server = await startDeafHttp();
    await using toolbox = await openAtDeaf(server, { protocol: 'legacy', cancelGrace: 4 * patienceMs });
    await cancelFirst(toolbox, server);
    const second = toolbox.start('mcp_deaf_work', { name: 'second' });
    await isQueued(second);
    await waitFor(() => server.methods.includes('notifications/cancelled'), { what: 'the cancellation' });
    expect([unanswered(toolbox), server.begun]).toEqual([1, ['first']]);
    server.answer();
    expect(await second.result).toMatchObject({ text: 'second' });
    expect(server.begun).toEqual(['first', 'second']);
  });

  test('a cancelled call of a server over HTTP releases its permit when the server closes the response', async () => {
    await using server = await startDeafHttp();
    await using toolbox = await openAtDeaf(server, { protocol: 'legacy', cancelGrace: patienceMs });
    await cancelFirst(toolbox, server);
    const second = toolbox.start('mcp_deaf_work', { name: 'second' });
    await isQueued(second);
    await waitFor(() => server.methods.includes('notifications/cancelled'), { what: 'the cancellation' });
    server.drop();
    await waitFor(() => server.begun.length === 2, { what: 'the second call' });
    server.answer();
    expect(await second.result).toMatchObject({ text: 'second' });
  });

  test('a cancelled call of a modern server over HTTP keeps its permit, although closing the request is what cancels it', async () => {
    await using server = await startDeafHttp();
    await using toolbox = await openAtDeaf(server, { protocol: 'modern', cancelGrace: 4 * patienceMs });
    await cancelFirst(toolbox, server);
    await waitFor(() => server.closed === 1, { what: 'the end of the request' });
    const second = toolbox.start('mcp_deaf_work', { name: 'second' });
    await isQueued(second);
    expect([unanswered(toolbox), server.begun]).toEqual([1, ['first']]);
    await toolbox.servers.disconnect('deaf');
    await waitFor(() => unanswered(toolbox) === undefined, { what: 'the release' });
  });

  test('a cancelled call releases its permit at once without a grace period', async () => {
    await using deaf = await openDeaf({ cancelGrace: 0 });
    await cancelOne(deaf);
    deaf.work('second');
    await waitFor(async () => (await deaf.begun()).length === 2, { what: 'the second call' });
    expect(unanswered(deaf.toolbox)).toBeUndefined();
  });

  test('a cancelled call releases its permit when the connection ends', async () => {
    await using deaf = await openDeaf();
    await cancelOne(deaf);
    const second = deaf.work('second');
    await isQueued(second);
    await deaf.toolbox.servers.disconnect('deaf');
    await waitFor(() => unanswered(deaf.toolbox) === undefined, { what: 'the release' });
    expect(await second.result).toMatchObject({ isError: true });
  });

  test('a call that timed out is the reason that a queued call names when its time is over, and that call says that it never ran', async () => {
    await using deaf = await openDeaf({ timeout: 1_000 });
    expect(await deaf.work('first').result).toMatchObject({
      failure: { code: 'CALL_TIMED_OUT', data: { phase: 'running' } },
    });
    const { failure } = await deaf.work('second').result;
    expect(failure).toMatchObject({ code: 'CALL_TIMED_OUT', data: { phase: 'queued', limit: 'max_instances' } });
    expect(failure?.message).toMatch(
      /was not started: max_instances of .*work.* is 1 \(1 permit is held by a call that/,
    );
    expect(await deaf.begun()).toEqual(['first']);
  });
});

describe('a local function that ignores its signal', () => {
  test('keeps the permit of its call until it ends', async () => {
    const gate = Promise.withResolvers<void>();
    let running = 0;
    let most = 0;
    const deaf = localTool({
      name: 'deaf',
      async execute() {
        most = Math.max(most, ++running);
        await gate.promise;
        running--;
      },
    });
    const config = { servers: {}, toolbox: { tools: { deaf: { maxInstances: 1, timeout: patienceMs } } } };
    await using toolbox = await openToolbox(config, { tools: [deaf] });
    const cancel = new AbortController();
    const first = toolbox.start('deaf', {}, { signal: cancel.signal });
    await waitFor(() => running === 1, { what: 'the first call' });
    cancel.abort();
    expect(await first.result).toMatchObject({ failure: { code: 'CALL_CANCELLED' } });
    const [second, third] = [toolbox.start('deaf', {}), toolbox.start('deaf', {})];
    await isQueued(third);
    expect([unanswered(toolbox), running, second.state]).toEqual([1, 1, 'queued']);
    gate.resolve();
    for (const call of [second, third]) expect(await call.result).toMatchObject({ isError: false });
    expect([most, toolbox.calls.stats().unanswered]).toEqual([1, undefined]);
  });

  test('its progress extends the timeout, as that of a server does', async () => {
    const reports = Promise.withResolvers<LocalToolContext['onProgress']>();
    const ended = Promise.withResolvers<string>();
    const slow = localTool({
      name: 'slow',
      execute(_args, { onProgress }) {
        reports.resolve(onProgress);
        return ended.promise;
      },
    });
    const config = { servers: {}, toolbox: { tools: { slow: { timeout: 2_000 } } } };
    await using toolbox = await openToolbox(config, { tools: [slow] });
    vi.useFakeTimers();
    try {
      const call = toolbox.start('slow', {});
      const report = await reports.promise;
      for (let progress = 1; progress <= 6; progress++) {
        await vi.advanceTimersByTimeAsync(1_500);
        report?.({ progress });
      }
      ended.resolve('done');
      expect(await call.result).toMatchObject({ text: 'done' });
    } finally {
      vi.useRealTimers();
    }
  });
});
