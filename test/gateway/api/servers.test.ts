import { writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { openStorage } from '../../../packages/gateway/core/storage/open-storage.ts';
import type { Storage } from '../../../packages/toolwharf/storage/storage.ts';
import { startApi } from '../../support/api.ts';
import { fixture, startHttp, tempDir } from '../../support/fixtures.ts';
import { descendantsOf, isAlive } from '../../support/processes.ts';
import { waitFor } from '../../support/wait-for.ts';

const mask = { set: true };

/** A storage that survives its gateway, as a file would. */
async function openSharedStorage(): Promise<Storage> {
  const storage = await openStorage({ kind: 'memory' });
  return { ...storage, close: async () => {} };
}

describe('a stored server', () => {
  test('a stored server is reconnected at the next start and records its last connection [R1, R4]', async () => {
    await using remote = await startHttp('legacy-http');
    const storage = await openSharedStorage();
    {
      await using api = await startApi({ servers: {} }, { storage });
      const { status, body } = await api.post('/api/servers', { name: 'far', transport: 'http', url: remote.url });
      expect({ status, state: body.status.state }).toEqual({ status: 201, state: 'connected' });
      await waitFor(async () => (await api.get('/api/servers/far')).body.record.lastConnectedAt !== undefined);
      expect(api.log.map(({ event }) => event)).toContain('config.server-added');
    }
    const [record] = await storage.servers.list();
    expect(record).toMatchObject({ name: 'far', enabled: true, lastConnectedAt: expect.any(String) });
    await using api = await startApi({ servers: {} }, { storage });
    const called = await api.post('/api/tools/mcp_far_echo/call', { arguments: { text: 'back' } });
    expect(called.body.text).toBe('back');
    expect(api.log.map(({ event }) => event)).not.toContain('config.server-added');
    await waitFor(async () => {
      const [now] = await storage.servers.list();
      return now?.lastConnectedAt !== undefined && now.lastConnectedAt > (record?.lastConnectedAt ?? '');
    });
    expect((await storage.servers.list())[0]?.updatedAt).toBe(record?.updatedAt);
  });

  test('a stored server stays and is retried when it is unreachable, and is not connected while it is disabled', async () => {
    await using api = await startApi({ servers: {} });
    const input = { name: 'gone', transport: 'http', url: 'http://127.0.0.1:1/mcp' };
    const added = await api.post('/api/servers', input);
    expect(added).toMatchObject({ status: 201, body: { status: { state: 'error', nextTryAt: expect.any(String) } } });
    const connect = await api.post('/api/servers/gone/connect');
    expect(connect).toMatchObject({ status: 502, body: { error: { code: 'SERVER_UNREACHABLE' } } });
    await api.post('/api/servers', { ...input, name: 'asleep', enabled: false });
    expect((await api.get('/api/servers/asleep')).body).toMatchObject({
      enabled: false,
      status: { state: 'disconnected' },
    });
  });

  test('a stored server with plain http to another machine is rejected, unless it sets allowInsecure [R19]', async () => {
    await using api = await startApi({ servers: {} });
    const input = { name: 'plain', transport: 'http', url: 'http://tools.example.com/mcp' };
    expect((await api.post('/api/servers', input)).body.error.data.problems).toMatchObject([{ path: 'body.url' }]);
    const allowed = await api.post('/api/servers', { ...input, allowInsecure: true, enabled: false });
    expect(allowed.status).toBe(201);
  });

  test('a stored server with conflicting keys is rejected like in a file and not stored', async () => {
    await using api = await startApi({ servers: {} });
    const twice = {
      name: 'twice',
      transport: 'http',
      url: 'https://tools.example.com/mcp',
      headers: { authorization: 'x' },
      authentication: { type: 'bearer', token: 'y' },
    };
    expect(await api.post('/api/servers', twice)).toMatchObject({
      status: 400,
      body: {
        error: { code: 'REQUEST_INVALID', message: expect.stringContaining('an Authorization header: keep one') },
      },
    });
    expect(await api.storage.servers.list()).toEqual([]);
  });

  test('a stored server accepts and stores every setting of a server in the file, its rate limit too [R1, R20]', async () => {
    await using remote = await startHttp('modern-http');
    await using api = await startApi({ servers: {} });
    const settings = {
      trusted: true,
      mode: 'dynamic',
      protocol: 'auto',
      onChange: 'quarantine',
      allow: ['*'],
      deny: ['forbidden_*'],
      rate: { calls: 100, per: '1m' },
      defaultToolConfig: { maxInstances: 2, timeout: '5s' },
      required: true,
    };
    const { status, body } = await api.post('/api/servers', { name: 'full', url: remote.url, ...settings });
    const stored = {
      ...settings,
      rate: { calls: 100, per: 60_000 },
      defaultToolConfig: { maxInstances: 2, timeout: 5_000 },
    };
    expect(status).toBe(201);
    expect(body).toMatchObject({ trusted: true, required: true, transport: 'auto', record: stored });
    expect(await api.storage.servers.list()).toMatchObject([stored]);
    const { id: _id, createdAt: _created, updatedAt: _updated, lastConnectedAt: _last, ...record } = body.record;
    expect(await api.put('/api/servers/full', record)).toMatchObject({ status: 200, body: { record: stored } });
  });

  test('a stored server that is invalid is rejected with the key, the found value and the allowed values', async () => {
    await using api = await startApi({ servers: {} });
    const input = { name: 'wrong', url: 'https://tools.example.com', mode: 'strct', retryAttempts: 9, transport: 'ws' };
    const { status, body } = await api.post('/api/servers', input);
    expect(status).toBe(400);
    expect(body.error.data.problems).toEqual([
      { path: 'body.transport', message: 'unknown value, found "ws"; allowed: stdio, http, sse, auto, api' },
      { path: 'body.retryAttempts', message: 'must be a whole number from 0 to 5, found 9' },
      { path: 'body.mode', message: `unknown value, found "strct"; allowed: strict, dynamic; did you mean 'strict'?` },
    ]);
  });

  test('a stored server is added once, even if several requests add it at the same time', async () => {
    await using remote = await startHttp('modern-http');
    await using api = await startApi({ servers: {} });
    const input = { name: 'same', transport: 'http', url: remote.url };
    const attempts = await Promise.all([1, 2, 3].map(() => api.post('/api/servers', input)));
    expect(attempts.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    expect(await api.storage.servers.list()).toHaveLength(1);
  });

  test('a stored server cannot use the name of another server', async () => {
    await using api = await startApi({ servers: { filed: { url: 'http://127.0.0.1:1/', enabled: false } } });
    const input = { transport: 'http', url: 'http://127.0.0.1:1/', enabled: false };
    for (const name of ['one', 'two']) await api.post('/api/servers', { ...input, name });
    for (const name of ['two', 'filed'])
      expect((await api.put('/api/servers/one', { ...input, name })).status).toBe(409);
    expect((await api.get('/api/servers')).body.servers.map(({ name }: { name: string }) => name)).toEqual([
      'filed',
      'one',
      'two',
    ]);
  });
});

describe('the secrets of a stored server', () => {
  test('the secrets of a stored server are sent to the server and returned masked, and saving a mask retains them [R3, R17]', async () => {
    await using remote = await startHttp('legacy-http', { REQUIRE_HEADER: 'x-api-key: PLANTED-KEY' });
    await using api = await startApi({ servers: {} });
    const authentication = { type: 'api-key', key: 'PLANTED-KEY' };
    const input = { name: 'guarded', transport: 'http', url: remote.url, headers: { 'x-team': 'PLANTED-TEAM' } };
    const added = await api.post('/api/servers', { ...input, authentication });
    expect(added.body).toMatchObject({
      status: { state: 'connected' },
      record: { headers: { 'x-team': mask }, authentication: { type: 'api-key', key: mask, header: 'x-api-key' } },
    });
    const masked = { ...input, headers: { 'x-team': mask }, authentication: { type: 'api-key', key: mask } };
    const saved = await api.put('/api/servers/guarded', { ...masked, description: 'still works' });
    expect(saved.body).toMatchObject({ description: 'still works', status: { state: 'connected' } });
    const tested = await api.post('/api/servers/test', { ...masked, server: 'guarded' });
    expect(tested.body.ok).toBe(true);
    const refused = await api.post('/api/servers/test', { ...input, authentication: { type: 'none' } });
    expect(refused.body).toMatchObject({ ok: false, problems: [{ code: 'SERVER_UNREACHABLE' }] });
    expect(api.answers.join()).not.toContain('PLANTED');
  });

  test('the secrets of a stored server are not sent to another URL than the one they were entered for', async () => {
    await using remote = await startHttp('legacy-http');
    await using elsewhere = await startHttp('legacy-http');
    await using api = await startApi({ servers: {} });
    const input = { name: 'mine', transport: 'http', url: remote.url };
    await api.post('/api/servers', { ...input, authentication: { type: 'bearer', token: 'PLANTED' } });
    const moved = { ...input, url: elsewhere.url, authentication: { type: 'bearer', token: mask } };
    for (const { status, body } of [
      await api.put('/api/servers/mine', moved),
      await api.post('/api/servers/test', { ...moved, server: 'mine' }),
    ]) {
      expect(status).toBe(400);
      expect(body.error.data.problems).toMatchObject([{ path: 'body.authentication.token' }]);
    }
    expect((await api.post('/api/servers/test', { ...moved, server: 'nobody' })).status).toBe(404);
  });

  test('the secrets of a stored server cannot be references, which only the file supports', async () => {
    await using api = await startApi({ servers: {}, gateway: { allowPrograms: true } });
    const admin = { key: api.adminToken };
    const remote = { name: 'r', transport: 'http', url: 'https://tools.example.com/' };
    const inputs = [
      { ...remote, headers: { 'x-home': '${HOME}' } },
      { ...remote, authentication: { type: 'bearer', token: '${file:/etc/passwd}' } },
      { name: 'p', transport: 'stdio', command: 'x', env: { HOME: '${PATH}' } },
      { name: 'p', transport: 'stdio', command: 'x', args: ['${SECRET:-x}'] },
      { name: 'p', transport: 'stdio', command: 'x', env: { A: '${command:id}' } },
    ];
    for (const input of inputs) {
      for (const path of ['/api/servers', '/api/servers/test']) {
        const { status, body } = await api.post(path, input, admin);
        expect(status).toBe(400);
        expect(body.error.message).toContain('work in the configuration file only');
      }
    }
    expect(await api.storage.servers.list()).toEqual([]);
  });
});

/** Other test files share this process. */
function startedSince(before: readonly number[]): readonly number[] {
  return descendantsOf(process.pid).filter((pid) => !before.includes(pid));
}

describe('a stdio server', () => {
  const program = { name: 'program', transport: 'stdio', ...fixture('legacy', { API_TOKEN: 'PLANTED-ENV' }) };

  test('a stdio server can be added only if the operator allows it, which is the default on loopback only [R22]', async () => {
    const before = descendantsOf(process.pid);
    await using open = await startApi({ servers: {} });
    expect((await open.get('/api/session', { key: open.adminToken })).body.mayAddPrograms).toBe(true);
    expect((await open.get('/api/session')).body.mayAddPrograms).toBe(false);
    await using wide = await startApi({ servers: {} }, { host: '0.0.0.0' });
    const response = await fetch(`http://127.0.0.1:${new URL(wide.url).port}/api/session`, {
      headers: { authorization: `Bearer ${wide.adminToken}` },
    });
    expect(await response.json()).toMatchObject({ authenticated: true, mayAddPrograms: false });
    await using api = await startApi({ servers: {}, gateway: { allowPrograms: false } });
    for (const path of ['/api/servers', '/api/servers/test']) {
      const { status, body } = await api.post(path, program, { key: api.adminToken });
      expect(status).toBe(403);
      expect(body.error.message).toContain('gateway.allowPrograms is off');
    }
    expect(startedSince(before)).toEqual([]);
  });

  test('a stdio server can be added and changed only by an authenticated administrator', async () => {
    await using remote = await startHttp('legacy-http');
    await using api = await startApi({ servers: {}, gateway: { allowPrograms: true } });
    const anonymous = await api.post('/api/servers', program);
    expect(anonymous.status).toBe(403);
    expect(anonymous.body.error.message).toContain('authenticate with the admin token');
    expect((await api.post('/api/servers/test', program)).status).toBe(403);
    expect((await api.get('/api/session', { key: api.adminToken })).body.mayAddPrograms).toBe(true);
    await api.post('/api/servers', { name: 'program', transport: 'http', url: remote.url });
    expect((await api.put('/api/servers/program', program)).status).toBe(403);
    const changed = await api.put('/api/servers/program', program, { key: api.adminToken });
    expect(changed.body).toMatchObject({ status: { state: 'connected' }, record: { env: { API_TOKEN: mask } } });
    const boss = await api.post('/api/keys', { name: 'boss', rights: ['admin'] }, { key: api.adminToken });
    const tested = await api.post('/api/servers/test', program, { key: boss.body.key });
    expect(tested.body).toMatchObject({ ok: true, transport: 'stdio' });
    const called = await api.post('/api/tools/mcp_program_env/call', { arguments: { name: 'API_TOKEN' } });
    expect(called.body.text).toBe('[redacted]');
    expect(api.answers.join()).not.toContain('PLANTED');
  });

  test('a stdio server is stored but not started after the operator disallows it', async () => {
    const before = descendantsOf(process.pid);
    const storage = await openSharedStorage();
    {
      await using api = await startApi({ servers: {}, gateway: { allowPrograms: true } }, { storage });
      expect((await api.post('/api/servers', program, { key: api.adminToken })).status).toBe(201);
    }
    await using api = await startApi({ servers: {}, gateway: { allowPrograms: false } }, { storage });
    const { body } = await api.get('/api/servers/program');
    expect(body).toMatchObject({ enabled: true, status: { state: 'disconnected' } });
    expect(body.problem).toContain('gateway.allowPrograms is off');
    expect((await api.post('/api/servers/program/connect')).status).toBe(409);
    expect(startedSince(before)).toEqual([]);
  });

  test('a stdio server that cannot be started is reported with its last output', async () => {
    const before = descendantsOf(process.pid);
    await using api = await startApi({ servers: {}, gateway: { allowPrograms: true } });
    const crashing = { name: 'crash', transport: 'stdio', ...fixture('crash-on-start') };
    const { body } = await api.post('/api/servers/test', crashing, { key: api.adminToken });
    expect(body).toMatchObject({ ok: false, tools: [], problems: [{ code: 'SERVER_UNREACHABLE' }] });
    expect(body.stderr.length).toBeGreaterThan(0);
    expect(startedSince(before)).toEqual([]);
  });
});

describe('the configuration file', () => {
  test('the configuration file takes precedence over a stored server of the same name, which returns when the file no longer defines it', async () => {
    await using directory = await tempDir();
    await using filed = await startHttp('legacy-http');
    const file = directory.file('toolwharf.json');
    const write = (servers: object) => writeFile(file, JSON.stringify({ servers, gateway: { allowPrograms: true } }));
    await write({});
    await using api = await startApi(file, { watch: true });
    const stored = { name: 'shared', transport: 'stdio', ...fixture('legacy') };
    const added = await api.post('/api/servers', stored, { key: api.adminToken });
    await write({ shared: { url: filed.url } });
    const shown = await waitFor(async () => {
      const { body } = await api.get('/api/servers/shared');
      return body?.source === 'file' && body.status.state === 'connected' ? body : undefined;
    });
    expect(shown).toMatchObject({ place: filed.url, readOnly: `Defined in the configuration file ${file}` });
    await waitFor(() => !isAlive(added.body.status.pid), { what: "the end of the stored server's process" });
    expect((await api.delete('/api/servers/shared')).status).toBe(409);
    expect((await api.get('/api/servers')).body.servers).toHaveLength(1);
    await waitFor(() => api.log.some(({ event }) => event === 'servers.shadowed'));
    await write({});
    await waitFor(async () => {
      const { status, body } = await api.get('/api/servers/shared');
      return status === 200 && body.source === 'store' && body.status.state === 'connected';
    });
  });

  test('a configuration file that becomes invalid at run time is reported, and the previous configuration stays active', async () => {
    await using directory = await tempDir();
    const file = directory.file('toolwharf.yaml');
    await writeFile(file, 'servers: {}\n');
    await using api = await startApi(file, { watch: true });
    expect((await api.get('/api/config')).body).toMatchObject({ file, warnings: [] });
    await writeFile(file, 'servers: [\n');
    const refused = await waitFor(async () => (await api.get('/api/config')).body.refused);
    expect(refused.message).toContain(file);
    await writeFile(file, 'servers: {}\ntoolbox: { maxConcurrent: 7 }\n');
    await waitFor(async () => (await api.get('/api/config')).body.toolbox.maxConcurrent === 7);
    expect((await api.get('/api/config')).body.refused).toBeUndefined();
  });
});
