import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ScriptedChat, startScriptedChat } from '../fixtures/models/scripted-chat-server.ts';
import { startApi, type TestApi, unasked } from '../support/api.ts';

const secret = 'sk-very-secret-4711';
const fromEnvironment = 'sk-environment-0815';
let api: TestApi;
let model: ScriptedChat;

beforeAll(async () => {
  model = await startScriptedChat([], { models: ['small', 'large'], apiKey: secret });
  api = await startApi({ servers: {} }, { env: { OPENAI_API_KEY: fromEnvironment } });
});
afterAll(async () => {
  await api.close();
  await model[Symbol.asyncDispose]();
});

const input = (more: object = {}) => ({
  name: 'House model',
  kind: 'openai-compatible',
  baseUrl: model.url,
  apiKey: secret,
  ...more,
});

const keep = { apiKey: { set: true } };

describe('model providers', () => {
  test('model providers come from the store, from the environment and from the demo', async () => {
    const { status, body } = await api.post('/api/providers', input());
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(String),
      name: 'House model',
      kind: 'openai-compatible',
      source: 'store',
      baseUrl: model.url,
      apiKey: { set: true },
    });
    expect((await api.get('/api/providers')).body.providers).toMatchObject([
      { id: body.id, source: 'store' },
      { id: 'openai', kind: 'openai', source: 'environment', apiKey: { set: true } },
      { id: 'demo', kind: 'demo', source: 'built-in' },
    ]);
    expect((await api.delete(`/api/providers/${body.id}`)).status).toBe(204);
    expect((await api.delete(`/api/providers/${body.id}`)).status).toBe(404);
    expect((await api.delete('/api/providers/openai')).status).toBe(404);
    expect((await api.put('/api/providers/demo', input())).status).toBe(404);
  });

  test('model providers retain a masked key while the URL stays the same', async () => {
    const { id } = (await api.post('/api/providers', input())).body;
    const path = `/api/providers/${id}`;
    expect((await api.put(path, input({ ...keep, name: 'Renamed' }))).body).toMatchObject({ name: 'Renamed', ...keep });
    expect((await api.storage.providers.get(id))?.apiKey).toBe(secret);
    for (const elsewhere of [{ baseUrl: 'https://elsewhere.example/v1' }, { kind: 'openai', baseUrl: undefined }]) {
      const refused = await api.put(path, input({ ...keep, ...elsewhere }));
      expect(refused).toMatchObject({
        status: 400,
        body: { error: { data: { problems: [{ path: 'body.apiKey', message: expect.stringContaining('again') }] } } },
      });
    }
    expect((await api.put(path, input({ apiKey: undefined }))).body.apiKey).toBeUndefined();
    expect((await api.put(path, input(keep))).status).toBe(400);
    await api.delete(path);
  });

  test.each([
    ['no URL', { baseUrl: undefined }, 'body.baseUrl'],
    ['a URL that is not http', { baseUrl: 'ftp://x' }, 'body.baseUrl'],
    ['a masked key without a stored one', { apiKey: { set: true } }, 'body.apiKey'],
    ['a variable as a key', { apiKey: '${SECRET}' }, 'body.apiKey'],
    ['an unknown kind', { kind: 'telepathy' }, 'body.kind'],
    ['an unknown member', { color: 'red' }, 'body.color'],
  ])('model providers with %s are rejected', async (_case, more, path) => {
    const { status, body } = await api.post('/api/providers', input(more));
    expect(status).toBe(400);
    expect(body.error.data.problems.map((problem: { path: string }) => problem.path)).toContain(path);
  });

  test('model providers can be tested without being stored, with latency and models', async () => {
    const good = (await api.post('/api/providers/test', input())).body;
    expect(good).toEqual({ ok: true, latencyMs: expect.any(Number), models: [{ id: 'large' }, { id: 'small' }] });
    const bad = (await api.post('/api/providers/test', input({ apiKey: 'wrong' }))).body;
    expect(bad).toMatchObject({ ok: false, models: [], problem: expect.any(String) });
    const { id } = (await api.post('/api/providers', input())).body;
    expect((await api.post('/api/providers/test', input({ ...keep, provider: id }))).body.ok).toBe(true);
    expect((await api.post('/api/providers/test', input({ ...keep, provider: randomUUID() }))).status).toBe(404);
    expect((await api.get(`/api/providers/${id}/models`)).body.models).toEqual([{ id: 'large' }, { id: 'small' }]);
    expect((await api.get('/api/providers/demo/models')).body.models).toMatchObject([{ id: 'demo' }]);
    expect((await api.get(`/api/providers/${randomUUID()}/models`)).status).toBe(404);
    await api.delete(`/api/providers/${id}`);
  });

  test('model providers that are unreachable are reported as such', async () => {
    const { id } = (await api.post('/api/providers', input({ baseUrl: 'http://127.0.0.1:9/v1' }))).body;
    expect((await api.get(`/api/providers/${id}/models`)).body.error).toMatchObject({ code: 'SERVER_UNREACHABLE' });
    await api.delete(`/api/providers/${id}`);
  });

  test('model providers can be changed by administrators, and other callers see neither key nor URL', async () => {
    const { id } = (await api.post('/api/providers', input())).body;
    const key = await api.key(['read', 'call']);
    const [shown] = (await api.get('/api/providers', { key })).body.providers;
    expect(shown).toMatchObject({ id, name: 'House model' });
    expect(shown.baseUrl).toBeUndefined();
    expect((await api.post('/api/providers', input(), { key })).status).toBe(403);
    expect((await api.post('/api/providers/test', input(), { key })).status).toBe(403);
    await api.delete(`/api/providers/${id}`);
  });

  test('model providers never show their keys', () => {
    for (const text of [...api.answers, JSON.stringify(api.log)]) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain(fromEnvironment);
    }
  });
});

test('every route of models was called', () => {
  // chat-content.test.ts calls those of model settings.
  const own = ({ group, path }: { group: string; path: string }) =>
    group === 'models' && path !== '/api/model-settings';
  expect(unasked(own)).toEqual([]);
});
