import { describe, expect, test } from 'vitest';
import { startApi } from '../support/api.ts';
import { fixture, tempDir } from '../support/fixtures.ts';
import { initializeParams } from '../support/raw-mcp.ts';
import { patienceMs, waitFor } from '../support/wait-for.ts';
import { startHostile } from './hostile-server.ts';
import { rpcHeaders, send } from './raw-http.ts';

const rpc = (id: number, method: string, params: object = {}) => JSON.stringify({ jsonrpc: '2.0', id, method, params });
const bearer = (key: string) => ({ ...rpcHeaders, host: '127.0.0.1', authorization: `Bearer ${key}` });
const modern = (method: string, params: object) => {
  const name = (params as { name?: string }).name;
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return {
    headers: {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(name !== undefined && { 'mcp-name': name }),
    },
    body: rpc(1, method, { ...params, _meta }),
  };
};

describe('session not bound to its caller', () => {
  // CVE-2025-6515 (oatpp-mcp): ids were predictable. CVE-2026-33946 (Ruby SDK): an id alone opened the session.
  test('a stolen or modified session id is rejected for another key and without a key', async () => {
    await using api = await startApi({ servers: { s: fixture('legacy') }, gateway: { requireAuthentication: true } });
    const [owner, thief] = [await api.key(['call']), await api.key(['call'])];
    const opened = await send(api.url, '/mcp', {
      method: 'POST',
      headers: bearer(owner),
      body: rpc(1, 'initialize', initializeParams),
    });
    const session = String(opened.headers['mcp-session-id']);
    expect(session.length).toBeGreaterThan(40);
    const use = (headers: Record<string, string>, id: string) =>
      send(api.url, '/mcp', {
        method: 'POST',
        headers: { ...headers, 'mcp-session-id': id },
        body: rpc(2, 'tools/list'),
      });
    expect((await use(bearer(owner), session)).status).toBe(200);
    expect((await use(bearer(thief), session)).status).toBe(404);
    expect((await use({ ...rpcHeaders, host: '127.0.0.1' }, session)).status).toBe(401);
    for (const id of [
      session.slice(0, -1),
      `${session}A`,
      session.toLowerCase(),
      '1',
      '',
      'undefined',
      session.split('').reverse().join(''),
    ])
      expect([400, 404], id.slice(0, 12)).toContain((await use(bearer(owner), id)).status);
    // Another caller cannot stream or end the session either.
    for (const method of ['GET', 'DELETE'])
      expect(
        (
          await send(api.url, '/mcp', {
            method,
            headers: { ...bearer(thief), accept: 'text/event-stream', 'mcp-session-id': session },
          })
        ).status,
      ).toBe(404);
    expect((await use(bearer(owner), session)).status).toBe(200);
  });

  test('session ids are unpredictable', async () => {
    await using api = await startApi({ servers: {} });
    const ids = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const { headers } = await send(api.url, '/mcp', {
          method: 'POST',
          headers: { ...rpcHeaders, host: '127.0.0.1' },
          body: rpc(1, 'initialize', initializeParams),
        });
        return String(headers['mcp-session-id']);
      }),
    );
    expect(new Set(ids).size).toBe(20);
    expect(new Set(ids.map((id) => id.slice(0, 16))).size).toBe(20);
  });
});

describe('list-only policy', () => {
  test('a tool that a profile hides cannot be called over any surface, in any era, by any name', async () => {
    await using directory = await tempDir();
    await using api = await startApi({
      servers: { files: fixture('legacy'), other: fixture('legacy') },
      profiles: { narrow: { servers: ['files'], allow: ['files/echo'] } },
      gateway: { requireAuthentication: true },
    });
    await waitFor(
      () =>
        api.toolbox.tools.some(({ server }) => server === 'other') &&
        api.toolbox.tools.some(({ server }) => server === 'files'),
    );
    const key = await api.key(['read', 'call'], 'narrow');
    const file = directory.file('ran');
    const args = { path: file, text: 'ran' };
    const names = [
      'mcp_files_write',
      'mcp_other_write',
      'mcp_other_echo',
      'other__write',
      'other__echo',
      'write',
      'files/write',
      'files__write',
      'MCP_FILES_WRITE',
      'mcp_files_write ',
      'mcp_files_echo/../write',
    ];
    const opened = await send(api.url, '/mcp', {
      method: 'POST',
      headers: bearer(key),
      body: rpc(1, 'initialize', initializeParams),
    });
    const session = { 'mcp-session-id': String(opened.headers['mcp-session-id']) };
    for (const name of names) {
      const rest = await api.post(`/api/tools/${encodeURIComponent(name)}/call`, { arguments: args }, { key });
      expect(rest.status, name).toBeGreaterThanOrEqual(400);
      const legacy = await send(api.url, '/mcp', {
        method: 'POST',
        headers: { ...bearer(key), ...session },
        body: rpc(2, 'tools/call', { name, arguments: args }),
      });
      expect(legacy.text, name).toContain('"error"');
      const { headers, body } = modern('tools/call', { name, arguments: args });
      const now = await send(api.url, '/mcp', { method: 'POST', headers: { ...bearer(key), ...headers }, body });
      expect(now.text, name).toContain('"error"');
    }
    for (const path of ['/mcp/default', '/mcp/other']) {
      const elsewhere = await send(api.url, path, {
        method: 'POST',
        headers: bearer(key),
        body: rpc(1, 'initialize', initializeParams),
      });
      expect(elsewhere.status).toBe(404);
    }
    const { access } = await import('node:fs/promises');
    await expect(access(file)).rejects.toThrow();
  });
});

describe('approval bypass through another surface or era', () => {
  test('a tool that needs approval waits for it over every surface and in both eras', async () => {
    await using directory = await tempDir();
    const file = directory.file('ran');
    await using api = await startApi({
      servers: { files: fixture('legacy') },
      toolbox: { approval: { mode: 'always-ask' } },
    });
    await waitFor(() => api.toolbox.tools.length > 0);
    const params = { name: 'files__write', arguments: { path: file, text: 'ran' } };
    const host = { ...rpcHeaders, host: '127.0.0.1' };
    const opened = await send(api.url, '/mcp', {
      method: 'POST',
      headers: host,
      body: rpc(1, 'initialize', initializeParams),
    });
    const session = { 'mcp-session-id': String(opened.headers['mcp-session-id']) };
    const { headers, body } = modern('tools/call', {
      ...params,
      arguments: { path: file, text: 'two' },
      _meta: { approved: true, 'toolwharf/approved': true },
    });
    const calls = Promise.all([
      send(api.url, '/mcp', {
        method: 'POST',
        headers: { ...host, ...session, 'x-toolwharf-approved': 'true' },
        body: rpc(2, 'tools/call', params),
      }),
      send(api.url, '/mcp', { method: 'POST', headers: { ...host, ...headers }, body }),
      send(api.url, '/api/tools/mcp_files_write/call', {
        method: 'POST',
        headers: { ...host, 'x-toolwharf': '1' },
        body: JSON.stringify({ arguments: { path: file, text: 'three' } }),
      }),
    ]);
    calls.catch(() => {});
    await waitFor(async () => (await api.get('/api/approvals?status=pending')).body.approvals.length === 3);
    const { access } = await import('node:fs/promises');
    await expect(access(file)).rejects.toThrow();
    // A caller with only the right to call cannot answer approvals.
    const key = await api.key(['call']);
    const { approvals } = (await api.get('/api/approvals?status=pending')).body;
    for (const { id } of approvals) {
      const answer = await api.post(`/api/approvals/${id}/answer`, { answer: 'allow' }, { key });
      expect([403, 404]).toContain(answer.status);
      expect((await api.post(`/api/approvals/${id}/answer`, { answer: 'deny' })).status).toBeLessThan(300);
    }
    for (const { text } of await calls) expect(text).toMatch(/denied|CALL_DENIED/);
    await expect(access(file)).rejects.toThrow();
  });
});

describe('credentials of one tenant used for another', () => {
  test('the secrets of a stored server are sent only to the address they were entered for', async () => {
    await using first = await startHostile();
    await using second = await startHostile();
    await using api = await startApi({ servers: {} });
    const server = {
      name: 'mine',
      transport: 'http',
      url: first.url,
      headers: { 'x-key': 'TENANT-SECRET' },
      retryAttempts: 0,
      timeout: patienceMs,
    };
    expect((await api.post('/api/servers', server)).status).toBe(201);
    const masked = { ...server, url: second.url, headers: { 'x-key': { set: true } } };
    expect((await api.put('/api/servers/mine', masked)).status).toBe(400);
    expect((await api.post('/api/servers/test', { ...masked, server: 'mine' })).status).toBe(400);
    expect(first.seen[0]?.headers['x-key']).toBe('TENANT-SECRET');
    expect(JSON.stringify(second.seen)).not.toContain('TENANT-SECRET');
    expect(api.answers.join()).not.toContain('TENANT-SECRET');
  });

  test('a caller cannot read the calls, results, questions or conversations of another caller', async () => {
    await using api = await startApi({
      servers: { files: fixture('legacy') },
      gateway: { requireAuthentication: true },
    });
    await waitFor(() => api.toolbox.tools.length > 0);
    const [one, other] = [await api.key(['read', 'call']), await api.key(['read', 'call'])];
    const { body } = await api.post(
      '/api/tools/mcp_files_echo/call',
      { arguments: { text: 'PRIVATE' }, idempotencyKey: 'k' },
      { key: one },
    );
    const { calls } = (await api.get('/api/calls', { key: other })).body;
    expect(calls).toEqual([]);
    for (const path of [`/api/calls/${body.callId}`, `/api/calls/${body.callId}/result`]) {
      const { status, body: told } = await api.get(path, { key: other });
      expect(status).toBe(404);
      expect(JSON.stringify(told)).not.toContain('PRIVATE');
    }
    // Idempotency keys are separate for each caller.
    const again = await api.post(
      '/api/tools/mcp_files_echo/call',
      { arguments: { text: 'mine' }, idempotencyKey: 'k' },
      { key: other },
    );
    expect(again.body).toMatchObject({ text: 'mine' });
  });
});
