import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStorage } from '../../packages/gateway/core/storage/open-storage.ts';
import { createSealer } from '../../packages/toolwharf/storage/sealer.ts';
import { openFaultProxy } from '../faults/support/fault-proxy.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { fixture } from '../support/fixtures.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { waitFor } from '../support/wait-for.ts';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

const server = { ...fixture('legacy'), defaultToolConfig: { timeout: '10m' } };

/** A replica behind a proxy that can cut it off from its database. Statements wait for ten minutes for their answers. */
async function startReplica(leaseMs: number) {
  await using opened = new AsyncDisposableStack();
  const databaseUrl = await postgres.createUrl();
  const proxy = opened.use(await openFaultProxy(Number(new URL(databaseUrl).port)));
  const storage = await openStorage({
    kind: 'postgres',
    url: proxy.through(databaseUrl),
    sealer: createSealer(randomBytes(32)),
    leaseMs,
    queryTimeoutMs: 600_000,
  });
  const api = opened.use(await startApi({ servers: { s: server } }, { storage }));
  const reconnect = () => {
    proxy.set({});
    // Connections whose bytes were dropped cannot go on.
    proxy.end('reset');
  };
  opened.defer(async () => reconnect());
  const running = opened.move();
  return {
    api,
    admin: { key: api.adminToken },
    cutOff: () => proxy.set({ drop: 'both' }),
    reconnect,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

async function readMetric(api: TestApi, name: string): Promise<string | undefined> {
  const { status, body } = await api.get('/metrics', { key: api.adminToken });
  expect(status).toBe(200);
  return new RegExp(`^${name}\\{[^}]*\\} (\\S+)$`, 'm').exec(String(body))?.[1];
}

test('a replica shows its lease, permits and servers in /api/fleet and in its metrics', async () => {
  await using replica = await startReplica(600_000);
  const { api, admin } = replica;
  const readOwn = async () =>
    (await api.get('/api/fleet', admin)).body.replicas.find(({ self }: { self: boolean }) => self);
  const own = await waitFor(
    async () => {
      const found = await readOwn();
      return found?.version && found.lag === 0 ? found : undefined;
    },
    { what: 'the facts about the replica' },
  );
  expect(own).toMatchObject({ self: true, running: 0, queued: 0, permits: 0, problems: [], servers: [], epoch: 1 });
  expect(own).toMatchObject({ pid: process.pid, lag: 0, host: expect.any(String), config: expect.any(String) });
  expect(own.leaseMs).toBeGreaterThan(0);
  expect((await api.get('/readyz', admin)).body).toEqual({ ready: true, reasons: [] });
  expect(await readMetric(api, 'toolwharf_replica_ready')).toBe('1');
  expect(await readMetric(api, 'toolwharf_lease_epoch')).toBe('1');
  expect(await readMetric(api, 'toolwharf_configuration_revision')).toBe(String(own.revision));
  expect(await readMetric(api, 'toolwharf_permits_leased')).toBe('0');
  expect(await readMetric(api, 'toolwharf_approvals_pending')).toBe('0');
  const callId = crypto.randomUUID();
  const calling = api.post('/api/tools/mcp_s_sleep/call', { arguments: { ms: 600_000 }, callId }, admin);
  await waitFor(async () => (await readOwn()).running === 1, { what: 'the running call' });
  await waitFor(async () => Number(await readMetric(api, 'toolwharf_permits_leased')) > 0, { what: 'the permit' });
  await api.post(`/api/calls/${callId}/cancel`, undefined, admin);
  await calling;
});

test('a replica whose database does not answer says on /readyz why it is not ready, answers with its metrics, and recovers', async () => {
  await using replica = await startReplica(5_000);
  const { api, admin } = replica;
  const key = await api.key(['read']);
  expect((await api.get('/readyz', { key })).status).toBe(200);
  replica.cutOff();
  // No statement is answered, so these answers do not depend on the database.
  const reasons = ['The store cannot be written', 'The lease of this replica has expired'];
  const readReasons = async () => (await api.get('/readyz', admin)).body.reasons ?? [];
  await waitFor(async () => (await readReasons()).length === 2, { what: 'both reasons' });
  expect(await readReasons()).toEqual(reasons);
  expect((await api.get('/readyz')).status).toBe(503);
  expect((await api.get('/readyz', { key })).status).toBe(503);
  expect(await readMetric(api, 'toolwharf_replica_ready')).toBe('0');
  expect(await readMetric(api, 'toolwharf_approvals_pending')).toBeUndefined();
  replica.reconnect();
  await waitFor(async () => (await api.get('/readyz')).status === 200, { what: 'the replica to be ready again' });
  expect(await readMetric(api, 'toolwharf_replica_ready')).toBe('1');
  expect(await readMetric(api, 'toolwharf_approvals_pending')).toBe('0');
});
