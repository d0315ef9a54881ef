import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApi, type TestApi } from '../support/api.ts';
import { startHttp, tempDir } from '../support/fixtures.ts';
import { startGatewayHere } from '../support/gateway.ts';
import { cliIn } from '../support/run-cli.ts';

describe('a server that somebody adds who may not add programs, where new servers are reviewed', () => {
  let api: TestApi;
  let notes: Awaited<ReturnType<typeof startHttp>>;
  beforeAll(async () => {
    notes = await startHttp('legacy-http');
    api = await startApi({ servers: {}, gateway: { newServers: 'review' } } as never);
  });
  afterAll(async () => {
    await api?.close();
    await notes?.[Symbol.asyncDispose]();
  });

  const admin = () => ({ key: api.adminToken });
  const names = async () =>
    (await api.get('/api/tools', admin())).body.tools.map(({ server }: { server: string }) => server);

  test('it is stored and not started, whatever its owner tries, until an administrator accepts it', async () => {
    const server = { name: 'notes', url: notes.url };
    const added = await api.post('/api/servers', server);
    expect(added).toMatchObject({
      status: 201,
      body: { review: { by: expect.any(String) }, status: { state: 'disconnected' } },
    });
    expect(added.body.problem).toContain("Server 'notes' is not started: it waits until an administrator accepts");
    for (const verb of ['enable', 'disable', 'enable', 'connect', 'accept'])
      await api.post(`/api/servers/notes/${verb}`);
    expect(await api.post('/api/servers/notes/accept')).toMatchObject({ status: 403 });
    expect(await api.post('/api/servers/notes/connect')).toMatchObject({ status: 409 });
    expect((await api.post('/api/servers', { ...server, name: 'other', review: undefined })).body.review).toBeDefined();
    expect(await names()).toEqual([]);

    const accepted = await api.post('/api/servers/notes/accept', undefined, admin());
    expect(accepted).toMatchObject({ status: 200, body: { status: { state: 'connected' } } });
    expect(accepted.body).not.toHaveProperty('review');
    expect(await names()).toContain('notes');
    expect(await api.post('/api/servers/notes/accept', undefined, admin())).toMatchObject({ status: 409 });
  });

  test('a change by somebody who may not add programs waits again, and one by an administrator does not', async () => {
    const changed = await api.put('/api/servers/notes', { name: 'notes', url: notes.url, description: 'Changed' });
    expect(changed.body).toMatchObject({ review: { by: expect.any(String) }, status: { state: 'disconnected' } });
    expect(await names()).toEqual([]);
    const renamed = { name: 'notes', url: notes.url, description: 'Seen' };
    expect((await api.put('/api/servers/notes', renamed, { body: renamed, ...admin() })).body.review).toBeDefined();
    await api.post('/api/servers/notes/accept', undefined, admin());
    expect((await api.put('/api/servers/notes', renamed, admin())).body).not.toHaveProperty('review');
    const own = await api.post('/api/servers', { name: 'own', url: notes.url }, admin());
    expect(own.body).toMatchObject({ status: { state: 'connected' } });
    expect(own.body).not.toHaveProperty('review');
  });

  test('toolwharf servers accept starts the server', async () => {
    await using dir = await tempDir();
    const cli = cliIn(dir);
    const data = join(dir.path, 'data');
    const config = await cli.config({ servers: {}, gateway: { newServers: 'review' } });
    await using gateway = await startGatewayHere(cli, data, ['-c', config]);
    const body = JSON.stringify({ name: 'notes', url: notes.url });
    const headers = { 'content-type': 'application/json' };
    const added = await fetch(new URL('/api/servers', gateway.url), { method: 'POST', headers, body });
    expect(await added.json()).toMatchObject({ review: { by: expect.any(String) } });
    const { stdout } = await cli.run(['--data-dir', data, 'servers', 'accept', 'notes', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ name: 'notes', status: { state: 'connected' } });
  });
});
