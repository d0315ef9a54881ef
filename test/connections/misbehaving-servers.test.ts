import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { createHttpEndpoints } from '../../src/connections/http/http-endpoints.ts';
import type { ConnectionStatus } from '../../src/connections/status.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { createTestConnection, firstText } from '../support/connect.ts';
import { collectLog, everything, fixture, startHttp, tempDir } from '../support/fixtures.ts';
import { descendantsOf, isAlive } from '../support/processes.ts';
import { waitFor } from '../support/wait-for.ts';

const call = (name: string, args: object = {}) => ({ name, arguments: args });

const smallHttp = () => ({
  openHttp: createHttpEndpoints({ env: {}, log: silentLog, clock: systemClock, maxMessageBytes: 100_000 }),
});

describe('what servers get wrong', () => {
  test('an event beyond the cap is told as that, with the cap, whatever transport brings it', async () => {
    const said = {
      code: 'SERVER_PROTOCOL',
      message: 'The server sent an event of more than 100000 bytes; it was not read to its end',
    };
    for (const name of ['legacy-http', 'modern-http', 'sse']) {
      await using server = await startHttp(name);
      const reasons: (string | undefined)[] = [];
      const onStatus = ({ reason }: ConnectionStatus) => reasons.push(reason);
      await using connection = createTestConnection(server.url, {}, { ...smallHttp(), onStatus });
      await connection.connect();
      const failing = connection.request('tools/call', call('big', { bytes: 500_000 }));
      await expect(failing, name).rejects.toMatchObject(said);
      // The old transport has lost its one stream with it, and says why.
      if (name === 'sse') await waitFor(() => reasons.includes(said.message));
      const next = await connection.request('tools/call', call('echo', { text: name }));
      expect(firstText(next)).toBe(name);
    }
  });

  test('an event beyond the cap is not fetched again where its stream could be resumed', async () => {
    await using server = await startHttp('resumable-huge');
    await using connection = createTestConnection(server.url, {}, smallHttp());
    await connection.connect();
    await expect(connection.request('tools/call', call('huge'))).rejects.toThrow(/event of more than 100000 bytes/);
    await wait(200);
    expect(firstText(await connection.request('tools/call', call('resumed')))).toBe('0');
  });

  test('a response stream that ends without an answer is an error at once, not at the deadline', async () => {
    for (const name of ['legacy-http', 'modern-http', 'sse']) {
      await using server = await startHttp(name);
      await using connection = createTestConnection(server.url);
      await connection.connect();
      await expect(connection.request('tools/call', call('drop'))).rejects.toMatchObject({ data: { reached: true } });
    }
  });

  test('one malformed tool costs that tool only, and is named [A10]', async () => {
    const { log, entries } = collectLog();
    await using connection = createTestConnection(fixture('malformed-tool'), {}, { log });
    await connection.connect();
    const list = connection.lists.get('tools');
    expect(list?.items.map((tool) => tool.name)).toContain('echo');
    expect(list?.rejected.map((item) => item.name)).toEqual(expect.arrayContaining(['string_schema', 'array_schema']));
    expect(entries.filter((entry) => entry.event === 'connection.item-rejected').length).toBe(list?.rejected.length);
  });

  test('unknown content, unknown fields and _meta come through untouched', async () => {
    await using connection = createTestConnection(fixture('legacy'));
    await connection.connect();
    const result = await connection.request('tools/call', call('unknown_content'));
    expect(result).toMatchObject({ futureField: { kept: true }, _meta: { 'example/result': 'yes' } });
    expect(result.content).toMatchObject([
      { type: 'text', _meta: { 'example/a': 1 } },
      { type: 'hologram', glow: true },
    ]);
  });

  test("progress uses our own token, so the caller's never reaches the server and foreign ones are dropped", async () => {
    await using connection = createTestConnection(fixture('progress-wrong-token'));
    await connection.connect();
    const seen: number[] = [];
    await connection.request(
      'tools/call',
      { ...call('progress'), _meta: { progressToken: 'mine' } },
      { host: { onProgress: ({ progress }) => void seen.push(progress) } },
    );
    expect(seen.length).toBeGreaterThan(0);
  });

  test('late, doubled and foreign replies are dropped and counted; everybody gets his own [B6]', async () => {
    await using connection = createTestConnection(fixture('late-replies'));
    await connection.connect();
    await connection.request('tools/call', call('twice'));
    await connection.request('tools/call', call('foreign'));
    const cancel = new AbortController();
    const cancelled = connection.request('tools/call', call('after_cancel'), { signal: cancel.signal });
    setTimeout(() => cancel.abort(new Error('stop')), 50);
    await expect(cancelled).rejects.toThrow('stop');
    await connection.request('tools/call', call('string_id'));
    await waitFor(() => connection.dropped.replies >= 2, { what: 'two dropped replies' });
  });

  test('a hundred calls at once on one connection are each answered with their own result [B6]', async () => {
    for (const start of [() => fixture('legacy'), () => startHttp('legacy-http'), () => startHttp('modern-http')]) {
      const server = await start();
      await using _server = 'url' in server ? server : undefined;
      await using connection = createTestConnection('url' in server ? server.url : server);
      await connection.connect();
      const texts = Array.from({ length: 100 }, (_, index) => `call ${index}`);
      const results = await Promise.all(texts.map((text) => connection.request('tools/call', call('echo', { text }))));
      expect(results.map(firstText)).toEqual(texts);
    }
  });

  test('prose, arrays and broken JSON between answers are passed over', async () => {
    await using connection = createTestConnection(
      fixture('garbage', { HUGE: '3000000' }),
      {},
      { maxMessageBytes: 1_000_000 },
    );
    await connection.connect();
    expect(firstText(await connection.request('tools/call', call('echo', { text: 'still here' })))).toBe('still here');
  });

  test('a message beyond the cap fails the call it answers and leaves the connection up', async () => {
    await using connection = createTestConnection(
      fixture('huge-result', { BYTES: '5000000' }),
      {},
      { maxMessageBytes: 1_000_000 },
    );
    await connection.connect();
    const failing = connection.request('tools/call', call('huge'));
    await expect(failing).rejects.toThrow(/message of \d+ bytes; at most 1000000 bytes/);
    expect(firstText(await connection.request('tools/call', call('echo', { text: 'on' })))).toBe('on');
  });

  test('a list without end is an error, never a wait', async () => {
    for (const env of [{}, { SAME: '1' }]) {
      await using connection = createTestConnection(fixture('endless-pages', env));
      await connection.connect();
      expect(connection.status.state).toBe('degraded');
      expect(connection.lists.get('tools')).toBeUndefined();
    }
  });

  test('a thousand tools in pages are all there [A10]', async () => {
    await using connection = createTestConnection(fixture('legacy', { TOOLS: '1000', PAGE: '37' }));
    await connection.connect();
    expect(new Set(connection.lists.get('tools')?.items.map((tool) => tool.name)).size).toBe(1_000);
  });

  test('a flood of notifications and error output neither loses the answer nor grows without bound', async () => {
    await using connection = createTestConnection(fixture('flood', { COUNT: '20000' }));
    await connection.connect();
    await connection.request('tools/call', call('flood'));
    expect(connection.stderr().length).toBeLessThanOrEqual(500);
  });
});

describe('nothing is left behind', () => {
  const left: number[] = [];
  afterEach(() => {
    for (const pid of left.splice(0)) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  });

  test('closing ends the server, what it started, and what left its process group [A2]', async () => {
    await using dir = await tempDir();
    const file = dir.file('pids');
    const connection = createTestConnection(fixture('grandchildren', { PIDS: file }));
    await connection.connect();
    const pids = await waitFor(async () => {
      const found = (await readFile(file, 'utf8').catch(() => '')).trim().split('\n').filter(Boolean).map(Number);
      return found.length === 2 ? found : undefined;
    });
    left.push(...(pids ?? []));
    expect(pids?.every(isAlive)).toBe(true);
    await connection.disconnect();
    expect([...(pids ?? []), connection.status.pid ?? 0].filter((pid) => pid && isAlive(pid))).toEqual([]);
  });

  test('a server that ignores its closed input and SIGTERM is ended all the same [A2]', async () => {
    const connection = createTestConnection(fixture('ignore-sigterm'));
    await connection.connect();
    const pid = connection.status.pid as number;
    left.push(pid);
    await connection.disconnect();
    expect(isAlive(pid)).toBe(false);
  });

  test('cancelling a connect ends the child that was being started', async () => {
    const before = new Set(descendantsOf(process.pid));
    const connection = createTestConnection(fixture('hang-on-start'));
    const connecting = connection.connect();
    await waitFor(() => descendantsOf(process.pid).some((pid) => !before.has(pid)));
    await connection.disconnect();
    await expect(connecting).rejects.toThrow();
    expect(descendantsOf(process.pid).filter((pid) => !before.has(pid))).toEqual([]);
  });

  test('the public server answers over all three transports [A3, R2]', async () => {
    for (const start of [() => everything('stdio'), () => everything('streamableHttp'), () => everything('sse')]) {
      const server = await start();
      await using _server = 'url' in server ? server : undefined;
      await using connection = createTestConnection('url' in server ? server.url : server);
      await connection.connect();
      expect(firstText(await connection.request('tools/call', call('echo', { message: 'hello' })))).toContain('hello');
    }
  });
});
