import { randomBytes } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { openStorage } from '../../packages/gateway/core/storage/open-storage.ts';
import { allRoutes } from '../../packages/gateway/features/all-routes.ts';
import { createSealer } from '../../packages/toolwharf/storage/sealer.ts';
import { startApi } from '../support/api.ts';
import { fixture, tempDir } from '../support/fixtures.ts';
import { startPostgres } from '../support/postgres.ts';

test('while the database is gone, no route fails with an internal error', async () => {
  await using postgres = await startPostgres();
  const url = await postgres.createUrl();
  const storage = await openStorage({ kind: 'postgres', url, sealer: createSealer(randomBytes(32)) });
  await using api = await startApi({ servers: { s: fixture('legacy') } }, { storage });
  await api.post('/api/tools/mcp_s_echo/call', { arguments: { text: 'x' } }, { key: api.adminToken });
  await postgres.stop();
  const statuses = new Map<string, number>();
  for (const { operationId, method, path, streams } of allRoutes) {
    if (streams) continue;
    const filled = path.replaceAll(/\{\w+\}/g, path.startsWith('/api/servers') ? 's' : 'mcp_s_echo');
    const body = method === 'get' || method === 'delete' ? undefined : { arguments: { text: 'x' } };
    // The token of the operator is checked without the database.
    statuses.set(operationId, (await api.request(method, filled, { body, key: api.adminToken })).status);
  }
  expect([...statuses].filter(([, status]) => status === 500)).toEqual([]);
  expect([...statuses.values()].filter((status) => status === 503).length).toBeGreaterThan(50);
});

test('a character that PostgreSQL cannot store is no failure of the database', async () => {
  await using postgres = await startPostgres();
  const url = await postgres.createUrl();
  const storage = await openStorage({ kind: 'postgres', url, sealer: createSealer(randomBytes(32)) });
  await using api = await startApi({ servers: {} }, { storage });
  for (const path of ['/api/approvals/a%00b', '/api/calls?search=a%00b', '/api/calls/stats?search=a%00b']) {
    const { status, body } = await api.get(path, { key: api.adminToken });
    expect({ path, status, body }).toMatchObject({ path, status: 400, body: { error: { code: 'REQUEST_INVALID' } } });
  }
});

test('the state of the audit says that the database is locked', async () => {
  await using directory = await tempDir();
  const file = directory.file('data.db');
  const storage = await openStorage({ kind: 'sqlite', file, sealer: createSealer(randomBytes(32)) });
  await using api = await startApi({ servers: { s: fixture('legacy') } }, { storage });
  using other = new DatabaseSync(file);
  other.exec('begin exclusive');
  await api.post('/api/tools/mcp_s_echo/call', { arguments: { text: 'x' } }, { key: api.adminToken });
  const { status, body } = await api.get('/api/audit/state', { key: api.adminToken });
  expect({ status, body }).toMatchObject({ status: 503, body: { error: { code: 'STORAGE_UNAVAILABLE' } } });
});
