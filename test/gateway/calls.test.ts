import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStorage } from '../../packages/gateway/core/storage/open-storage.ts';
import { createSealer } from '../../packages/toolwharf/storage/sealer.ts';
import { startApi, type TestApi, unasked } from '../support/api.ts';
import { listenTo } from '../support/event-source.ts';
import { fixture, tempDir } from '../support/fixtures.ts';
import { connectMcp } from '../support/mcp-client.ts';
import { connectClient } from '../support/open-gateway.ts';
import { waitFor } from '../support/wait-for.ts';

let api: TestApi;
const directory = await tempDir();

beforeAll(async () => {
  api = await startApi({
    servers: { files: fixture('legacy'), slow: fixture('cancellable') },
    toolbox: { approval: { ask: ['*_add'], expires: '60s' } },
    profiles: { narrow: { servers: ['files'], approval: { ask: ['files/add'] } } },
  });
});
afterAll(async () => {
  await api.close();
  await directory[Symbol.asyncDispose]();
});

const call = (tool: string, args: object = {}, rest: object = {}, key?: string) =>
  api.post(`/api/tools/${tool}/call`, { arguments: args, ...rest }, key === undefined ? {} : { key });

/** A call that runs until it is cancelled, by its id. */
async function linger(key?: string) {
  const callId = randomUUID();
  const result = call('mcp_slow_linger', { path: directory.file('lingered') }, { callId }, key);
  await waitFor(async () => (await api.get(`/api/calls/${callId}`)).body.status === 'running', { what: 'the call' });
  return { callId, result };
}

describe('a call id chosen by the caller', () => {
  test('a call id chosen by the caller is used everywhere and cannot be reused', async () => {
    const callId = randomUUID();
    expect((await call('mcp_files_echo', { text: 'x' }, { callId })).body).toMatchObject({ callId, text: 'x' });
    expect((await api.get(`/api/calls/${callId}`)).body).toMatchObject({ id: callId, status: 'success' });
    const again = await call('mcp_files_echo', { text: 'x' }, { callId });
    expect(again).toMatchObject({ status: 409, body: { error: { code: 'CONFLICT' } } });
    expect((await call('mcp_files_echo', { text: 'x' }, { callId: 'mine' })).status).toBe(400);
  });

  test('a call id chosen by the caller cannot be the id of a running call', async () => {
    const { callId, result } = await linger();
    expect((await call('mcp_files_echo', { text: 'x' }, { callId })).status).toBe(409);
    await api.post(`/api/calls/${callId}/cancel`);
    await result;
  });

  test('a call id chosen by the caller makes two simultaneous requests one call', async () => {
    const callId = randomUUID();
    const answers = await Promise.all([1, 2].map(() => call('mcp_files_sleep', { ms: 50 }, { callId })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  test('a request repeated with its idempotency key gets the first result', async () => {
    const rest = { callId: randomUUID(), idempotencyKey: randomUUID() };
    const results = await Promise.all([1, 2].map(() => call('mcp_files_echo', { text: 'once' }, rest)));
    expect([...results, await call('mcp_files_echo', { text: 'once' }, rest)].map(({ body }) => body.callId)).toEqual(
      Array.from({ length: 3 }, () => rest.callId),
    );
    const other = { ...rest, idempotencyKey: randomUUID() };
    expect((await call('mcp_files_echo', { text: 'once' }, other)).status).toBe(409);
  });

  test('a request whose call was not sent can be repeated with its id and idempotency key, and is made once [O10]', async () => {
    const rest = { callId: randomUUID(), idempotencyKey: randomUUID() };
    const refused = await call('mcp_files_echo', { txt: 'once' }, rest);
    expect(refused).toMatchObject({ status: 400, body: { error: { code: 'ARGUMENTS_INVALID' } } });
    const made = await call('mcp_files_echo', { text: 'once' }, rest);
    expect(made).toMatchObject({ status: 200, body: { text: 'once' } });
    const repeated = await call('mcp_files_echo', { text: 'once' }, rest);
    expect(repeated.body.callId).toBe(made.body.callId);
    const { body } = await api.get(`/api/calls/${rest.callId}`);
    expect(body).toMatchObject({ status: 'error', error: { code: 'ARGUMENTS_INVALID' } });
    expect(body.startedAt).toBeUndefined();
  });

  test('an MCP request whose call was not sent can be repeated with its idempotency key [O10]', async () => {
    await using connected = await connectMcp(`${api.url}/mcp`, 'modern');
    const { client } = connected;
    const _meta = { 'toolwharf/idempotencyKey': randomUUID() };
    const request = { name: 'files__echo', arguments: { text: 'again' }, _meta };
    expect(await client.callTool({ ...request, arguments: {} })).toMatchObject({ isError: true });
    for (let time = 0; time < 2; time++)
      expect(await client.callTool(request)).toMatchObject({ content: [{ text: 'again' }] });
    const { body } = await api.get('/api/calls?tool=mcp_files_echo&status=success&limit=100');
    expect(
      body.calls.filter((made: { idempotencyKey?: string }) => made.idempotencyKey === Object.values(_meta)[0]),
    ).toHaveLength(1);
  });

  test('the progress of a call reaches its caller and administrators', async () => {
    const [own, other] = [await api.key(['read', 'call']), await api.key(['read', 'call'])];
    await using mine = await listenTo(api.url, { key: own });
    await using all = await listenTo(api.url);
    await using foreign = await listenTo(api.url, { key: other });
    await Promise.all([mine, all, foreign].map((source) => source.find('ready')));
    const callId = randomUUID();
    await call('mcp_files_sleep', { ms: 600 }, { callId }, own);
    const { data, id } = await mine.find('call.progressed');
    expect(data).toMatchObject({ id: callId, progress: expect.any(Number), total: 600 });
    expect(id).toBe('');
    await all.find('call.progressed');
    await all.find('call.changed', (changed) => changed.id === callId && changed.status === 'success');
    expect(foreign.events.filter(({ name }) => name === 'call.progressed')).toEqual([]);
  });
});

describe('cancelling a call', () => {
  test('cancelling a call ends it at its server', async () => {
    const { callId, result } = await linger();
    expect((await api.post(`/api/calls/${callId}/cancel`)).status).toBe(204);
    expect(await result).toMatchObject({ status: 499, body: { error: { code: 'CALL_CANCELLED', data: { callId } } } });
    expect((await api.get(`/api/calls/${callId}`)).body).toMatchObject({ status: 'error', end: 'cancelled' });
    expect((await api.post(`/api/calls/${callId}/cancel`)).status).toBe(409);
    expect((await api.post(`/api/calls/${randomUUID()}/cancel`)).status).toBe(404);
  });

  test('cancelling a call is possible for its own caller only', async () => {
    const [own, other] = [await api.key(['read', 'call']), await api.key(['call'])];
    const { callId, result } = await linger(own);
    expect((await api.post(`/api/calls/${callId}/cancel`, undefined, { key: other })).status).toBe(404);
    expect((await api.post(`/api/calls/${callId}/cancel`, undefined, { key: own })).status).toBe(204);
    expect((await result).body.error.code).toBe('CALL_CANCELLED');
  });

  test('cancelling a call of an MCP client is possible over REST, and the client gets the result', async () => {
    await using client = await connectClient(`${api.url}/mcp`);
    const calling = client.client.callTool({
      name: 'slow__linger',
      arguments: { path: directory.file('lingered') },
    });
    const running = await waitFor(async () => {
      const { calls } = (await api.get('/api/calls?status=running&tool=linger')).body;
      return calls[0] as { id: string } | undefined;
    });
    expect((await api.post(`/api/calls/${running?.id}/cancel`)).status).toBe(204);
    expect(await calling).toMatchObject({ isError: true, _meta: { 'toolwharf/code': 'CALL_CANCELLED' } });
    expect((await api.post(`/api/calls/${running?.id}/cancel`)).status).toBe(409);
  });
});

describe('the approval of a call', () => {
  const pending = async () => (await api.get('/api/approvals?status=pending')).body.approvals as { id: string }[];

  async function ask(args: object, signal?: AbortSignal) {
    const callId = randomUUID();
    const sent = api.post('/api/tools/mcp_files_add/call', { arguments: args, callId }, signal ? { signal } : {});
    const result = sent.catch(() => 'gone');
    const question = await waitFor(async () => (await pending())[0], { what: 'the question' });
    return { callId, id: String(question?.id), result };
  }

  test('the approval of a call is withdrawn on every page when the call is cancelled', async () => {
    await using source = await listenTo(api.url);
    await source.find('ready');
    const { callId, id, result } = await ask({ a: 1, b: 1 });
    await api.post(`/api/calls/${callId}/cancel`);
    await result;
    expect((await source.find('approval.withdrawn')).data).toMatchObject({ id, callId, tool: 'mcp_files_add' });
    expect(await pending()).toEqual([]);
    expect((await api.get(`/api/approvals/${id}`)).body).toMatchObject({
      status: 'denied',
      answeredBy: 'withdrawal',
      answer: { kind: 'deny', reason: 'its call was cancelled before an answer' },
    });
    expect((await api.post(`/api/approvals/${id}/answer`, { answer: 'allow' })).status).toBe(409);
  });

  test('the approval of a call is withdrawn when the client of the call disconnects', async () => {
    const stop = new AbortController();
    const { id, result } = await ask({ a: 2, b: 2 }, stop.signal);
    stop.abort();
    expect(await result).toBe('gone');
    await waitFor(async () => (await api.get(`/api/approvals/${id}`)).body.status === 'denied', { what: 'its end' });
  });

  test('the approval of a call stays while another call waits for the same answer', async () => {
    await using source = await listenTo(api.url);
    await source.find('ready');
    const first = await ask({ a: 3, b: 3 });
    const second = call('mcp_files_add', { a: 3, b: 3 });
    const times = () => source.events.filter(({ name, data }) => name === 'approval.asked' && data.id === first.id);
    await waitFor(() => times().length === 2, { what: 'the second call to join the question' });
    await api.post(`/api/calls/${first.callId}/cancel`);
    await first.result;
    expect(await pending()).toMatchObject([{ id: first.id }]);
    await api.post(`/api/approvals/${first.id}/answer`, { answer: 'allow' });
    expect((await second).body.text).toBe('6');
  });

  test('the approval of a call of an MCP client stays when the client disconnects, because the client can call again', async () => {
    await using client = await connectClient(`${api.url}/mcp/narrow`);
    const stop = new AbortController();
    const args = { name: 'files__add', arguments: { a: 4, b: 4 } };
    const calling = client.client.callTool(args, { signal: stop.signal }).catch(() => 'stopped');
    const question = await waitFor(async () => (await pending())[0], { what: 'the question' });
    stop.abort();
    expect(await calling).toBe('stopped');
    await waitFor(async () => (await api.get('/api/calls?status=pending')).body.calls.length === 0);
    await using source = await listenTo(api.url);
    await source.find('ready');
    await api.post(`/api/approvals/${question?.id}/answer`, { answer: 'allow' });
    // No call waits for this approval, but its answer is published.
    expect((await source.find('approval.answered')).data).toMatchObject({ id: question?.id, answer: 'allow' });
    expect(await client.text('files__add', { a: 4, b: 4 })).toBe('8');
  });
});

test('a pending approval survives a restart of the gateway', async () => {
  await using directory = await tempDir();
  const sealer = createSealer(randomBytes(32));
  const open = () => openStorage({ kind: 'sqlite', file: directory.file('store.db'), sealer });
  await using first = await startApi(
    {
      servers: { files: fixture('legacy') },
      toolbox: { approval: { mode: 'always-ask', expires: '1h' } },
      gateway: { shutdown: '100ms' },
    },
    { storage: await open() },
  );
  const calling = first.post('/api/tools/mcp_files_pid/call', {}).catch(() => 'gone');
  const [approval] =
    (await waitFor(async () => {
      const found = await first.storage.approvals.list({ status: 'pending' });
      return found.length > 0 && found;
    })) || [];
  await first.close();
  await calling;
  await using storage = await open();
  expect(await storage.approvals.get(approval?.request.id ?? '')).toMatchObject({ status: 'pending' });
});

describe('the statistics', () => {
  test('the statistics count calls by outcome, over time and by tool', async () => {
    await using own = await startApi({
      servers: { files: fixture('legacy') },
      toolbox: { approval: { deny: ['files/pid'] } },
    });
    const since = new Date(Date.now() - 3_600_000).toISOString();
    const key = await own.key(['read', 'call']);
    for (let n = 0; n < 3; n++) await own.post('/api/tools/mcp_files_echo/call', { arguments: { text: 'x' } });
    await own.post('/api/tools/mcp_files_fail/call', {});
    await own.post('/api/tools/mcp_files_pid/call', {}, { key });
    const { body } = await own.get(`/api/calls/stats?since=${since}&buckets=4`);
    expect(body.buckets).toHaveLength(4);
    expect(body.buckets.at(-1)).toMatchObject({ success: 3, error: 1, denied: 1, p50Ms: expect.any(Number) });
    expect(body.buckets[0]).toMatchObject({ start: since, success: 0, error: 0, denied: 0 });
    expect(body.totals).toMatchObject({ calls: 5, success: 3, error: 1, denied: 1 });
    expect(body.tools[0]).toMatchObject({ tool: 'mcp_files_echo', server: 'files', originalName: 'echo', calls: 3 });
    const mine = await own.get('/api/calls/stats', { key });
    expect(mine.body).toMatchObject({ totals: { calls: 1, denied: 1 }, tools: [{ originalName: 'pid' }] });
    expect(mine.body.buckets).toHaveLength(24);
  });

  test('the statistics require a valid time span', async () => {
    const [since, until] = ['2026-01-02T00:00:00Z', '2026-01-01T00:00:00Z'];
    expect((await api.get(`/api/calls/stats?since=${since}&until=${until}`)).status).toBe(400);
    expect((await api.get('/api/calls/stats?buckets=0')).status).toBe(400);
    expect((await api.get(`/api/calls/stats?until=${until}`)).body.totals.calls).toBe(0);
  });
});

test('every route of calls was called', () => {
  const own = new Set(['callTool', 'cancelCall', 'getCallStats']);
  expect(unasked(({ operationId }) => own.has(operationId))).toEqual([]);
});
