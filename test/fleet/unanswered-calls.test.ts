import { afterAll, beforeAll, expect, test } from 'vitest';
import { startDeafHttp } from '../support/deaf-http.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { patienceMs, waitFor } from '../support/wait-for.ts';
import { startReplicas } from './replicas.ts';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

test('a cancelled call keeps its permit for all replicas until the server answers late', async () => {
  await using server = await startDeafHttp();
  const tool = { maxInstances: 1, timeout: patienceMs };
  const deaf = { url: server.url, protocol: 'legacy' as const, cancelGrace: 4 * patienceMs, defaultToolConfig: tool };
  await using replicas = await startReplicas(postgres, { servers: { deaf } });
  const key = { key: replicas.adminToken };
  const [one, two] = replicas.all;
  const work = (replica: typeof one, name: string) => {
    const callId = crypto.randomUUID();
    const ended = replica.post('/api/tools/mcp_deaf_work/call', { arguments: { name }, callId }, key);
    return { ended, callId };
  };
  const first = work(one, 'first');
  await waitFor(() => server.begun.length === 1, { what: 'the first call' });
  expect((await one.post(`/api/calls/${first.callId}/cancel`, {}, key)).status).toBeLessThan(300);
  expect((await first.ended).body).toMatchObject({ error: { code: 'CALL_CANCELLED' } });
  const second = work(two, 'second');
  await waitFor(() => two.toolbox.calls.stats().queued === 1, { what: 'the queued call' });
  await waitFor(() => server.methods.includes('notifications/cancelled'), { what: 'the cancellation' });
  expect(one.toolbox.calls.stats().unanswered).toBe(1);
  expect(server.begun).toEqual(['first']);
  server.answer();
  expect((await second.ended).body).toMatchObject({ text: 'second' });
  expect(server.begun).toEqual(['first', 'second']);
  expect(one.toolbox.calls.stats().unanswered).toBeUndefined();
});
