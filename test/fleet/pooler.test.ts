import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStorage } from '../../packages/gateway/core/storage/open-storage.ts';
import { createSealer } from '../../packages/toolwharf/storage/sealer.ts';
import { makeCall } from '../storage/records.ts';
import { listenTo } from '../support/event-source.ts';
import { fixture } from '../support/fixtures.ts';
import { connectMcp, usualAnswers } from '../support/mcp-client.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { waitFor } from '../support/wait-for.ts';
import { type Replicas, startReplicas } from './replicas.ts';
import { type Pooler, startPooler } from './support/pooler.ts';

let postgres: TestPostgres;
let pooler: Pooler;
let replicas: Replicas;
beforeAll(async () => {
  postgres = await startPostgres();
  pooler = await startPooler(Number(new URL(await postgres.createUrl()).port));
  async function createUrl(): Promise<string> {
    const url = new URL(await postgres.createUrl());
    url.port = String(pooler.port);
    return url.href;
  }
  replicas = await startReplicas(
    { ...postgres, createUrl },
    {
      // A cancelled call that is not answered would keep its permit.
      servers: { s: { ...fixture('legacy'), cancelGrace: 0 }, one: { ...fixture('legacy'), placement: 'single' } },
      toolbox: { tools: [{ name: 'sleep', server: 's', maxInstances: 1 }] },
    },
  );
});
afterAll(async () => {
  await replicas?.[Symbol.asyncDispose]();
  await pooler?.[Symbol.asyncDispose]();
  await postgres.stop();
});

const key = () => ({ key: replicas.adminToken });

test('replicas behind a pooler that keeps no sessions and forwards no notifications pass answers and cancellations on', async () => {
  await using client = await connectMcp(`${replicas.url}/mcp`, 'legacy', { answers: usualAnswers });
  for (let round = 0; round < 3; round++)
    expect(await client.text('s__ask', { question: `round ${round}` })).toContain(`re: round ${round}`);
  const [one, two] = replicas.all;
  const callId = crypto.randomUUID();
  const calling = one.post('/api/tools/mcp_s_sleep/call', { arguments: { ms: 600_000 }, callId }, key());
  await waitFor(async () => (await two.get(`/api/calls/${callId}`, key())).body.status === 'running', {
    what: 'the running call',
  });
  expect((await two.post(`/api/calls/${callId}/cancel`, undefined, key())).status).toBe(204);
  expect((await calling).status).toBe(499);
  expect(pooler.resets).toBeGreaterThan(0);
});

test('replicas behind a pooler follow changes, events and limits of each other', async () => {
  const [one, two] = replicas.all;
  await using source = await listenTo(two.url, key());
  await source.find('ready');
  const created = (await one.post('/api/keys', { name: 'k', rights: ['read'] }, key())).body;
  await using stream = await listenTo(two.url, { key: created.key });
  await stream.find('ready');
  await one.delete(`/api/keys/${created.id}`, key());
  await waitFor(() => stream.ended(), { what: 'the end of the stream' });
  // The limit is 1: the second call waits until the first has returned its permit.
  const calls = [one, two].map((replica) =>
    replica.post('/api/tools/mcp_s_sleep/call', { arguments: { ms: 300 } }, key()),
  );
  const records = await Promise.all(
    calls.map(async (call) => (await one.get(`/api/calls/${(await call).body.callId}`, key())).body),
  );
  const [first, second] = records.toSorted((a, b) => (a.startedAt < b.startedAt ? -1 : 1));
  expect(second.startedAt >= first.completedAt).toBe(true);
  for (const { id } of records) await source.find('call.changed', (data: { id: string }) => data.id === id);
});

test('replicas behind a pooler send calls to the replica that runs the server', async () => {
  for (const replica of replicas.all) {
    await waitFor(async () => (await replica.get('/api/servers/one', key())).body.status.state === 'connected', {
      what: 'the connection',
    });
    const { body } = await replica.post('/api/tools/mcp_one_echo/call', { arguments: { text: 'hello' } }, key());
    expect(body.text).toBe('hello');
  }
});

test('calls are recorded through a pooler that forgets prepared statements', async () => {
  const url = new URL(await postgres.createUrl());
  url.port = String(pooler.port);
  const storage = await openStorage({ kind: 'postgres', url: url.href, sealer: createSealer(randomBytes(32)) });
  for (const id of ['one', 'two', 'three']) await storage.journal.write(makeCall({ id }));
  expect((await storage.journal.list()).map(({ id }) => id)).toEqual(['three', 'two', 'one']);
  await storage.close();
});
