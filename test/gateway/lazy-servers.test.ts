import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { openStorage } from '../../packages/gateway/core/storage/open-storage.ts';
import { createSealer } from '../../packages/toolwharf/storage/sealer.ts';
import { startApi } from '../support/api.ts';
import { fixture, tempDir } from '../support/fixtures.ts';
import { connectClient } from '../support/open-gateway.ts';
import { waitFor } from '../support/wait-for.ts';

test('after a restart, a lazy server sleeps without looking like an error, and a call of a client wakes it', async () => {
  await using dir = await tempDir();
  const started = dir.file('started');
  const sealer = createSealer(randomBytes(32));
  const starts = async () => (await readFile(started, 'utf8')).split('\n').filter(Boolean).length;
  const { command, args, env } = fixture('ledger', { START_FILE: started });
  const books = { command, args, env, lifecycle: 'lazy', idleAfter: '1s' };
  const settings = {
    servers: { 'of-file': { ...books, args: [...args, 'of-file'] } },
    gateway: { allowPrograms: true },
  } as never;
  const open = async () =>
    startApi(settings, { storage: await openStorage({ kind: 'sqlite', file: dir.file('store.db'), sealer: sealer }) });
  const state = async (api: Awaited<ReturnType<typeof open>>, name: string) =>
    (await api.get(`/api/servers/${name}`, { key: api.adminToken })).body.status.state;
  {
    await using api = await open();
    expect(await api.post('/api/servers', { name: 'added', ...books }, { key: api.adminToken })).toMatchObject({
      status: 201,
    });
    for (const name of ['of-file', 'added']) await waitFor(async () => (await state(api, name)) === 'sleeping');
    expect(await starts()).toBe(2);
  }
  await using api = await open();
  for (const name of ['of-file', 'added']) expect(await state(api, name)).toBe('sleeping');
  expect((await api.get('/api/servers/added', { key: api.adminToken })).body).toMatchObject({
    offers: { tools: { count: 2, stale: false } },
  });
  expect((await api.get('/api/health', { key: api.adminToken })).body).toMatchObject({
    status: 'ok',
    servers: { total: 2, sleeping: 2, error: 0 },
  });
  const metrics = await (
    await fetch(`${api.url}/metrics`, { headers: { authorization: `Bearer ${api.adminToken}` } })
  ).text();
  expect(metrics).toMatch(/server="added",state="sleeping"\} 1/);
  await using mcp = await connectClient(`${api.url}/mcp`, { key: api.adminToken });
  const { tools, _meta } = await mcp.client.listTools();
  expect(tools.map(({ name }) => name).sort()).toEqual([
    'added__book',
    'added__echo',
    'of-file__book',
    'of-file__echo',
  ]);
  // No server is reported as missing.
  expect(Object.keys(_meta ?? {})).toEqual(['io.modelcontextprotocol/serverInfo']);
  const progress: unknown[] = [];
  const call = { name: 'added__echo', arguments: { text: 'ahoy' } };
  await mcp.client.callTool(call, { onprogress: ({ message }) => progress.push(message) });
  expect(progress).toEqual(["Starting server 'added' …"]);
  expect(await starts()).toBe(3);
  expect((await api.post('/api/servers/of-file/connect', undefined, { key: api.adminToken })).body.status.state).toBe(
    'connected',
  );
  expect(await starts()).toBe(4);
});
