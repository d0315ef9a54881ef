import { request as httpRequest } from 'node:http';
import { describe, expect, test } from 'vitest';
import { startApi, type TestApi } from '../support/api.ts';
import { fixture, startHttp } from '../support/fixtures.ts';
import { initialize, json, metric, metrics, startLimited } from '../support/limited-api.ts';
import { waitFor } from '../support/wait-for.ts';

/** An open stream, or the response that rejects it. Disposing closes it. */
async function openStream(api: TestApi, path: string, headers: Record<string, string>) {
  const closing = new AbortController();
  const response = await fetch(api.url + path, {
    headers: { accept: 'text/event-stream', ...headers },
    signal: closing.signal,
  });
  return { response, [Symbol.dispose]: () => closing.abort() };
}

describe('sessions', () => {
  test('a session does not grow with the capabilities of the client', async () => {
    await using api = await startLimited({});
    const key = await api.key(['call']);
    const large = { experimental: { text: 'x'.repeat(3_000_000) }, elicitation: { form: {}, url: {} }, roots: {} };
    const { response, session } = await initialize(api, key, large);
    expect(response.status).toBe(200);
    expect(session.length).toBeLessThan(1_000);
    expect(await metrics(api)).toContain('toolwharf_limit_used{limit="request_bytes"} 0');
  });

  test('a new session replaces the idle session that the caller used last, which can be resumed', async () => {
    await using api = await startLimited({ maxSessionsPerCaller: 2 });
    const key = await api.key(['call']);
    const first = await initialize(api, key);
    for (let opened = 0; opened < 5; opened++) expect((await initialize(api, key)).response.status).toBe(200);
    expect(metric(await metrics(api), 'toolwharf_limit_used{limit="sessions"}')).toBe(2);
    const response = await fetch(`${api.url}/mcp`, {
      method: 'POST',
      headers: { ...json, authorization: `Bearer ${key}`, 'mcp-session-id': first.session },
      body: JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'ping' }),
    });
    expect(response.status).toBe(200);
  });

  test('a caller whose sessions are all in use gets 429 with Retry-After, while another caller gets a session', async () => {
    await using api = await startLimited({ maxSessionsPerCaller: 1 });
    const [key, other] = [await api.key(['call']), await api.key(['call'])];
    const { session } = await initialize(api, key);
    const headers = { authorization: `Bearer ${key}`, 'mcp-session-id': session };
    using stream = await openStream(api, '/mcp', headers);
    expect(stream.response.status).toBe(200);
    const { response, body } = await initialize(api, key);
    expect(response.status).toBe(429);
    expect(response.headers.get('retry-after')).toBe('1');
    expect(body).toMatchObject({ error: { message: expect.stringContaining('limit of 1 open sessions per caller') } });
    expect((await initialize(api, other)).response.status).toBe(200);
    expect(await metrics(api)).toContain('toolwharf_refusals_total{limit="sessions",reason="caller"} 1');
  });

  test('at the limit for all callers, a new session gets 503 with Retry-After', async () => {
    await using api = await startLimited({ maxSessions: 1 });
    const [key, other] = [await api.key(['call']), await api.key(['call'])];
    const { session } = await initialize(api, key);
    using _stream = await openStream(api, '/mcp', { authorization: `Bearer ${key}`, 'mcp-session-id': session });
    const { response } = await initialize(api, other);
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('1');
  });
});

describe('streams', () => {
  test('a caller with too many streams gets 429 with Retry-After on every kind of stream, until one is closed', async () => {
    await using api = await startLimited({ maxStreamsPerCaller: 1 });
    const [key, other] = [await api.key(['read', 'call']), await api.key(['read'])];
    const authorization = `Bearer ${key}`;
    const { session } = await initialize(api, key);
    const listen = {
      method: 'POST',
      headers: {
        ...json,
        authorization,
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'subscriptions/listen',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'subscriptions/listen',
        params: {
          notifications: { toolsListChanged: true },
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      }),
    };
    {
      using _open = await openStream(api, '/api/events', { authorization });
      using events = await openStream(api, '/api/events', { authorization });
      using mcp = await openStream(api, '/mcp', { authorization, 'mcp-session-id': session });
      const subscription = await fetch(`${api.url}/mcp`, listen);
      for (const response of [events.response, mcp.response, subscription]) {
        expect(response.status).toBe(429);
        expect(response.headers.get('retry-after')).toBe('1');
        expect(await response.text()).toContain('limit of 1 open streams per caller');
      }
      using others = await openStream(api, '/api/events', { authorization: `Bearer ${other}` });
      expect(others.response.status).toBe(200);
    }
    await waitFor(async () => metric(await metrics(api), 'toolwharf_limit_used{limit="streams"}') === 0);
    using again = await openStream(api, '/mcp', { authorization, 'mcp-session-id': session });
    expect(again.response.status).toBe(200);
  });
});

describe('request bodies', () => {
  test.each(['/mcp', '/api/tools/x/call', '/a2a'])('a body to %s that is nested too deeply gets 400', async (path) => {
    await using api = await startLimited({ maxBodyDepth: 50 });
    const headers = { ...json, authorization: `Bearer ${await api.key(['call'])}` };
    const deep = `{"arguments":${'['.repeat(60)}${']'.repeat(60)}}`;
    const response = await fetch(api.url + path, { method: 'POST', headers, body: deep });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('nested more than 50 levels deep');
  });

  test('the problems of a body to the REST API are reported with its path', async () => {
    await using api = await startLimited({ maxBodyDepth: 50 });
    const headers = { ...json, authorization: `Bearer ${await api.key(['call'])}` };
    const bodies = {
      [`${'['.repeat(200)}${']'.repeat(200)}`]: 'is nested more than 50 levels deep',
      '{': 'is not JSON',
    };
    for (const [body, message] of Object.entries(bodies)) {
      const response = await fetch(`${api.url}/api/tools/x/call`, { method: 'POST', headers, body });
      expect(await response.json()).toMatchObject({
        error: { code: 'REQUEST_INVALID', data: { problems: [{ path: 'body', message }] } },
      });
    }
  });

  test.each(['/mcp', '/api/tools/x/call', '/a2a'])('a body to %s that is too large gets 413', async (path) => {
    await using api = await startLimited({ maxBodyBytes: 2_000 });
    const headers = { ...json, authorization: `Bearer ${await api.key(['call'])}` };
    const body = JSON.stringify({ text: 'x'.repeat(3_000) });
    expect((await fetch(api.url + path, { method: 'POST', headers, body })).status).toBe(413);
  });

  test.each(['/mcp', '/api/tools/x/call', '/a2a'])(
    'unfinished bodies to %s count against the limit of their caller, and not against that of others',
    async (path) => {
      await using api = await startLimited({ maxRequestBytesPerCaller: 100_000 });
      const [key, other] = [await api.key(['call']), await api.key(['call'])];
      const { port } = new URL(api.url);
      const unfinished = httpRequest({
        port,
        path,
        method: 'POST',
        headers: { ...json, authorization: `Bearer ${key}`, 'content-length': '90000' },
      });
      unfinished.on('error', () => {});
      unfinished.write('{"text":"');
      await waitFor(async () => metric(await metrics(api), 'toolwharf_limit_used{limit="request_bytes"}') === 90_000);
      const body = JSON.stringify({ text: 'x'.repeat(20_000) });
      const post = (by: string) =>
        fetch(api.url + path, { method: 'POST', headers: { ...json, authorization: `Bearer ${by}` }, body });
      const refused = await post(key);
      expect(refused.status).toBe(429);
      expect(refused.headers.get('retry-after')).toBe('1');
      expect([429, 503]).not.toContain((await post(other)).status);
      unfinished.destroy();
      await waitFor(async () => metric(await metrics(api), 'toolwharf_limit_used{limit="request_bytes"}') === 0);
      expect(await metrics(api)).toContain('toolwharf_refusals_total{limit="request_bytes",reason="caller"} 1');
    },
  );

  test('the arguments of a call count until the call has ended, also if its client has disconnected', async () => {
    await using api = await startLimited({}, { servers: { s: fixture('legacy') } });
    await api.toolbox.servers.connect('s');
    const key = await api.key(['call']);
    const { session } = await initialize(api, key);
    const leaving = new AbortController();
    const call = fetch(`${api.url}/mcp`, {
      method: 'POST',
      headers: { ...json, authorization: `Bearer ${key}`, 'mcp-session-id': session },
      signal: leaving.signal,
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 2,
        method: 'tools/call',
        params: { name: 's__sleep', arguments: { ms: 1e9 }, _meta: { text: 'x'.repeat(50_000) } },
      }),
    });
    const used = async () => metric(await metrics(api), 'toolwharf_limit_used{limit="request_bytes"}');
    await waitFor(() => api.toolbox.calls.stats().running === 1);
    leaving.abort();
    await call.catch(() => {});
    expect(await used()).toBeGreaterThan(50_000);
    await fetch(`${api.url}/mcp`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${key}`, 'mcp-session-id': session },
    });
    await waitFor(async () => (await used()) === 0);
  });
});

describe('approvals', () => {
  const config = { servers: { s: fixture('legacy') }, profiles: { default: { approval: { mode: 'always-ask' } } } };

  test('a caller with too many pending approvals gets 429 with Retry-After, also after it has disconnected', async () => {
    await using api = await startLimited({ maxPendingApprovalsPerCaller: 2 }, config);
    await api.toolbox.servers.connect('s');
    const [key, other] = [await api.key(['call']), await api.key(['call'])];
    const { session } = await initialize(api, key);
    const leaving = new AbortController();
    for (const text of ['a', 'b'])
      fetch(`${api.url}/mcp`, {
        method: 'POST',
        headers: { ...json, authorization: `Bearer ${key}`, 'mcp-session-id': session },
        signal: leaving.signal,
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: text,
          method: 'tools/call',
          params: { name: 's__echo', arguments: { text } },
        }),
      }).catch(() => {});
    const pending = () => api.storage.approvals.countPending(Date.now());
    await waitFor(async () => (await pending()) === 2);
    const call = (by: string) => api.post('/api/tools/mcp_s_echo/call', { arguments: { text: 'c' } }, { key: by });
    const refused = await call(key);
    expect(refused).toMatchObject({ status: 429, body: { error: { code: 'LIMIT_REACHED' } } });
    expect(refused.headers.get('retry-after')).toBe('10');
    leaving.abort();
    expect(await call(key)).toMatchObject({ status: 429 });
    const others = call(other);
    await waitFor(async () => (await pending()) === 3);
    expect(await metrics(api)).toContain('toolwharf_limit_used{limit="approvals"} 3');
    expect(await metrics(api)).toContain('toolwharf_refusals_total{limit="approvals",reason="caller"} 2');
    for (const { request } of await api.storage.approvals.list({ status: 'pending' }))
      await api.post(`/api/approvals/${request.id}/answer`, { answer: 'allow' }, { key: api.adminToken });
    expect(await others).toMatchObject({ status: 200, body: { text: 'c' } });
  });

  test('lists of approvals and calls carry previews of large arguments, and the details carry the rest', async () => {
    await using api = await startLimited({}, config);
    await api.toolbox.servers.connect('s');
    const key = await api.key(['call', 'read']);
    const text = 'x'.repeat(1_000_000);
    const call = api.post('/api/tools/mcp_s_echo/call', { arguments: { text } }, { key });
    const admin = { key: api.adminToken };
    await waitFor(async () => (await api.storage.approvals.countPending(Date.now())) === 1);
    const { approvals } = (await api.get('/api/approvals', admin)).body;
    expect(approvals).toMatchObject([{ isPreview: true, arguments: { text: `${'x'.repeat(200)}…` } }]);
    const whole = (await api.get(`/api/approvals/${approvals[0].id}`, admin)).body;
    expect(whole).toMatchObject({ arguments: { text } });
    expect(whole.isPreview).toBeUndefined();
    const answered = await api.post(`/api/approvals/${approvals[0].id}/answer`, { answer: 'allow' }, admin);
    expect(answered.status).toBe(200);
    expect((await call).status).toBe(200);
    const { calls } = (await api.get('/api/calls', { key })).body;
    expect(calls).toMatchObject([{ isPreview: true, arguments: { text: `${'x'.repeat(200)}…` } }]);
    expect((await api.get(`/api/calls/${calls[0].id}`, { key })).body).toMatchObject({ arguments: { text } });
  });
});

describe('calls', () => {
  test("a caller's calls beyond its limits are queued and then get 429, while another caller's calls run", async () => {
    const limits = { maxRunningCallsPerCaller: 1, maxQueuedCallsPerCaller: 2 };
    await using api = await startLimited(limits, { servers: { s: fixture('modern') } });
    await api.toolbox.servers.connect('s');
    const [key, other] = [await api.key(['call']), await api.key(['call'])];
    const call = (by: string, ms: number, signal?: AbortSignal) =>
      api.post('/api/tools/mcp_s_sleep/call', { arguments: { ms } }, { key: by, signal });
    const leaving = new AbortController();
    const waiting = [1, 2, 3].map(() => call(key, 1e9, leaving.signal).catch(() => undefined));
    const { stats } = api.toolbox.calls;
    await waitFor(() => stats().running === 1 && stats().queued === 2);
    const refused = await call(key, 0);
    expect(refused).toMatchObject({ status: 429, body: { error: { code: 'LIMIT_REACHED' } } });
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(await call(other, 0)).toMatchObject({ status: 200 });
    expect(await metrics(api)).toContain('toolwharf_refusals_total{limit="queued_calls",reason="caller"} 1');
    leaving.abort();
    await Promise.all(waiting);
    await waitFor(() => stats().running === 0);
    expect(await call(key, 0)).toMatchObject({ status: 200 });
  });
});

test('only the limits for all callers apply to the keyless local caller', async () => {
  await using api = await startApi({ servers: {}, gateway: { limits: { maxStreamsPerCaller: 1, maxStreams: 2 } } });
  using _one = await openStream(api, '/api/events', {});
  using two = await openStream(api, '/api/events', {});
  using three = await openStream(api, '/api/events', {});
  expect([two.response.status, three.response.status]).toEqual([200, 503]);
});

describe('memory of results', () => {
  const unruly = '../../faults/support/unruly-server';
  const limits = { maxResultMemoryBytes: 4_000_000, maxResultMemoryBytesPerCaller: 3_000_000 };

  /** Calls a tool over REST. */
  async function call(api: TestApi, key: string, tool: string, args: object): Promise<Response> {
    return fetch(`${api.url}/api/tools/${tool}/call`, {
      method: 'POST',
      headers: { ...json, authorization: `Bearer ${key}` },
      body: JSON.stringify({ arguments: args }),
    });
  }

  /** Makes a call over REST and does not read its result. */
  function leaveUnread(api: TestApi, key: string, tool: string, args: object): Disposable {
    const sent = httpRequest(`${api.url}/api/tools/${tool}/call`, {
      method: 'POST',
      agent: false,
      headers: { ...json, authorization: `Bearer ${key}` },
    });
    sent.on('response', (response) => response.pause()).on('error', () => {});
    sent.end(JSON.stringify({ arguments: args }));
    return { [Symbol.dispose]: () => void sent.destroy() };
  }

  const used = async (api: TestApi) => metric(await metrics(api), 'toolwharf_limit_used{limit="result_bytes"}');

  test.for(['http', 'events', 'stdio'])(
    'a result that does not fit is discarded while it arrives: %s',
    async (kind) => {
      await using http = await startHttp(unruly, {
        TRANSPORT: 'http',
        JSON: '1',
        EVENTS: kind === 'events' ? '1' : '',
      });
      const server = kind === 'stdio' ? fixture(unruly) : { url: http.url };
      await using api = await startLimited(limits, { servers: { wild: server } });
      const key = await api.key(['call']);
      await waitFor(async () => (await call(api, key, 'mcp_wild_echo', { text: 'on' })).status === 200);
      const fitting = await call(api, key, 'mcp_wild_huge', { megabytes: 2 });
      expect(fitting.status).toBe(200);
      await fitting.arrayBuffer();
      await waitFor(async () => (await used(api)) === 0);
      const response = await call(api, key, 'mcp_wild_huge', { megabytes: 5 });
      expect(response.status).toBe(502);
      expect(response.headers.get('retry-after')).toBeNull();
      expect(await response.json()).toMatchObject({
        error: { code: 'RESULT_DISCARDED', data: { limit: 'result_bytes', reached: true } },
      });
      await waitFor(async () => (await used(api)) === 0);
      expect((await call(api, key, 'mcp_wild_echo', { text: 'on' })).status).toBe(200);
    },
  );

  test('while unread results use up the memory, further calls of the tool get 429 with Retry-After before they are sent', async () => {
    await using http = await startHttp(unruly, { TRANSPORT: 'http', JSON: '1' });
    const many = { maxResultMemoryBytes: 60_000_000, maxResultMemoryBytesPerCaller: 30_000_000 };
    await using api = await startLimited(many, { servers: { wild: { url: http.url } } });
    const [key, other] = [await api.key(['call']), await api.key(['call'])];
    await waitFor(async () => (await call(api, key, 'mcp_wild_echo', { text: 'on' })).status === 200);
    using stack = new DisposableStack();
    for (let unread = 0; unread < 3; unread++) stack.use(leaveUnread(api, key, 'mcp_wild_huge', { megabytes: 9 }));
    await waitFor(async () => (await used(api)) >= 27_000_000);
    const response = await call(api, key, 'mcp_wild_huge', { megabytes: 9 });
    expect(response.status).toBe(429);
    expect(response.headers.get('retry-after')).toBe('1');
    expect((await call(api, key, 'mcp_wild_echo', { text: 'on' })).status).toBe(200);
    const received = await call(api, other, 'mcp_wild_huge', { megabytes: 9 });
    expect(received.status).toBe(200);
    await received.arrayBuffer();
    stack.dispose();
    await waitFor(async () => (await used(api)) === 0);
  });
});
