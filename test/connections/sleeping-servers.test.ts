import { readFile, writeFile } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { ServerSpec } from '../../packages/contract/settings/config.ts';
import type { RequestHost } from '../../packages/toolwharf/connections/request-host.ts';
import { createTestConnection, firstText } from '../support/connect.ts';
import { fixture, type Program, startHttp, tempDir } from '../support/fixtures.ts';
import { isAlive } from '../support/processes.ts';
import { waitFor } from '../support/wait-for.ts';

const idleAfterMs = 600_000;

/** A clock that a test moves. */
function createManualClock() {
  let now = Date.now();
  const sleeping = new Set<{ readonly at: number; wake(): void }>();
  return {
    now: () => now,
    sleep: (ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const entry = {
          at: now + ms,
          wake() {
            sleeping.delete(entry);
            resolve();
          },
        };
        sleeping.add(entry);
        signal?.addEventListener('abort', () => {
          sleeping.delete(entry);
          reject(signal.reason);
        });
      }),
    async advance(ms: number) {
      now += ms;
      for (const entry of sleeping) if (entry.at <= now) entry.wake();
      await nextTurn();
    },
  };
}

/** A lazy server that is connected, and the clock of its connection. */
async function openLazy(target: Program | string, changes: Partial<ServerSpec> = {}, defaultHost: RequestHost = {}) {
  const clock = createManualClock();
  const spec = { lifecycle: 'lazy', idleAfterMs, ...changes } as const;
  // Pings are not the subject here: they count as work while they run.
  const connection = createTestConnection(target, spec, { clock, healthMs: 2 ** 30, defaultHost });
  await connection.connect();
  return { connection, clock, [Symbol.asyncDispose]: () => connection.disconnect() };
}

const linesOf = async (file: string) => (await readFile(file, 'utf8').catch(() => '')).split('\n').filter(Boolean);
const toCall = (id: string, host: RequestHost = {}, signal = new AbortController().signal) => ({ id, host, signal });
const echo = { name: 'echo' };

describe('a lazy server', () => {
  test('a lazy server sleeps when nothing has used it, keeps its lists, and one process answers all calls that wake it', async () => {
    await using dir = await tempDir();
    await using lazy = await openLazy(fixture('ledger', { START_FILE: dir.file('started') }));
    const { connection, clock } = lazy;
    const { pid = 0 } = connection.status;
    await clock.advance(idleAfterMs - 1);
    expect(connection.status.state).toBe('connected');
    await clock.advance(1);
    expect(connection.status).toMatchObject({ state: 'sleeping', pid: undefined });
    expect(connection.lists.get('tools')).toMatchObject({ items: [echo, { name: 'book' }], stale: false });
    await waitFor(() => !isAlive(pid), { what: 'the end of the process' });
    const notices: string[] = [];
    const host: RequestHost = { onNotice: ({ message }) => notices.push(message) };
    const calls = ['1', '2', '3'].map((text) => connection.callTool(echo, { text }, toCall(text, host)));
    expect((await Promise.all(calls)).map(firstText)).toEqual(['1', '2', '3']);
    expect(notices).toEqual(Array.from({ length: 3 }, () => "Starting server 'subject' …"));
    expect(await linesOf(dir.file('started'))).toHaveLength(2);
    expect(connection.states).toEqual(['connecting', 'connected', 'sleeping', 'connecting', 'connected']);
  });

  test('a use restarts the time, and nothing but a use wakes the server', async () => {
    await using dir = await tempDir();
    await using lazy = await openLazy(fixture('ledger', { START_FILE: dir.file('started') }), { lifecycle: 'lazy' });
    const { connection, clock } = lazy;
    await clock.advance(idleAfterMs - 1);
    await connection.callTool(echo, { text: 'x' }, toCall('1'));
    await clock.advance(1);
    expect(connection.status.state).toBe('connected');
    await clock.advance(idleAfterMs);
    expect(connection.status.state).toBe('sleeping');
    for (let hour = 0; hour < 5; hour++) await clock.advance(3_600_000);
    await connection.refresh('tools');
    expect(await linesOf(dir.file('started'))).toHaveLength(2);
  });

  test('a write that runs when the time is over is not killed', async () => {
    await using dir = await tempDir();
    const [ledger, gate] = [dir.file('ledger'), dir.file('gate')];
    await using lazy = await openLazy(fixture('ledger'));
    const { connection, clock } = lazy;
    const writing = connection.callTool({ name: 'book' }, { ledger, gate }, toCall('1'));
    await waitFor(async () => (await linesOf(ledger)).length === 1, { what: 'the write' });
    for (let round = 0; round < 3; round++) await clock.advance(idleAfterMs);
    expect(connection.status.state).toBe('connected');
    await writeFile(gate, '');
    expect(firstText(await writing)).toBe('booked');
    expect(await linesOf(ledger)).toEqual(['begun', 'booked']);
    await clock.advance(idleAfterMs);
    expect(connection.status.state).toBe('sleeping');
  });

  test('a write that was cancelled keeps the server awake until the server answers or the grace is over', async () => {
    await using dir = await tempDir();
    const [ledger, gate] = [dir.file('ledger'), dir.file('gate')];
    const args = { ledger, gate, log: ledger, name: 'begun' };
    await using silent = await openLazy(fixture('ledger'), { cancelGraceMs: 2 * idleAfterMs });
    await using late = await openLazy(fixture('deaf'), { cancelGraceMs: 100 * idleAfterMs });
    const both = [silent, late];
    const cancel = new AbortController();
    const writes = both.map(({ connection }, at) =>
      connection.callTool({ name: at === 0 ? 'book' : 'work' }, args, toCall('1', {}, cancel.signal)),
    );
    await waitFor(async () => (await linesOf(ledger)).length === 2, { what: 'the writes' });
    cancel.abort(new Error('nobody waits'));
    for (const write of writes) await expect(write).rejects.toThrow('nobody waits');
    for (const { clock } of both) await clock.advance(idleAfterMs);
    expect(both.map(({ connection }) => connection.status.state)).toEqual(['connected', 'connected']);
    await writeFile(gate, '');
    await waitFor(() => late.connection.dropped.replies === 1, { what: 'the late answer' });
    await waitFor(async () => (await linesOf(ledger)).includes('booked'), { what: 'the end of the write' });
    for (const { clock } of both) await clock.advance(idleAfterMs);
    expect(both.map(({ connection }) => connection.status.state)).toEqual(['connected', 'sleeping']);
    await silent.clock.advance(idleAfterMs);
    expect(silent.connection.status.state).toBe('sleeping');
  });

  test('a task of the server, and an open question, keep it awake', async () => {
    await using dir = await tempDir();
    const path = dir.file('stage');
    await using tasks = await openLazy(fixture('tasks'));
    const stages = tasks.connection.callTool({ name: 'stages', taskSupport: 'required' }, { path }, toCall('1'));
    const asked = Promise.withResolvers<void>();
    const reply = Promise.withResolvers<{ action: 'accept'; content: { text: string } }>();
    const elicit = async () => {
      asked.resolve();
      return reply.promise;
    };
    await using asking = await openLazy(fixture('legacy'), {}, { elicit });
    const question = asking.connection.callTool({ name: 'ask' }, { question: 'Who?' }, toCall('2'));
    await asked.promise;
    for (const { clock, connection } of [tasks, asking]) {
      await clock.advance(idleAfterMs);
      expect(connection.status.state).toBe('connected');
    }
    for (const stage of ['first', 'second']) await writeFile(`${path}-${stage}`, '');
    reply.resolve({ action: 'accept', content: { text: 'me' } });
    expect([firstText(await stages), firstText(await question)]).toEqual(['done', expect.stringContaining('accept')]);
    for (const { clock, connection } of [tasks, asking]) {
      await clock.advance(idleAfterMs);
      expect(connection.status.state).toBe('sleeping');
    }
  });

  test('a subscription wakes the server and keeps it awake until its end', async () => {
    await using lazy = await openLazy(fixture('legacy'));
    const { connection, clock } = lazy;
    await clock.advance(idleAfterMs);
    expect(connection.status.state).toBe('sleeping');
    const unwatch = await connection.watchResources(['memo://one']);
    await clock.advance(idleAfterMs);
    expect(connection.status.state).toBe('connected');
    await unwatch();
    await clock.advance(idleAfterMs);
    expect(connection.status.state).toBe('sleeping');
  });

  test('the session of one client keeps the server awake until it is closed', async () => {
    await using lazy = await openLazy(fixture('legacy'), { isolation: 'session', idleAfterMs: 60_000 });
    const { connection, clock } = lazy;
    const host: RequestHost = { client: { era: 'legacy', session: 'one' } };
    await connection.callTool(echo, { text: 'x' }, toCall('1', host));
    await clock.advance(60_000);
    expect(connection.status.state).toBe('connected');
    await clock.advance(300_000);
    await waitFor(async () => {
      await clock.advance(60_000);
      return connection.status.state === 'sleeping';
    });
  });

  test('a server over HTTP sleeps too, and a read wakes it', async () => {
    await using server = await startHttp('modern-http');
    await using lazy = await openLazy(server.url);
    const { connection, clock } = lazy;
    await clock.advance(idleAfterMs);
    expect(connection.status.state).toBe('sleeping');
    const notices: string[] = [];
    const host: RequestHost = { onNotice: ({ message }) => notices.push(message) };
    expect(await connection.request('resources/read', { uri: 'memo://one' }, { host })).toMatchObject({
      contents: [{ text: 'memo one' }],
    });
    expect(notices).toHaveLength(1);
  });

  test('a server that rests has the tools that were accepted before, and a call fails with the reason if it cannot start', async () => {
    const connection = createTestConnection(fixture('crash-on-start'), { lifecycle: 'lazy' });
    await using _connection = connection;
    await connection.rest?.([{ name: 'echo', inputSchema: { type: 'object' } }]);
    expect(connection.states).toEqual(['sleeping']);
    expect(connection.lists.get('tools')?.items).toMatchObject([echo]);
    await expect(connection.callTool(echo, { text: 'x' }, toCall('1'))).rejects.toMatchObject({
      code: 'SERVER_DISCONNECTED',
      message: expect.stringMatching(/Not connected to MCP server: subject \(.*exit/s),
      data: { reached: false },
    });
    expect(connection.status.state).toBe('error');
  });

  test('an eager server never sleeps', async () => {
    await using eager = await openLazy(fixture('legacy'), { lifecycle: 'eager' });
    await eager.clock.advance(100 * idleAfterMs);
    expect(eager.connection).toMatchObject({ status: { state: 'connected' }, rest: undefined });
  });
});
