import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStorage } from '../../../packages/gateway/core/storage/open-storage.ts';
import { allRoutes } from '../../../packages/gateway/features/all-routes.ts';
import { createSealer } from '../../../packages/toolwharf/storage/sealer.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { type EventSource, listenTo } from '../../support/event-source.ts';
import { fixture, startHttp, tempDir } from '../../support/fixtures.ts';
import { waitFor } from '../../support/wait-for.ts';

/*
 * Secrets are planted in every configurable field. Then every route is called, with valid and invalid requests, and
 * no secret may appear in any answer, event, log line, metric or, for stored secrets, in the database file.
 */
const planted = (name: string) => `PLANTED-${name}-${'0123456789'.repeat(2)}`;
let api: TestApi;
let source: EventSource;
let databaseFile = '';
const cleanups: (() => unknown)[] = [];

beforeAll(async () => {
  const guarded = await startHttp('legacy-http', { REQUIRE_HEADER: `authorization: Bearer ${planted('bearer')}` });
  const directory = await tempDir();
  databaseFile = directory.file('store.db');
  const sealer = createSealer(Buffer.alloc(32, 7));
  const storage = await openStorage({ kind: 'sqlite', file: databaseFile, sealer });
  api = await startApi(
    {
      servers: {
        program: fixture('legacy', { API_TOKEN: planted('env') }),
        byVariable: { url: guarded.url, headers: { authorization: '${AUTHORIZATION}' } },
        wrong: { url: guarded.url, authentication: { type: 'bearer', token: planted('wrong') } },
        crash: fixture('crash-on-start', { CRASH_SECRET: planted('crash') }),
      },
      gateway: {
        allowPrograms: true,
        webhook: { url: `http://127.0.0.1:1/${planted('hook-path')}`, secret: planted('hook-secret') },
        database: `postgres://user:${planted('database')}@127.0.0.1/x`,
      },
    },
    { storage, env: { ...process.env, AUTHORIZATION: `Bearer ${planted('bearer')}` } },
  );
  cleanups.push(
    () => api.close(),
    () => guarded[Symbol.asyncDispose](),
    () => directory[Symbol.asyncDispose](),
  );
  source = await listenTo(api.url);
  const key = { key: api.adminToken };
  const remote = { transport: 'http', url: guarded.url };
  const basic = { type: 'basic', username: 'ada', password: planted('password') };
  const oauth = { type: 'oauth', clientId: 'c', clientSecret: planted('client-secret') };
  for (const server of [
    { ...remote, name: 'stored', authentication: { type: 'bearer', token: planted('bearer') } },
    { ...remote, name: 'header', headers: { 'x-secret-header': planted('header') } },
    { ...remote, name: 'query', url: `${guarded.url}?key=${planted('query')}` },
    { ...remote, name: 'basic', authentication: basic },
    { ...remote, name: 'oauth', authentication: oauth, enabled: false },
    { ...remote, name: 'api-key', authentication: { type: 'api-key', key: planted('api-key') } },
    {
      ...fixture('legacy', { MY_TOKEN: planted('stored-env') }),
      name: 'stored program',
      transport: 'stdio',
      args: [...fixture('legacy').args, '--token', planted('argument')],
    },
  ])
    expect((await api.post('/api/servers', server, key)).status).toBe(201);
  await waitFor(async () => (await api.get('/api/health')).body.servers.connecting === 0);
  expect((await storage.servers.list()).map(({ name }) => name)).toHaveLength(7);
});
afterAll(async () => {
  for (const cleanup of cleanups) await cleanup();
});

test('planted secrets appear in no answer, event, metric or log line [R17]', async () => {
  const { servers } = (await api.get('/api/servers')).body;
  expect(servers).toHaveLength(11);
  const names: string[] = servers.map(({ name }: { name: string }) => name);
  const { tools } = (await api.get('/api/tools')).body;
  for (const { method, path, streams } of allRoutes) {
    if (streams || path.includes('session')) continue;
    const parameters = path.includes('{server}')
      ? names
      : path.includes('{tool}')
        ? tools.slice(0, 3).map(({ name }: { name: string }) => name)
        : [randomUUID()];
    for (const parameter of parameters) {
      if (method === 'delete' && path.includes('{server}')) continue;
      const address = path.replaceAll(/\{\w+\}/g, encodeURIComponent(parameter));
      const body = method === 'post' || method === 'put' ? { wrong: planted('body').slice(0, 3) } : undefined;
      await api.request(method.toUpperCase(), address, { key: api.adminToken, ...(body && { body }) });
    }
  }
  for (const server of ['program', 'stored_program']) {
    for (const name of ['API_TOKEN', 'MY_TOKEN'])
      await api.post(`/api/tools/mcp_${server}_env/call`, { arguments: { name } });
  }
  for (const name of names) await api.post(`/api/servers/${encodeURIComponent(name)}/connect`);
  const secret = { type: 'bearer', token: planted('tested') };
  for (const url of ['http://127.0.0.1:1/', 'ftp://x', 'https://user:PLANTED-in-url@x.example/'])
    await api.post('/api/servers/test', { name: 't', transport: 'http', url, authentication: secret });
  await api.get('/metrics');
  await api.get('/readyz');
  await api.get('/api/config');

  const output = [...api.answers, source.text(), ...api.log.map((entry) => JSON.stringify(entry))];
  expect(output.length).toBeGreaterThan(200);
  expect(output.filter((text) => text.includes('PLANTED'))).toEqual([]);
  expect(output.filter((text) => text.includes(api.adminToken))).toEqual([]);
});

test('stored secrets are encrypted [R17]', async () => {
  expect(JSON.stringify(await api.storage.servers.list())).toContain(planted('password'));
  // The database file and its write-ahead log.
  for (const suffix of ['', '-wal'])
    expect((await readFile(`${databaseFile}${suffix}`)).toString('latin1')).not.toContain('PLANTED');
});
