import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { createProtocolCache, toProtocolKey } from '../../packages/toolwharf/connections/protocol-cache.ts';
import { createTestConnection, firstText, type TestConnection } from '../support/connect.ts';
import { fixture, type HttpServer, type Program, startHttp, tempDir } from '../support/fixtures.ts';
import { descendantsOf, isAlive } from '../support/processes.ts';
import { waitFor } from '../support/wait-for.ts';

const call = (name: string, args: object = {}) => ({ name, arguments: args });

describe('a connection', () => {
  const cells: [string, () => Program | Promise<HttpServer>, 'stdio' | 'http' | 'sse', 'legacy' | 'modern'][] = [
    ['legacy over stdio', () => fixture('legacy'), 'stdio', 'legacy'],
    ['modern over stdio', () => fixture('modern'), 'stdio', 'modern'],
    ['legacy over Streamable HTTP', () => startHttp('legacy-http'), 'http', 'legacy'],
    ['legacy over Streamable HTTP with JSON answers', () => startHttp('legacy-http', { JSON: '1' }), 'http', 'legacy'],
    ['modern over Streamable HTTP', () => startHttp('modern-http'), 'http', 'modern'],
    ['modern over Streamable HTTP with JSON answers', () => startHttp('modern-http', { JSON: '1' }), 'http', 'modern'],
    ['legacy over HTTP+SSE', () => startHttp('sse'), 'sse', 'legacy'],
  ];
  for (const [title, start, transport, era] of cells) {
    test(`${title}: detects the era, lists, calls, cancels and closes [A3, R2]`, async () => {
      const server = await start();
      await using _server = 'url' in server ? server : undefined;
      await using connection = createTestConnection('url' in server ? server.url : server);
      await connection.connect();
      expect(connection.status).toMatchObject({ state: 'connected', transport, era });
      expect(connection.lists.get('tools')?.items.length).toBeGreaterThan(10);
      expect(connection.lists.get('resources')?.items).toHaveLength(2);
      expect(connection.lists.get('resourceTemplates')?.items).toHaveLength(1);
      expect(connection.lists.get('prompts')?.items).toHaveLength(2);
      expect(firstText(await connection.request('tools/call', call('echo', { text: 'hi' })))).toBe('hi');
      const resource = await connection.request('resources/read', { uri: 'memo://one' });
      expect(resource.contents).toMatchObject([{ uri: 'memo://one' }]);
      const cancel = new AbortController();
      const sleeping = connection.request('tools/call', call('sleep', { ms: 60_000 }), { signal: cancel.signal });
      setTimeout(() => cancel.abort(new Error('enough')), 50);
      await expect(sleeping).rejects.toThrow('enough');
      expect(firstText(await connection.request('tools/call', call('add', { a: 1, b: 2 })))).toBe('3');
      await connection.disconnect();
      expect(connection.status.state).toBe('disconnected');
      if (connection.status.pid) expect(isAlive(connection.status.pid)).toBe(false);
    });
  }

  for (const [title, start] of cells.filter(([title]) => !title.includes('JSON'))) {
    test(`${title}: progress, log messages and questions reach their hosts`, async () => {
      const server = await start();
      await using _server = 'url' in server ? server : undefined;
      const questions: string[] = [];
      await using connection = createTestConnection(
        'url' in server ? server.url : server,
        {},
        {
          logLevel: 'debug',
          defaultHost: {
            elicit: async (_params, context) => {
              questions.push(`elicit for ${context.callId} of ${context.server}`);
              return { action: 'accept', content: { name: 'Ada' } };
            },
            sample: async () => ({ role: 'assistant', model: 'none', content: { type: 'text', text: 'sampled' } }),
            listRoots: async () => [{ uri: 'file:///work', name: 'work' }],
          },
        },
      );
      await connection.connect();
      const progress: number[] = [];
      const host = { onProgress: (step: { progress: number }) => void progress.push(step.progress) };
      await connection.request('tools/call', call('sleep', { ms: 180 }), { host });
      expect(progress.length).toBeGreaterThan(1);
      expect(progress).toEqual([...progress].sort((a, b) => a - b));
      const answer = await connection.request('tools/call', call('ask', { question: 'who?' }), {
        callId: 'c1',
        host: {},
      });
      expect(firstText(answer)).toContain('Ada');
      expect(questions).toEqual(['elicit for c1 of subject']);
      expect(firstText(await connection.request('tools/call', call('sample', { prompt: 'x' })))).toContain('sampled');
      expect(firstText(await connection.request('tools/call', call('roots')))).toContain('file:///work');
      await connection.request('tools/call', call('log', { level: 'error', text: 'note this' }));
      await waitFor(() => connection.notes.some((note) => note.method === 'notifications/message'));
    });
  }

  test.each(['legacy', 'modern'])(
    'a %s server with configured roots gets them instead of those of the client',
    async (era) => {
      const roots = [{ uri: 'file:///srv/my%20notes', name: 'my notes' }];
      await using connection = createTestConnection(fixture(era), { roots });
      await connection.connect();
      const client = {
        capabilities: { roots: {} },
        listRoots: async () => [{ uri: 'file:///of-client' }],
      };
      const answers = await Promise.all([
        connection.request('tools/call', call('roots')),
        connection.request('tools/call', call('roots'), { host: client }),
        // A modern client that answers questions itself is not asked either.
        connection.request('tools/call', call('roots'), {
          host: { capabilities: {}, ...(era === 'modern' && { input: {} }) },
        }),
      ]);
      for (const answer of answers) {
        expect(firstText(answer)).toContain('file:///srv/my%20notes');
        expect(firstText(answer)).not.toContain('of-client');
      }
    },
  );

  test('a connection rejects the question of a server if there is no host that can answer it', async () => {
    await using legacy = createTestConnection(fixture('legacy'));
    await legacy.connect();
    expect((await legacy.request('tools/call', call('ask', { question: 'who?' }))).isError).toBe(true);
    await using modern = createTestConnection(fixture('modern'));
    await modern.connect();
    await expect(modern.request('tools/call', call('ask', { question: 'who?' }))).rejects.toThrow();
  });
});

describe('detecting the era and the transport', () => {
  test('era detection starts no second process for a stdio server', async () => {
    const before = new Set(descendantsOf(process.pid));
    await using connection = createTestConnection(fixture('legacy'));
    await connection.connect();
    const started = descendantsOf(process.pid).filter((pid) => !before.has(pid));
    // The server itself, and the one watcher process that ends servers when this process dies.
    expect(started).toContain(connection.status.pid);
    expect(started.length).toBeLessThanOrEqual(2);
  });

  test('era detection restarts a stdio server that exits at the discovery request', async () => {
    await using connection = createTestConnection(fixture('crash-on-discover'));
    await connection.connect();
    expect(connection.status).toMatchObject({ state: 'connected', era: 'legacy' });
  });

  test('era detection treats a stdio server that ignores the discovery request as legacy', async () => {
    await using connection = createTestConnection(fixture('silent-on-unknown'));
    await connection.connect();
    expect(connection.status).toMatchObject({ state: 'connected', era: 'legacy' });
  });

  test('era detection caches the era for the next connection and discards it when it does not work', async () => {
    const protocolCache = createProtocolCache();
    await using server = await startHttp('legacy-http');
    await using first = createTestConnection(server.url, {}, { protocolCache });
    await first.connect();
    const key = toProtocolKey(first.spec);
    expect(protocolCache.get(key)).toEqual({ era: 'legacy', transport: 'http' });
    protocolCache.set(key, { era: 'legacy', transport: 'sse' });
    await using second = createTestConnection(server.url, {}, { protocolCache });
    await expect(second.connect()).rejects.toThrow();
    expect(protocolCache.get(key)).toBeUndefined();
    await second.connect();
    expect(second.status).toMatchObject({ transport: 'http', era: 'legacy' });
  });

  for (const status of ['404', '405']) {
    test(`era detection falls back to the old event-stream transport after HTTP ${status} to the first request [A3]`, async () => {
      await using server = await startHttp('sse', { STATUS: status });
      await using connection = createTestConnection(server.url);
      await connection.connect();
      expect(connection.status.transport).toBe('sse');
    });
  }
});

describe('the status of a connection', () => {
  test('a connection to a server with resources but without resource templates is not degraded', async () => {
    await using connection = createTestConnection(fixture('peculiar'));
    await connection.connect();
    expect(connection.status.state).toBe('connected');
    expect(connection.lists.get('resourceTemplates')).toMatchObject({ items: [], stale: false });
  });

  test('a connection is degraded with the reason while a list cannot be read, and connected after the list is read', async () => {
    await using connection = createTestConnection(fixture('list-fails', { FAIL_TIMES: '1' }));
    await connection.connect();
    expect(connection.status).toMatchObject({
      state: 'degraded',
      reason: expect.stringContaining('tools could not be listed'),
    });
    expect(connection.lists.get('tools')).toBeUndefined();
    await connection.refresh('tools');
    expect(connection.status.state).toBe('connected');
    expect(connection.lists.get('tools')?.stale).toBe(false);
  });

  test('a connection is degraded when a later read of a list fails, and the last known list is marked as stale', async () => {
    await using connection = createTestConnection(fixture('list-fails', { AFTER: '1' }));
    await connection.connect();
    const count = connection.lists.get('tools')?.items.length;
    await connection.refresh('tools');
    expect(connection.lists.get('tools')).toMatchObject({ stale: true });
    expect(connection.lists.get('tools')?.items.length).toBe(count);
    expect(connection.status.state).toBe('degraded');
  });

  test('a connection recovers after the child process is killed, and the next call works [A8]', async () => {
    await using connection = createTestConnection(fixture('legacy'));
    await connection.connect();
    const { pid } = connection.status;
    process.kill(pid as number, 'SIGKILL');
    await waitFor(() => connection.states.includes('error'));
    expect(firstText(await connection.request('tools/call', call('echo', { text: 'back' })))).toBe('back');
    expect(connection.status.pid).not.toBe(pid);
  });

  test('a call whose child process dies is reported as reached and is not sent again [A8]', async () => {
    await using dir = await tempDir();
    const file = dir.file('ran');
    await using connection = createTestConnection(fixture('die-in-call'));
    await connection.connect();
    await expect(connection.request('tools/call', call('die', { path: file }))).rejects.toMatchObject({
      data: { reached: true },
    });
    await connection.request('tools/call', call('echo', { text: 'x' }));
    expect((await readFile(file, 'utf8')).trim().split('\n')).toHaveLength(1);
  });

  test('a connection survives a lost HTTP session: it is opened again once, and the affected calls are answered', async () => {
    await using server = await startHttp('legacy-http', { DROP_SESSION: '12' });
    await using connection = createTestConnection(server.url);
    await connection.connect();
    for (let round = 0; round < 5; round++) {
      const texts = ['a', 'b', 'c', 'd'];
      const results = await Promise.all(texts.map((text) => connection.request('tools/call', call('echo', { text }))));
      expect(results.map(firstText)).toEqual(texts);
    }
  });

  test('a connection recovers after an HTTP server is restarted, and the next call works [A8]', async () => {
    const first = await startHttp('legacy-http');
    const port = new URL(first.url).port;
    await using connection = createTestConnection(first.url, { retryAttempts: 5 });
    await connection.connect();
    await first.kill();
    await expect(connection.request('tools/call', call('echo', { text: 'down' }))).rejects.toThrow();
    expect(connection.status.state).not.toBe('connected');
    await using _second = await startHttp('legacy-http', { PORT: port });
    await waitFor(() => connection.status.state === 'connected', { what: 'the connection' });
    expect(firstText(await connection.request('tools/call', call('echo', { text: 'up' })))).toBe('up');
  });

  test('a connection goes on trying after retryAttempts failed attempts, with short pauses [A6, O3]', async () => {
    await using connection = createTestConnection(fixture('crash-on-start'), { retryAttempts: 1 });
    await expect(connection.connect()).rejects.toThrow(/exited with code 3.*configuration file is missing/);
    expect(connection.status).toMatchObject({
      state: 'error',
      code: 'SERVER_UNREACHABLE',
      nextTryAt: expect.any(String),
    });
    await waitFor(() => connection.status.failures >= 3, { what: 'the third failure' });
    expect(pauseMs(connection)).toBeLessThanOrEqual(30_000);
    expect(connection.stderr().join('\n')).toContain('configuration file is missing');
  });

  test('the error names the exit code of a process that ends while its era is detected', async () => {
    await using connection = createTestConnection(fixture('crash-on-start', { DELAY_MS: '1500' }), {
      retryAttempts: 0,
    });
    await expect(connection.connect()).rejects.toThrow(
      "The server's process exited with code 3. Last output: fixture: the configuration file is missing",
    );
  });

  test('a connection pauses at once for long after its credentials were refused [A6]', async () => {
    await using server = await startHttp('legacy-http', { REQUIRE_HEADER: 'authorization: Bearer right' });
    await using connection = createTestConnection(server.url, { retryAttempts: 3 });
    await expect(connection.connect({ attempts: 4 })).rejects.toThrow('HTTP 401');
    expect(connection.status.failures).toBe(1);
    expect(pauseMs(connection)).toBe(30_000);
  });

  test('a stopped stdio server is degraded with the reason, and connected again when it continues', async () => {
    await using connection = createTestConnection(fixture('legacy'), {}, { healthMs: 2_000 });
    await connection.connect();
    const pid = Number(connection.status.pid);
    process.kill(pid, 'SIGSTOP');
    await waitFor(() => connection.status.state === 'degraded', { what: 'the problem' });
    expect(connection.status.reason).toMatch(/its process is stopped|does not answer/);
    const waiting = connection.request('tools/call', call('echo', { text: 'patient' }));
    process.kill(pid, 'SIGCONT');
    expect(firstText(await waiting)).toBe('patient');
    await waitFor(() => connection.status.state === 'connected', { what: 'the recovery' });
    expect(connection.status).toMatchObject({ pid, failures: 0 });
    expect(connection.states).not.toContain('error');
  });

  test('a server that is stopped while a call runs is degraded, and one that is only busy is not', async () => {
    await using dir = await tempDir();
    await using connection = createTestConnection(fixture('gated'), {}, { healthMs: 2_000 });
    await connection.connect();
    const pid = Number(connection.status.pid);
    const ended = new AbortController();
    const params = call('pass', { path: dir.file('never') });
    const running = connection.request('tools/call', params, { signal: ended.signal });
    process.kill(pid, 'SIGSTOP');
    await waitFor(() => connection.status.reason === 'its process is stopped', { what: 'the problem' });
    expect(connection.states).toEqual(['connecting', 'connected', 'degraded']);
    process.kill(pid, 'SIGCONT');
    ended.abort(new Error('enough'));
    await expect(running).rejects.toThrow('enough');
    await waitFor(() => connection.status.state === 'connected', { what: 'the recovery' });
  });

  test('a connection distinguishes a command that does not exist from a server that never answers', async () => {
    await using missing = createTestConnection({ command: 'no-such-command-here', args: [], env: {} });
    await expect(missing.connect()).rejects.toThrow('Command not found: no-such-command-here');
    await using silent = createTestConnection(fixture('hang-on-start'), { timeoutMs: 1_500 });
    await expect(silent.connect()).rejects.toThrow('No answer within 1500 ms');
  });

  test('a connection detects an HTTP server that stops answering without a call', async () => {
    await using server = await startHttp('legacy-http');
    await using connection = createTestConnection(server.url, {}, { healthMs: 50 });
    await connection.connect();
    await server.kill();
    await waitFor(() => connection.states.includes('error'), { what: 'the loss' });
  });

  test('a connection has the changed tool list in both eras [M6]', async () => {
    await using legacy = createTestConnection(fixture('changing'));
    await legacy.connect();
    await legacy.request('tools/call', call('mutate'));
    await waitFor(() => legacy.lists.get('tools')?.items.some((tool) => /^added_/.test(String(tool.name))));
    for (const target of [fixture('modern'), await startHttp('modern-http')]) {
      await using _server = 'url' in target ? target : undefined;
      await using modern = createTestConnection('url' in target ? target.url : target);
      await modern.connect();
      await waitFor(async () => {
        await modern.request('tools/call', call('change'));
        return modern.lists.get('tools')?.items.some((tool) => /^added_/.test(String(tool.name)));
      });
    }
  });
});

/** The time from the last failure to the next attempt. */
function pauseMs({ status: { nextTryAt = '', since } }: TestConnection): number {
  return Date.parse(nextTryAt) - Date.parse(since);
}
