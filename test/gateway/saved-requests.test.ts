import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi, unasked } from '../support/api.ts';
import { fixture } from '../support/fixtures.ts';
import { waitFor } from '../support/wait-for.ts';

let api: TestApi;
const path = '/api/requests';

beforeAll(async () => {
  api = await startApi({
    servers: { files: fixture('legacy') },
    profiles: { none: { servers: [] } },
  });
  await waitFor(async () => (await api.get('/api/servers/files')).body.status.state === 'connected');
});
afterAll(() => api.close());

const request = { name: 'Say ahoy', tool: 'mcp_files_echo', arguments: { text: 'ahoy' } };
const namesFor = async (key: string) =>
  (await api.get(path, { key })).body.requests.map(({ name }: { name: string }) => name);

test('a caller saves, renames, lists and deletes its own requests, and others do not see them', async () => {
  const [key, other] = [await api.key(['read', 'call']), await api.key(['read', 'call'])];
  const saved = await api.post(path, request, { key });
  expect(saved).toMatchObject({ status: 201, body: { ...request, shared: false, isOwn: true, canEdit: true } });
  const own = `${path}/${saved.body.id}`;
  expect(await namesFor(other)).toEqual([]);
  expect(await namesFor(api.adminToken)).toEqual([]);
  expect((await api.put(own, { name: 'Mine' }, { key: other })).status).toBe(404);
  expect((await api.delete(own, { key: other })).status).toBe(404);
  expect((await api.put(own, { name: 'Hello' }, { key })).body).toMatchObject({
    name: 'Hello',
    arguments: { text: 'ahoy' },
  });
  expect(await namesFor(key)).toEqual(['Hello']);
  expect((await api.delete(own, { key })).status).toBe(204);
  expect(await namesFor(key)).toEqual([]);
});

test('administrators share requests with everyone who can use the tool', async () => {
  const [key, narrow] = [await api.key(['read', 'call']), await api.key(['read', 'call'], 'none')];
  expect((await api.post(path, { ...request, shared: true }, { key })).status).toBe(403);
  const mine = await api.post(path, request, { key });
  expect((await api.put(`${path}/${mine.body.id}`, { shared: true }, { key })).status).toBe(403);
  await api.delete(`${path}/${mine.body.id}`, { key });

  const { body } = await api.post(path, { ...request, name: 'For all', shared: true }, { key: api.adminToken });
  expect((await api.get(path, { key })).body.requests).toMatchObject([
    { name: 'For all', isOwn: false, canEdit: false },
  ]);
  expect(await namesFor(narrow)).toEqual([]);
  expect((await api.put(`${path}/${body.id}`, { name: 'Taken' }, { key })).status).toBe(403);
  expect((await api.delete(`${path}/${body.id}`, { key })).status).toBe(403);
  expect((await api.put(`${path}/${body.id}`, { shared: false }, { key: api.adminToken })).status).toBe(200);
  expect(await namesFor(key)).toEqual([]);
  await api.delete(`${path}/${body.id}`, { key: api.adminToken });
});

test('the number and the size of saved requests are limited, also for simultaneous ones', async () => {
  const key = await api.key(['read', 'call']);
  const large = { ...request, arguments: { text: 'x'.repeat(70_000) } };
  expect((await api.post(path, large, { key })).status).toBe(413);
  expect((await api.post(path, { ...request, name: ' ' }, { key })).status).toBe(400);
  const answers = await Promise.all(Array.from({ length: 205 }, () => api.post(path, request, { key })));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(200);
  expect(answers.find(({ status }) => status === 429)?.body.error).toMatchObject({ code: 'LIMIT_REACHED' });
});

test('a key without the right to call reads saved requests and saves none', async () => {
  const key = await api.key(['read']);
  expect((await api.get(path, { key })).status).toBe(200);
  expect((await api.post(path, request, { key })).status).toBe(403);
});

test('every route of saved requests was called', () => {
  expect(unasked((route) => route.path.startsWith(path))).toEqual([]);
});
