import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestApi } from '../support/api.ts';
import { fixture } from '../support/fixtures.ts';
import { connectMcp, usualAnswers } from '../support/mcp-client.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { patienceMs, waitFor } from '../support/wait-for.ts';
import { type Replicas, startReplicas } from './replicas.ts';

const limits = { timeout: patienceMs, defaultToolConfig: { timeout: patienceMs } };
const source = { servers: { s: { ...fixture('legacy'), ...limits, placement: 'single' as const } } };
let postgres: TestPostgres;
let replicas: Replicas;
beforeAll(async () => {
  postgres = await startPostgres();
  replicas = await startReplicas(postgres, source);
  for (const replica of replicas.all) await waitUntilConnected(replica);
});
afterAll(async () => {
  await replicas?.[Symbol.asyncDispose]();
  await postgres.stop();
});

const key = () => ({ key: replicas.adminToken });
const statusOn = async (replica: TestApi) => (await replica.get('/api/servers/s', key())).body.status;
const waitUntilConnected = (replica: TestApi) =>
  waitFor(async () => (await statusOn(replica)).state === 'connected', { what: 'the connection' });

/** The replica that runs the server, and the other one. */
async function roles(): Promise<readonly [TestApi, TestApi, string]> {
  const [one, two] = replicas.all;
  const { body } = await one.get('/api/fleet', key());
  const self = body.replicas.find((replica: { self: boolean }) => replica.self).id;
  const { replica } = await statusOn(one);
  return replica === self ? [one, two, replica] : [two, one, replica];
}

describe('a server of placement single', () => {
  test('one replica runs the server, and every replica names it', async () => {
    const [one, two] = replicas.all;
    const [here, there] = [await statusOn(one), await statusOn(two)];
    expect(here.pid).toBeGreaterThan(0);
    expect([there.pid, there.replica]).toEqual([here.pid, here.replica]);
    const fleet = await waitFor(
      async () => {
        const { body } = await two.get('/api/fleet', key());
        return body.replicas.some(({ servers }: { servers?: string[] }) => servers?.includes('s')) && body;
      },
      { what: 'the owner' },
    );
    const owners = fleet.replicas.filter(({ servers }: { servers: string[] }) => servers.includes('s'));
    expect(owners.map(({ id }: { id: string }) => id)).toEqual([here.replica]);
  });

  test('a call on another replica is sent to the owner, and the journal names both', async () => {
    const [, other, owner] = await roles();
    const { status, body } = await other.post('/api/tools/mcp_s_echo/call', { arguments: { text: 'hello' } }, key());
    expect([status, body.text]).toEqual([200, 'hello']);
    const record = (await other.get(`/api/calls/${body.callId}`, key())).body;
    expect(record).toMatchObject({ status: 'success', ranOn: owner });
    expect(record.replica).not.toBe(owner);
  });

  test.each(['legacy', 'modern'] as const)(
    'questions, progress, logs, resources and prompts pass between replicas (%s client)',
    async (era) => {
      const [, other] = await roles();
      await using client = await connectMcp(`${other.url}/mcp`, era, { answers: usualAnswers });
      expect(await client.text('s__ask', { question: 'who' })).toContain('re: who');
      expect(await client.text('s__sample', { prompt: 'p' })).toContain('sampled');
      expect(await client.text('s__roots')).toContain('file:///test');
      const { resources } = await client.client.listResources();
      expect(resources.length).toBeGreaterThan(0);
      const read = await client.client.readResource({ uri: String(resources[0]?.uri) });
      expect(read.contents.length).toBeGreaterThan(0);
      const { prompts } = await client.client.listPrompts();
      expect(prompts.length).toBeGreaterThan(0);
    },
  );

  test('a call is cancelled at the owner', async () => {
    const [owner, other] = await roles();
    const callId = crypto.randomUUID();
    const calling = other.post('/api/tools/mcp_s_sleep/call', { arguments: { ms: 600_000 }, callId }, key());
    await waitFor(async () => (await owner.get(`/api/calls/${callId}`, key())).body.status === 'running', {
      what: 'the running call',
    });
    expect((await owner.post(`/api/calls/${callId}/cancel`, undefined, key())).status).toBe(204);
    expect((await calling).status).toBe(499);
  });

  test('updates of a resource reach subscribers on another replica', async () => {
    const [, other] = await roles();
    await using client = await connectMcp(`${other.url}/mcp`, 'legacy');
    await client.client.subscribeResource({ uri: 'memo://one' });
    await client.text('s__touch', { uri: 'memo://one' });
    await waitFor(() => client.notices.some(({ method }) => method === 'notifications/resources/updated'), {
      what: 'the update',
    });
  });

  test('another replica runs the server when the owner disconnects it', async () => {
    const [owner, other, before] = await roles();
    expect((await owner.post('/api/servers/s/disconnect', undefined, key())).status).toBe(200);
    await waitFor(async () => (await statusOn(other)).replica !== before, { what: 'the next owner' });
    await waitUntilConnected(other);
    expect((await other.post('/api/tools/mcp_s_echo/call', { arguments: { text: 'moved' } }, key())).status).toBe(200);
    expect((await owner.post('/api/servers/s/connect', undefined, key())).status).toBe(200);
    const { body } = await owner.post('/api/tools/mcp_s_echo/call', { arguments: { text: 'forwarded' } }, key());
    expect(body).toMatchObject({ text: 'forwarded' });
  });
});
