import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestApi } from '../support/api.ts';
import { fixture } from '../support/fixtures.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { waitFor } from '../support/wait-for.ts';
import { type Replicas, startReplicas } from './replicas.ts';

const source = { servers: { s: fixture('legacy') }, toolbox: { approval: { ask: ['*_add'] } } };
let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

/** Starts a call on the first replica, and waits until another replica could continue it. */
async function startWaitingCall({ all: [one, two] }: Replicas, input: object = {}) {
  const callId = crypto.randomUUID();
  const answer = one.post('/api/tools/mcp_s_add/call', { arguments: { a: 1, b: 2 }, callId, ...input });
  const { awaiting } = await waitFor(
    async () => {
      const { body } = await two.get(`/api/calls/${callId}`);
      return body.awaiting ? body : undefined;
    },
    { what: 'the approval' },
  );
  const allow = () => two.post(`/api/approvals/${awaiting.approval}/answer`, { answer: 'allow' });
  return { callId, answer, allow };
}

function waitForEnd(replica: TestApi, callId: string) {
  return waitFor(
    async () => {
      const { body } = await replica.get(`/api/calls/${callId}`);
      return body.status === 'success' || body.status === 'error' ? body : undefined;
    },
    { what: 'the end of the call' },
  );
}

test('a replica that lost its lease leaves a waiting call to another one, and tells its client so', async () => {
  await using replicas = await startReplicas(postgres, source);
  const [one, two] = replicas.all;
  const { callId, answer, allow } = await startWaitingCall(replicas);
  await replicas.database.sql(`update owners set expires_at = 0 where id = '${one.storage.fleet?.replica}'`);
  await two.storage.audit.recover();
  await one.storage.fleet?.lease.renew();
  expect((await answer).body).toMatchObject({ error: { code: 'OUTCOME_UNKNOWN' } });
  expect((await allow()).status).toBe(200);
  expect(await waitForEnd(one, callId)).toMatchObject({ status: 'success', replica: two.storage.fleet?.replica });
  // Nothing that the first replica does later changes the record.
  await one.storage.audit.recover();
  expect((await two.get(`/api/calls/${callId}`)).body.status).toBe('success');
});

test('a call that waits for approval on a replica that stops goes on on another one without waiting for the lease', async () => {
  await using replicas = await startReplicas(postgres, source);
  const [one, two] = replicas.all;
  const idempotencyKey = crypto.randomUUID();
  const { callId, answer, allow } = await startWaitingCall(replicas, { idempotencyKey });
  const closing = one.close();
  expect((await answer).body).toMatchObject({ error: { code: 'OUTCOME_UNKNOWN' } });
  await closing;
  const repeated = two.post('/api/tools/mcp_s_add/call', { arguments: { a: 1, b: 2 }, idempotencyKey });
  expect((await allow()).status).toBe(200);
  expect((await repeated).body).toMatchObject({ callId, text: expect.stringContaining('3') });
  expect(await waitForEnd(two, callId)).toMatchObject({ status: 'success', replica: two.storage.fleet?.replica });
});

test('a call that was handed over by a replica that stopped can be cancelled on another one', async () => {
  await using replicas = await startReplicas(postgres, source);
  const [one, two] = replicas.all;
  const { callId, answer } = await startWaitingCall(replicas);
  await one.close();
  await answer;
  expect((await two.post(`/api/calls/${callId}/cancel`)).status).toBe(204);
  expect(await waitForEnd(two, callId)).toMatchObject({ status: 'error', error: { code: 'CALL_CANCELLED' } });
});
