import { expect, test } from 'vitest';
import { createGate } from '../fixtures/models/scripted-chat-server.ts';
import { startApi } from '../support/api.ts';
import { addScriptedAssistant } from '../support/scripted-assistant.ts';

test('a caller with too many conversations gets 429, and can create one after deleting another', async () => {
  await using api = await startApi({ servers: {}, gateway: { limits: { maxConversationsPerCaller: 2 } } });
  await using assistant = await addScriptedAssistant(api, []);
  const [key, other] = [await api.key(['call']), await api.key(['call'])];
  const create = (by: string) => api.post('/api/conversations', { assistantId: assistant.id }, { key: by });
  const created = await Promise.all(Array.from({ length: 5 }, () => create(key)));
  expect(created.map(({ status }) => status).toSorted()).toEqual([201, 201, 429, 429, 429]);
  expect((await create(other)).status).toBe(201);
  const first = created.find(({ status }) => status === 201);
  await api.delete(`/api/conversations/${first?.body.id}`, { key });
  expect((await create(key)).status).toBe(201);
});

test('a caller with too many running answers gets 429 with Retry-After until one has ended', async () => {
  await using api = await startApi({ servers: {}, gateway: { limits: { maxRunningAnswersPerCaller: 1 } } });
  await using assistant = await addScriptedAssistant(api, [{ text: 'slow', hold: createGate() }, { text: 'next' }]);
  const key = await api.key(['call']);
  const create = async () =>
    (await api.post('/api/conversations', { assistantId: assistant.id }, { key })).body as { id: string };
  const [one, two] = [await create(), await create()];
  const send = (id: string) => api.post(`/api/conversations/${id}/messages`, { text: 'hi' }, { key });
  expect((await send(one.id)).status).toBe(200);
  const refused = await send(two.id);
  expect(refused.status).toBe(429);
  expect(JSON.stringify(refused.body)).toContain('maxRunningAnswersPerCaller');
  await api.post(`/api/conversations/${one.id}/stop`, {}, { key });
  expect((await send(two.id)).status).toBe(200);
});
