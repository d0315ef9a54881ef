import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { createHttpEndpoints } from '../../packages/toolwharf/connections/http/http-endpoints.ts';
import type { ConnectionStatus } from '../../packages/toolwharf/connections/status.ts';
import { systemClock } from '../../packages/toolwharf/kernel/clock.ts';
import { silentLog } from '../../packages/toolwharf/kernel/log.ts';
import { createTestConnection, firstText } from '../support/connect.ts';
import { collectLog, everything, fixture, startHttp, tempDir } from '../support/fixtures.ts';
import { descendantsOf, isAlive } from '../support/processes.ts';
import { waitFor } from '../support/wait-for.ts';

const call = (name: string, args: object = {}) => ({ name, arguments: args });

const smallHttp = () => ({
  openHttp: createHttpEndpoints({ env: {}, log: silentLog, clock: systemClock, maxMessageBytes: 100_000 }),
});

describe('a connection to a misbehaving server', () => {
  test('a connection to a misbehaving server reports an event over the size limit with the limit, on every transport', async () => {
    const tooLarge = {
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
      await expect(failing, name).rejects.toMatchObject(tooLarge);
      // The old transport loses its only stream with the event and reports the reason.
      if (name === 'sse') await waitFor(() => reasons.includes(tooLarge.message));
      const next = await connection.request('tools/call', call('echo', { text: name }));
      expect(firstText(next)).toBe(name);
    }
  });

  test('a connection to a misbehaving server does not resume the stream of an event over the size limit', async () => {
    await using server = await startHttp('resumable-huge');
    await using connection = createTestConnection(server.url, {}, smallHttp());
    await connection.connect();
    await expect(connection.request('tools/call', call('huge'))).rejects.toThrow(/event of more than 100000 bytes/);
    await wait(200);
    expect(firstText(await connection.request('tools/call', call('resumed')))).toBe('0');
  });

  test('a connection to a misbehaving server reports a response stream that ends without a response at once, not at the deadline', async () => {
    for (const name of ['legacy-http', 'modern-http', 'sse']) {
      await using server = await startHttp(name);
      await using connection = createTestConnection(server.url);
      await connection.connect();
      await expect(connection.request('tools/call', call('drop'))).rejects.toMatchObject({ data: { reached: true } });
    }
  });

  test('a connection to a misbehaving server skips a malformed tool, logs it by name and offers the others [A10]', async () => {
    const { log, entries } = collectLog();
    await using connection = createTestConnection(fixture('malformed-tool'), {}, { log });
    await connection.connect();
    const list = connection.lists.get('tools');
    expect(list?.items.map((tool) => tool.name)).toContain('echo');
    expect(list?.rejected.map((item) => item.name)).toEqual(expect.arrayContaining(['string_schema', 'array_schema']));
    expect(entries.filter((entry) => entry.event === 'connection.item-rejected').length).toBe(list?.rejected.length);
  });

  test('a connection to a misbehaving server passes on unknown content, unknown fields and _meta unchanged', async () => {
    await using connection = createTestConnection(fixture('legacy'));
    await connection.connect();
    const result = await connection.request('tools/call', call('unknown_content'));
    expect(result).toMatchObject({ futureField: { kept: true }, _meta: { 'example/result': 'yes' } });
    expect(result.content).toMatchObject([
      { type: 'text', _meta: { 'example/a': 1 } },
      { type: 'hologram', glow: true },
    ]);
  });

  test('a connection to a misbehaving server uses its own progress token, hides that of the caller, and drops progress with a foreign token', async () => {
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

  test('a connection to a misbehaving server drops and counts late, duplicate and foreign replies, and matches each reply to its request [B6]', async () => {
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

  test('a connection to a misbehaving server matches the results of a hundred concurrent calls to their requests [B6]', async () => {
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

  test('a connection to a misbehaving server skips text, arrays and invalid JSON between responses', async () => {
    await using connection = createTestConnection(
      fixture('garbage', { HUGE: '3000000' }),
      {},
      { maxMessageBytes: 1_000_000 },
    );
    await connection.connect();
    expect(firstText(await connection.request('tools/call', call('echo', { text: 'still here' })))).toBe('still here');
  });

  test('a connection to a misbehaving server fails the call of a message over the size limit and stays connected', async () => {
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

  test('a connection to a misbehaving server reports an endless list as an error', async () => {
    for (const env of [{}, { SAME: '1' }]) {
      await using connection = createTestConnection(fixture('endless-pages', env));
      await connection.connect();
      expect(connection.status.state).toBe('degraded');
      expect(connection.lists.get('tools')).toBeUndefined();
    }
  });

  test('a connection to a misbehaving server reads a thousand tools in pages [A10]', async () => {
    await using connection = createTestConnection(fixture('legacy', { TOOLS: '1000', PAGE: '37' }));
    await connection.connect();
    expect(new Set(connection.lists.get('tools')?.items.map((tool) => tool.name)).size).toBe(1_000);
  });

  test('a connection to a misbehaving server survives a flood of notifications and error output without losing the response or growing without bound', async () => {
    await using connection = createTestConnection(fixture('flood', { COUNT: '20000' }));
    await connection.connect();
    await connection.request('tools/call', call('flood'));
    expect(connection.stderr().length).toBeLessThanOrEqual(500);
  });
});

describe('closing a connection', () => {
  const left: number[] = [];
  afterEach(() => {
    for (const pid of left.splice(0)) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  });

  test('closing a connection ends the server, its child processes, and those outside its process group [A2]', async () => {
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

  test('closing a connection ends a server that ignores its closed input and SIGTERM [A2]', async () => {
    const connection = createTestConnection(fixture('ignore-sigterm'));
    await connection.connect();
    const pid = connection.status.pid as number;
    left.push(pid);
    await connection.disconnect();
    expect(isAlive(pid)).toBe(false);
  });

  test('closing a connection while it is being opened ends the child process', async () => {
    const before = new Set(descendantsOf(process.pid));
    const connection = createTestConnection(fixture('hang-on-start'));
    const connecting = connection.connect();
    await waitFor(() => descendantsOf(process.pid).some((pid) => !before.has(pid)));
    await connection.disconnect();
    await expect(connecting).rejects.toThrow();
    expect(descendantsOf(process.pid).filter((pid) => !before.has(pid))).toEqual([]);
  });

  test('the public server works over all three transports [A3, R2]', async () => {
    for (const start of [() => everything('stdio'), () => everything('streamableHttp'), () => everything('sse')]) {
      const server = await start();
      await using _server = 'url' in server ? server : undefined;
      await using connection = createTestConnection('url' in server ? server.url : server);
      await connection.connect();
      expect(firstText(await connection.request('tools/call', call('echo', { message: 'hello' })))).toContain('hello');
    }
  });
});
