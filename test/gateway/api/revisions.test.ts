import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStorage } from '../../../packages/gateway/core/storage/open-storage.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { startHttp } from '../../support/fixtures.ts';
import { waitFor } from '../../support/wait-for.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi({ servers: {} });
});
afterAll(() => api.close());

const assistant = `/api/assistants/${randomUUID()}`;
const server = { name: 'far', transport: 'http', url: 'http://127.0.0.1:1/mcp', enabled: false };

const cases = [
  {
    ...{ noun: 'Server', name: 'far', path: '/api/servers/far' },
    create: () => api.post('/api/servers', { ...server, headers: { secret: 'planted' } }),
    first: { ...server, headers: { secret: { set: true } }, description: 'first' },
    second: { ...server, headers: { secret: { set: true } }, description: 'second' },
    shown: { record: { description: 'first', headers: { secret: { set: true } } } },
  },
  {
    ...{ noun: 'Profile', name: 'writers', path: '/api/profiles/writers' },
    create: () => api.post('/api/profiles', { name: 'writers' }),
    ...{ first: { deny: ['first/*'] }, second: { deny: ['second/*'] }, shown: { deny: ['first/*'] } },
  },
  {
    ...{ noun: 'Script', name: 'greet', path: '/api/scripts/greet' },
    create: () => api.post('/api/scripts', { name: 'greet', code: "'none'" }),
    ...{ first: { code: "'first'" }, second: { code: "'second'" }, shown: { code: "'first'" } },
  },
  {
    ...{ noun: 'Assistant', name: 'Scribe', path: assistant },
    create: () => api.put(assistant, { name: 'Scribe' }),
    first: { name: 'Scribe', instructions: 'first' },
    second: { name: 'Scribe', instructions: 'second' },
    shown: { name: 'Scribe', instructions: 'first' },
  },
];

describe.each(cases)('two editors of one record: $noun', ({ noun, name, path, create, first, second, shown }) => {
  test('the later save is refused with the record as it is now, and can be repeated on top of it', async () => {
    const { revision } = (await create()).body;
    expect(revision).toBe(1);
    expect((await api.put(path, { ...first, revision })).body).toMatchObject({ ...shown, revision: 2 });
    const refused = await api.put(path, { ...second, revision });
    expect(refused).toMatchObject({
      status: 409,
      body: {
        error: {
          code: 'CONFLICT',
          message: `${noun} '${name}' was changed by somebody else meanwhile: compare it with the current version and save it again`,
          data: { reason: 'revision', revision: 2, current: { ...shown, revision: 2 } },
        },
      },
    });
    expect(JSON.stringify(refused.body)).not.toContain('planted');
    expect((await api.get(path)).body).toMatchObject({ ...shown, revision: 2 });
    expect((await api.put(path, { ...second, revision: 2 })).body.revision).toBe(3);
    expect((await api.put(path, first)).body.revision).toBe(4);
  });

  test('of two saves at the same time, one wins', async () => {
    const { revision } = (await api.get(path)).body;
    const saves = await Promise.all([first, second].map((body) => api.put(path, { ...body, revision })));
    expect(saves.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect((await api.get(path)).body.revision).toBe(revision + 1);
  });

  test('a record that was removed meanwhile is not saved again', async () => {
    const { revision } = (await api.get(path)).body;
    expect((await api.delete(path)).status).toBe(204);
    const refused = await api.put(path, { ...first, revision });
    expect(refused).toMatchObject({
      status: 409,
      body: {
        error: {
          message: `${noun} '${name}' was removed by somebody else meanwhile: nothing was saved`,
          data: { reason: 'revision' },
        },
      },
    });
    expect(refused.body.error.data).not.toHaveProperty('current');
    expect((await api.get(path)).status).toBe(404);
  });
});

test('a server that one gateway removed does not return when another one reconnects it', async () => {
  await using remote = await startHttp('legacy-http');
  await using storage = await openStorage({ kind: 'memory' });
  const shared = { ...storage, close: async () => {} };
  await using one = await startApi({ servers: {} }, { storage: shared });
  const added = await one.post('/api/servers', { name: 'far', transport: 'http', url: remote.url });
  await using two = await startApi({ servers: {} }, { storage: shared });
  const isConnected = async () => (await two.get('/api/servers/far')).body.record?.lastConnectedAt !== undefined;
  await waitFor(isConnected, { what: 'the connection' });
  await one.delete('/api/servers/far');
  await two.post('/api/servers/far/disconnect');
  expect((await two.post('/api/servers/far/connect')).status).toBe(200);
  // The connection is recorded by name, and then by the id that was found before the removal.
  await storage.servers.touch(added.body.id, new Date().toISOString());
  expect(await storage.servers.list()).toEqual([]);
});
