import { afterAll, beforeAll, expect, test } from 'vitest';
import { trafficEvents } from '../../packages/contract/routes/traffic.ts';
import { startApi, type TestApi, unasked } from '../support/api.ts';
import { listenTo } from '../support/event-source.ts';
import { fixture, type HttpServer, startHttp } from '../support/fixtures.ts';
import { waitFor } from '../support/wait-for.ts';

let api: TestApi;
let remote: HttpServer;

beforeAll(async () => {
  remote = await startHttp('modern-http');
  const token = { TOKEN: 'a-very-secret-token' };
  api = await startApi({
    servers: { files: fixture('legacy', token), modern: fixture('modern'), remote: { url: remote.url } },
    toolbox: { approval: { mode: 'auto' } },
  });
  await waitFor(async () => {
    const { body } = await api.get('/api/servers');
    return body.servers.every((server: { status: { state: string } }) => server.status.state === 'connected');
  });
});
afterAll(async () => {
  await api.close();
  await remote[Symbol.asyncDispose]();
});

const watch = (server: string, query = '') =>
  listenTo(api.url, {
    key: api.adminToken,
    path: `/api/servers/${server}/traffic/events`,
    query,
    schemas: trafficEvents,
  });
const call = (tool: string, args: object) => api.post(`/api/tools/${tool}/call`, { arguments: args });

async function answerQuestion(): Promise<void> {
  const { id } = await waitFor(async () => (await api.get('/api/questions')).body.questions[0]);
  await api.post(`/api/questions/${id}/answer`, { action: 'accept', content: { answer: 'this' } });
}

test('a watcher sees the messages of a call in both directions, with secrets redacted', async () => {
  await using traffic = await watch('files');
  await traffic.find('ready');
  const { body } = await call('mcp_files_env', { name: 'TOKEN' });
  const request = await traffic.find('message', ({ kind, method }) => kind === 'request' && method === 'tools/call');
  expect(request.data).toMatchObject({
    direction: 'sent',
    callId: body.callId,
    message: { method: 'tools/call', params: { name: 'env', arguments: { name: 'TOKEN' } } },
  });
  const result = await traffic.find('message', ({ kind, method }) => kind === 'result' && method === 'tools/call');
  expect(result.data).toMatchObject({ direction: 'received', callId: body.callId, durationMs: expect.any(Number) });
  expect(result.data.message.result.content[0].text).toBe('[redacted]');
  expect(traffic.text()).not.toContain('a-very-secret-token');
});

test('the traffic contains progress, log messages and requests of the server', async () => {
  await using traffic = await watch('files');
  await traffic.find('ready');
  await call('mcp_files_sleep', { ms: 300 });
  await traffic.find('message', ({ topic }) => topic === 'progress');
  await call('mcp_files_log', { level: 'error', text: 'disk full' });
  const log = await traffic.find('message', ({ topic }) => topic === 'log');
  expect(log.data.message.params).toMatchObject({ level: 'error' });
  const answered = call('mcp_files_ask', { question: 'Which?' });
  const question = await traffic.find('message', ({ topic }) => topic === 'question');
  expect(question.data).toMatchObject({ direction: 'received', kind: 'request', method: 'elicitation/create' });
  await answerQuestion();
  await answered;
  const answer = await traffic.find('message', ({ topic, kind }) => topic === 'question' && kind === 'result');
  expect(answer.data).toMatchObject({ direction: 'sent', message: { result: { action: 'accept' } } });
});

test('a server of the modern era asks in a result, which counts as a question', async () => {
  await using traffic = await watch('modern');
  await traffic.find('ready');
  const answered = call('mcp_modern_ask', { question: 'Which?' });
  const question = await traffic.find('message', ({ topic, kind }) => topic === 'question' && kind === 'result');
  expect(question.data.message.result.resultType).toBe('input_required');
  await answerQuestion();
  await answered;
  const answer = await traffic.find('message', ({ topic, kind }) => topic === 'question' && kind === 'request');
  expect(answer.data.direction).toBe('sent');
});

test.for(['files', 'modern', 'remote'])(
  'a subscription to a resource of %s lasts as long as the stream',
  async (server) => {
    const isUpdate = ({ method }: { method?: string }) => method === 'notifications/resources/updated';
    {
      await using traffic = await watch(server, '?resources=memo%3A%2F%2Fone');
      expect((await traffic.find('subscription')).data).toEqual({ uri: 'memo://one' });
      await call(`mcp_${server}_touch`, { uri: 'memo://one' });
      const update = await traffic.find('message', isUpdate);
      expect(update.data.message.params.uri).toBe('memo://one');
    }
    await using later = await watch(server);
    await later.find('ready');
    if (server === 'files') await later.find('message', ({ method }) => method === 'resources/unsubscribe');
  },
);

test('a subscription that the server refuses is reported', async () => {
  const servers = { plain: fixture('peculiar') };
  await using own = await startApi({ servers });
  await waitFor(async () => (await own.get('/api/servers/plain')).body.status.state === 'connected');
  await using traffic = await listenTo(own.url, {
    key: own.adminToken,
    path: '/api/servers/plain/traffic/events',
    query: '?resources=memo%3A%2F%2Fone',
    schemas: trafficEvents,
  });
  const { data } = await traffic.find('subscription');
  expect(data.error).toContain('does not offer resource subscriptions');
});

test('recording can be enabled, read without a watcher, and cleared', async () => {
  const path = '/api/servers/files/traffic';
  const admin = { key: api.adminToken };
  expect((await api.put(path, { enabled: true }, admin)).status).toBe(204);
  await call('mcp_files_echo', { text: 'recorded' });
  const { body } = await api.get(path, admin);
  expect(body.enabled).toBe(true);
  expect(JSON.stringify(body.messages)).toContain('recorded');
  await using traffic = await watch('files');
  await traffic.find('message', ({ message }) => JSON.stringify(message).includes('recorded'));
  expect((await api.delete(path, admin)).status).toBe(204);
  await traffic.find('cleared');
  expect((await api.get(path, admin)).body.messages).toEqual([]);
  await api.put(path, { enabled: false }, admin);
});

test('the connection of a watched server can be followed from its first message', async () => {
  await using traffic = await watch('remote');
  await traffic.find('ready');
  await api.post('/api/servers/remote/disconnect', undefined, { key: api.adminToken });
  await api.post('/api/servers/remote/connect', undefined, { key: api.adminToken });
  await traffic.find('message', ({ method, kind }) => method === 'server/discover' && kind === 'result');
  await traffic.find('message', ({ method, kind }) => method === 'tools/list' && kind === 'result');
});

test('a message that cannot be delivered is recorded as a failure', async () => {
  const server = await startHttp('legacy-http');
  await using own = await startApi({ servers: { gone: { url: server.url } } });
  await waitFor(async () => (await own.get('/api/servers/gone')).body.status.state === 'connected');
  await using traffic = await listenTo(own.url, {
    key: own.adminToken,
    path: '/api/servers/gone/traffic/events',
    schemas: trafficEvents,
  });
  await traffic.find('ready');
  await server.kill();
  await own.post('/api/tools/mcp_gone_echo/call', { arguments: { text: 'x' } });
  const { data } = await traffic.find('message', ({ kind }) => kind === 'failure');
  expect(data.message.failure).toEqual(expect.any(String));
});

test('only administrators see traffic', async () => {
  const key = await api.key(['read', 'call']);
  for (const path of ['/api/servers/files/traffic', '/api/servers/files/traffic/events'])
    expect((await api.get(path, { key })).status).toBe(403);
  expect((await api.put('/api/servers/files/traffic', { enabled: true }, { key })).status).toBe(403);
  expect((await api.delete('/api/servers/files/traffic', { key })).status).toBe(403);
  const many = Array.from({ length: 51 }, (_, index) => `memo://${index}`).join('%20');
  const path = `/api/servers/files/traffic/events?resources=${many}`;
  expect((await api.get(path, { key: api.adminToken })).status).toBe(400);
  expect((await api.get('/api/servers/none/traffic', { key: api.adminToken })).status).toBe(404);
});

test('every route of the traffic was called', () => {
  expect(unasked(({ path }) => path.endsWith('/traffic'))).toEqual([]);
});
