import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createSqliteWorkspace } from '../storage/kinds.ts';
import { startApi } from '../support/api.ts';

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
};
const accept = { accept: 'application/json, text/event-stream' };

test('a signed-out session and a deleted MCP session stay rejected after a restart on SQLite', async () => {
  using workspace = createSqliteWorkspace();
  const options = { sessionKey: randomBytes(32), adminToken: `twadmin_${randomBytes(32).toString('base64url')}` };
  const config = { servers: {}, gateway: { requireAuthentication: true } };
  const start = async () => startApi(config, { storage: await workspace.open(), ...options });
  const cookies: string[] = [];
  let key = '';
  let session = '';
  let port = '';
  {
    await using api = await start();
    port = new URL(api.url).port;
    for (let count = 0; count < 2; count++) {
      const { headers } = await api.post('/api/session', undefined, { key: options.adminToken });
      cookies.push(headers.get('set-cookie')?.split(';')[0] ?? '');
    }
    const signOut = { headers: { cookie: cookies[0] ?? '', 'x-toolwharf': '1' } };
    expect((await api.get('/api/keys', signOut)).status).toBe(200);
    expect((await api.delete('/api/session', signOut)).status).toBe(204);
    expect((await api.get('/api/keys', signOut)).status).toBe(401);
    const created = await api.post('/api/keys', { name: 'agent', rights: ['call'] }, { key: options.adminToken });
    key = String(created.body.key);
    const opened = await api.post('/mcp', initialize, { key, headers: accept });
    session = opened.headers.get('mcp-session-id') ?? '';
    const ended = await api.delete('/mcp', { key, headers: { 'mcp-session-id': session } });
    expect(ended.status).toBe(200);
  }
  await using api = await start();
  const statuses = await Promise.all(
    cookies.map(async (before) => {
      // The name of the cookie contains the port.
      const cookie = before.replace(port, new URL(api.url).port);
      return (await api.get('/api/keys', { headers: { cookie } })).status;
    }),
  );
  expect(statuses).toEqual([401, 200]);
  const ping = { jsonrpc: '2.0', id: 2, method: 'ping' };
  const answer = await api.post('/mcp', ping, { key, headers: { ...accept, 'mcp-session-id': session } });
  expect(answer.status).toBe(404);
});
