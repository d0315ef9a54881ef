import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { startApi, type TestApi } from '../../support/api.ts';
import { listenTo } from '../../support/event-source.ts';
import { fixture, startHttp } from '../../support/fixtures.ts';
import { waitFor } from '../../support/wait-for.ts';

const config = {
  servers: { files: fixture('legacy'), other: fixture('modern') },
  toolbox: { approval: { ask: ['*_add'] } },
  profiles: { narrow: { servers: ['files'] } },
};

const echo = (api: TestApi, text: string, key?: string) =>
  api.post('/api/tools/mcp_files_echo/call', { arguments: { text } }, key === undefined ? {} : { key });

describe('the event stream', () => {
  test('the event stream reports changes of servers, tools, calls and approvals [R6]', async () => {
    await using remote = await startHttp('legacy-http');
    await using api = await startApi(config);
    await using source = await listenTo(api.url);
    await source.find('ready');
    await api.post('/api/servers', { name: 'far', transport: 'http', url: remote.url });
    await source.find('server.changed', ({ server, status }) => server === 'far' && status.state === 'connected');
    const catalog = await source.find('catalog.changed', ({ server }) => server === 'far');
    expect(catalog.data.added).toContain('mcp_far_echo');
    await source.find('content.changed', ({ server }) => server === 'far');
    await source.find('server.added', ({ server }) => server === 'far');
    await api.post('/api/servers/far/disable');
    await source.find('server.updated', ({ server }) => server === 'far');
    await api.delete('/api/servers/far');
    await source.find('server.removed', ({ server }) => server === 'far');

    const { body } = await echo(api, 'hello');
    await source.find('call.changed', ({ id, status }) => id === body.callId && status === 'success');
    const steps = source.events.filter(({ name, data }) => name === 'call.changed' && data.id === body.callId);
    expect(steps.map(({ data }) => data.status)).toEqual(['pending', 'running', 'success']);
    expect(steps.at(-1)?.data).toMatchObject({
      arguments: { text: 'hello' },
      result: { content: [{ text: 'hello' }] },
    });

    const adding = api.post('/api/tools/mcp_files_add/call', { arguments: { a: 1, b: 2 } });
    const question = await source.find('approval.asked');
    expect(question.data).toMatchObject({ tool: 'mcp_files_add', arguments: { a: 1, b: 2 } });
    await api.post(`/api/approvals/${question.data.id}/answer`, { answer: 'allow' });
    expect((await source.find('approval.answered')).data).toMatchObject({ id: question.data.id, answer: 'allow' });
    await adding;
  });

  test('the event stream resumes after the last received event, and reports a reset when that event is too old', async () => {
    await using api = await startApi(config);
    // A server that is still starting would emit events in between.
    await waitFor(() => api.toolbox.servers.list().every(({ status }) => status.state === 'connected'));
    const first = await listenTo(api.url);
    const seen = await echo(api, 'seen');
    const last = await first.find('call.changed', ({ id, status }) => id === seen.body.callId && status === 'success');
    await first[Symbol.asyncDispose]();
    const missed = [await echo(api, 'one'), await echo(api, 'two')];
    await using again = await listenTo(api.url, { lastEventId: last.id });
    await again.find('ready');
    const ended = again.events.filter(({ name, data }) => name === 'call.changed' && data.status === 'success');
    expect(ended.map(({ data }) => data.id)).toEqual(missed.map(({ body }) => body.callId));
    await using byQuery = await listenTo(api.url, { query: `?lastEventId=${again.events[0]?.id}` });
    await byQuery.find('ready');
    expect(byQuery.events[0]?.id).toBe(again.events[1]?.id);
    await using stranger = await listenTo(api.url, { lastEventId: 'ffffffffffff-1' });
    await stranger.find('reset');
    expect(stranger.events.map(({ name }) => name)).toEqual(['reset']);
    await using afterReset = await listenTo(api.url, { lastEventId: stranger.events[0]?.id ?? '' });
    await afterReset.find('ready');
  });

  test('the event stream shows a key its profile and its own calls, without arguments and results', async () => {
    await using api = await startApi(config);
    const key = await api.key(['read', 'call'], 'narrow');
    await echo(api, 'warm up');
    await using source = await listenTo(api.url, { key });
    await source.find('ready');
    await api.post('/api/tools/mcp_other_echo/call', { arguments: { text: 'PRIVATE-OTHER' } });
    await echo(api, 'PRIVATE-ADMIN');
    await api.post('/api/servers/other/disconnect');
    const own = await echo(api, 'PRIVATE-OWN', key);
    await source.find('call.changed', ({ id, status }) => id === own.body.callId && status === 'success');
    const calls = source.events.filter(({ name }) => name === 'call.changed');
    expect(new Set(calls.map(({ data }) => data.id))).toEqual(new Set([own.body.callId]));
    expect(source.text()).not.toMatch(/PRIVATE|"other"|mcp_other/);
  });

  test('the event stream ends when the key is revoked, the session is closed or the gateway stops', async () => {
    const api = await startApi({ servers: {}, gateway: { shutdown: '30s' } });
    const key = await api.key(['read']);
    const ofKey = await listenTo(api.url, { key });
    const ofAdmin = await listenTo(api.url, { key: api.adminToken });
    const { keys } = (await api.get('/api/keys')).body;
    await api.delete(`/api/keys/${keys[0].id}`);
    // The stream ends before its next check, which takes place every 15 seconds.
    await waitFor(ofKey.ended);
    expect(ofAdmin.ended()).toBe(false);
    const closing = api.close();
    await waitFor(ofAdmin.ended);
    await closing;
  });

  test('the event stream disconnects a client that does not read', async () => {
    await using api = await startApi(config);
    await echo(api, 'warm up');
    const { hostname, port } = new URL(api.url);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => {});
    socket.write(`GET /api/events HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`);
    socket.pause();
    const listeners = async () => /^toolwharf_event_listeners (\d+)$/m.exec((await api.get('/metrics')).body)?.[1];
    await waitFor(async () => (await listeners()) === '1');
    const text = 'x'.repeat(6_000);
    const isDisconnected = async () => {
      await Promise.all(Array.from({ length: 50 }, () => echo(api, text)));
      return (await listeners()) === '0';
    };
    await waitFor(isDisconnected);
    socket.destroy();
  });
});

describe('the metrics', () => {
  test('the metrics count the calls of each tool and their duration [M13]', async () => {
    await using api = await startApi(config);
    for (const text of ['a', 'b']) await echo(api, text);
    await api.post('/api/tools/mcp_files_fail/call', {});
    await api.post('/api/tools/mcp_files_echo/call', { arguments: { text: 7 } });
    await api.post('/api/tools/no_such_tool/call', {});
    const { body, headers } = await api.get('/metrics');
    expect(headers.get('content-type')).toContain('text/plain');
    const value = (series: string) =>
      Number(new RegExp(`^${series.replaceAll(/[{}]/g, '\\$&')} (.+)$`, 'm').exec(body)?.[1]);
    expect(value('tool_usage_count{server="files",tool="mcp_files_echo"}')).toBe(2);
    expect(value('tool_usage_sum{server="files",tool="mcp_files_echo"}')).toBeGreaterThanOrEqual(0);
    expect(value('tool_usage_count{server="files",tool="mcp_files_fail"}')).toBe(1);
    expect(body).not.toContain('no_such_tool');
    expect(value('toolwharf_calls_total{server="files",status="success"}')).toBe(2);
    expect(value('toolwharf_calls_total{server="files",status="tool"}')).toBe(1);
    expect(value('toolwharf_calls_total{server="files",status="invalid"}')).toBe(1);
    expect(value('toolwharf_call_duration_seconds_count{server="files",status="success"}')).toBe(2);
    expect(value('toolwharf_server_state{server="files",state="connected"}')).toBe(1);
    expect(value('toolwharf_server_state{server="files",state="error"}')).toBe(0);
    for (const gauge of ['calls_running', 'calls_queued', 'approvals_pending', 'mcp_sessions'])
      expect(value(`toolwharf_${gauge}`)).toBe(0);
  });

  test('the metrics show running and queued calls and pending approvals', async () => {
    await using api = await startApi({ ...config, toolbox: { ...config.toolbox, maxConcurrent: 1 } });
    await echo(api, 'warm up');
    const disconnected = new AbortController();
    const calls = [
      ...[1, 2].map(() =>
        api.post('/api/tools/mcp_files_sleep/call', { arguments: { ms: 20_000 } }, { signal: disconnected.signal }),
      ),
      api.post('/api/tools/mcp_files_add/call', { arguments: { a: 1, b: 2 } }, { signal: disconnected.signal }),
    ];
    for (const call of calls) call.catch(() => {});
    await waitFor(async () => {
      const { body } = await api.get('/metrics');
      return ['calls_running 1', 'calls_queued 1', 'approvals_pending 1'].every((line) =>
        body.includes(`toolwharf_${line}\n`),
      );
    });
    disconnected.abort();
    await Promise.allSettled(calls);
  });
});

describe('the probes', () => {
  test('the probes report whether the gateway is alive and ready, with reasons', async () => {
    await using remote = await startHttp('legacy-http');
    await using api = await startApi({ servers: { needed: { url: remote.url, required: true } } });
    expect(await api.get('/healthz')).toMatchObject({ status: 200, body: { status: 'alive' } });
    expect(await api.get('/readyz')).toMatchObject({ status: 200, body: { ready: true, reasons: [] } });
    await api.post('/api/servers/needed/disconnect');
    expect(await api.get('/readyz')).toMatchObject({
      status: 503,
      body: { ready: false, reasons: ["Required server 'needed' is disconnected"] },
    });
  });

  test('the probes need no key, but then show codes instead of the reasons, which name servers', async () => {
    await using remote = await startHttp('legacy-http');
    const servers = { needed: { url: remote.url, required: true } };
    await using api = await startApi({ servers, gateway: { requireAuthentication: true } });
    expect((await api.get('/healthz')).status).toBe(200);
    expect((await api.get('/readyz')).body).toEqual({ ready: true });
    await api.post('/api/servers/needed/disconnect', undefined, { key: api.adminToken });
    expect(await api.get('/readyz')).toMatchObject({ status: 503 });
    expect((await api.get('/readyz')).body).toEqual({ ready: false, codes: ['required-server-not-connected'] });
    expect((await api.get('/metrics')).status).toBe(401);
    expect((await api.get('/metrics', { key: await api.key(['read']) })).status).toBe(200);
    expect((await api.get('/metrics', { key: await api.key(['call']) })).status).toBe(403);
  });
});
