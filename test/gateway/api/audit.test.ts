import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi, unasked } from '../../support/api.ts';
import { fixture } from '../../support/fixtures.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi({ servers: { s: fixture('legacy') } });
});
afterAll(() => api.close());

test('the journal can be verified and exported, by administrators only', async () => {
  for (const message of ['one', 'two']) await api.post('/api/tools/mcp_s_echo/call', { arguments: { message } });
  expect((await api.get('/api/audit/verification')).body).toEqual({ findings: [] });
  const { entries, next } = (await api.get('/api/audit/entries?limit=1')).body;
  expect(entries).toMatchObject([{ seq: expect.any(Number), hash: expect.any(String) }]);
  const following = (await api.get(`/api/audit/entries?limit=1&after=${next}`)).body.entries;
  expect(following).toMatchObject([{ previous: entries[0].hash }]);
  expect((await api.get('/api/audit/state')).body.head.seq).toBeGreaterThan(entries[0].seq);
  const key = await api.key(['read', 'call']);
  for (const path of ['verification', 'entries', 'state'])
    expect((await api.get(`/api/audit/${path}`, { key })).status).toBe(403);
});

test('a token is accepted only for a default server that needs one', async () => {
  const { status, body } = await api.post('/api/servers/s/token', { token: 'PLANTED-TOKEN' });
  expect([status, body.error.message]).toEqual([409, expect.stringContaining('does not need a token')]);
});

test('every route of the journal was called and answered according to its schema', () => {
  expect(unasked(({ group, operationId }) => group === 'audit' || operationId === 'setServerToken')).toEqual([]);
});
