import { afterAll, beforeAll, expect, test } from 'vitest';
import { fixture } from '../support/fixtures.ts';
import { startMessageSink } from '../support/message-sink.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { waitFor } from '../support/wait-for.ts';
import { startReplicas } from './replicas.ts';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

test('calls of one caller on several replicas are announced once', async () => {
  await using sink = await startMessageSink();
  await using replicas = await startReplicas(postgres, {
    servers: { s: fixture('legacy') },
    toolbox: { approval: { mode: 'always-ask' } },
    gateway: { notifications: [{ name: 'hook', type: 'webhook', url: `${sink.url}/hook` }] },
  });
  const { adminToken: key } = replicas;
  const [one] = replicas.all;
  const calls = replicas.all.flatMap((replica, at) =>
    [1, 2].map((step) => replica.post('/api/tools/mcp_s_echo/call', { arguments: { text: `${at}-${step}` } }, { key })),
  );
  const announced = () =>
    sink.at('/hook').flatMap(({ body }) => body.approvals.map(({ id }: { id: string }) => id) as string[]);
  await waitFor(() => announced().length >= 4, { what: 'the announcements' });
  const { body } = await one.get('/api/approvals?status=pending', { key });
  const ids: string[] = body.approvals.map(({ id }: { id: string }) => id);
  expect(announced().toSorted()).toEqual(ids.toSorted());
  for (const id of ids) await one.post(`/api/approvals/${id}/answer`, { answer: 'allow' }, { key });
  for (const call of await Promise.all(calls)) expect(call.body.isError ?? false).toBe(false);
  expect(announced()).toHaveLength(4);
});
