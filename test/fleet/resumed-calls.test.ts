import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseExactly } from '../../packages/toolwharf/kernel/exact-json.ts';
import type { TestApi } from '../support/api.ts';
import { fixture } from '../support/fixtures.ts';
import { connectMcp } from '../support/mcp-client.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { waitFor } from '../support/wait-for.ts';
import { type LostReplica, startLostReplica } from './lost-replica.ts';
import { type Replicas, startReplicas } from './replicas.ts';

const source = {
  servers: { s: fixture('legacy'), exact: fixture('exact') },
  toolbox: { approval: { ask: ['*_add', '*_other', 'saved'] }, chains: { saved: { code: "'done'" } } },
  profiles: { scripts: { expose: 'code' as const } },
};
const path = '/api/tools/mcp_s_add/call';
let postgres: TestPostgres;
let replicas: Replicas;
beforeAll(async () => {
  postgres = await startPostgres();
  replicas = await startReplicas(postgres, source);
});
afterAll(async () => {
  await replicas?.[Symbol.asyncDispose]();
  await postgres.stop();
});

let sum = 0;

/** Starts a call on a replica that is killed while the call waits for approval. */
async function loseWaitingCall(lost: LostReplica, input: object = {}, called = path) {
  const [one] = replicas.all;
  const callId = crypto.randomUUID();
  const args = { a: ++sum, b: 0 };
  const body = { arguments: args, callId, ...input };
  const calling = lost.send('POST', called, body).catch((cause) => cause);
  const approval = await waitFor(
    async () =>
      (await one.get('/api/approvals?status=pending')).body.approvals.find(
        (found: { callId: string }) => found.callId === callId,
      ),
    { what: 'the approval' },
  );
  await waitFor(async () => (await one.get(`/api/calls/${callId}`)).body.awaiting, { what: 'the record of the call' });
  await lost.kill();
  expect(await calling).toBeInstanceOf(Error);
  await one.storage.audit.recover();
  return { callId, approval, args };
}

const readCall = async (replica: TestApi, id: string) => (await replica.get(`/api/calls/${id}`)).body;

async function recordsOf(args: { a: number }) {
  const { body } = await replicas.all[0].get('/api/calls?tool=mcp_s_add&limit=100');
  return body.calls.filter((call: { arguments: { a?: number } }) => call.arguments.a === args.a);
}

test('a call that waited for approval on a killed replica runs once on another after the answer', async () => {
  const [one, two] = replicas.all;
  await using lost = await startLostReplica(replicas, source);
  const idempotencyKey = crypto.randomUUID();
  const { callId, approval, args } = await loseWaitingCall(lost, { idempotencyKey });
  expect(await readCall(two, callId)).toMatchObject({ status: 'pending' });
  // The client repeats its request with its key.
  const repeated = two.post(path, { arguments: args, idempotencyKey });
  await two.post(`/api/approvals/${approval.id}/answer`, { answer: 'allow' });
  const { status, body } = await repeated;
  expect([status, body.callId]).toEqual([200, callId]);
  expect(body.text).toContain(String(args.a));
  expect(await readCall(one, callId)).toMatchObject({ status: 'success', approval: { answer: 'allow' } });
  expect((await recordsOf(args)).filter((call: { startedAt?: string }) => call.startedAt)).toHaveLength(1);
});

test('a call that continues on another replica keeps all digits of its arguments', async () => {
  const [, two] = replicas.all;
  await using lost = await startLostReplica(replicas, source);
  const exactPath = '/api/tools/mcp_exact_other/call';
  const body = { arguments: { n: parseExactly('9007199254740993') }, idempotencyKey: crypto.randomUUID() };
  const { approval } = await loseWaitingCall(lost, body, exactPath);
  const repeated = two.post(exactPath, body);
  await two.post(`/api/approvals/${approval.id}/answer`, { answer: 'allow' });
  expect((await repeated).body.text).toContain('"arguments":{"n":9007199254740993}');
});

test('a saved script that waited for approval on a killed replica begins on another only after the answer', async () => {
  await using lost = await startLostReplica(replicas, source);
  const { callId, approval } = await loseWaitingCall(lost, { arguments: {} }, '/api/tools/saved/call');
  const [one, two] = replicas.all;
  await waitFor(() => [one, two].some(({ toolbox }) => toolbox.calls.find(callId)?.state === 'awaiting-approval'), {
    what: 'the call on another replica',
  });
  expect(await readCall(one, callId)).toMatchObject({ status: 'pending' });
  await two.post(`/api/approvals/${approval.id}/answer`, { answer: 'allow' });
  await waitFor(async () => (await readCall(one, callId)).status === 'success', { what: 'the end of the script' });
});

test('a call of a killed replica is denied or cancelled on another', async () => {
  const [one, two] = replicas.all;
  await using lost = await startLostReplica(replicas, source);
  const { callId, approval } = await loseWaitingCall(lost);
  const denial = await two.post(`/api/approvals/${approval.id}/answer`, { answer: 'deny', reason: 'not today' });
  expect(denial.status).toBe(200);
  let call: { status?: string } = {};
  const hasEnded = async () => {
    call = await readCall(one, callId);
    return call.status === 'error';
  };
  await waitFor(hasEnded, { what: () => `the end of the call: ${JSON.stringify(call)}` });
  expect(await readCall(two, callId)).toMatchObject({ end: 'denied', error: { code: 'CALL_DENIED' } });
  await using another = await startLostReplica(replicas, source);
  const waiting = await loseWaitingCall(another);
  await waitFor(async () => (await two.post(`/api/calls/${waiting.callId}/cancel`)).status === 204, {
    what: 'the cancellation',
  });
  expect(await readCall(one, waiting.callId)).toMatchObject({ status: 'error', end: 'cancelled' });
});

test('a client that repeats its call without a key needs no second approval, and the tool runs once', async () => {
  const [one, two] = replicas.all;
  await using lost = await startLostReplica(replicas, source);
  const { approval, args } = await loseWaitingCall(lost);
  const repeated = two.post(path, { arguments: args });
  await waitFor(async () => (await recordsOf(args)).length === 2, { what: 'the repeated call' });
  await one.post(`/api/approvals/${approval.id}/answer`, { answer: 'allow' });
  await repeated;
  // The repeated call goes first; on a busy machine the resumed one may. The answer allows only one of them.
  const statuses = await waitFor(
    async () => {
      const found = (await recordsOf(args)).map(({ status }: { status: string }) => status).sort();
      return found.every((status: string) => status === 'success' || status === 'error') ? found : undefined;
    },
    { what: 'the end of both calls' },
  );
  expect(statuses).toEqual(['error', 'success']);
  expect((await recordsOf(args)).filter((call: { startedAt?: string }) => call.startedAt)).toHaveLength(1);
});

test('a call that was running on a killed replica has an unknown outcome', async () => {
  const [one] = replicas.all;
  await using lost = await startLostReplica(replicas, source);
  const callId = crypto.randomUUID();
  lost.send('POST', '/api/tools/mcp_s_sleep/call', { arguments: { ms: 600_000 }, callId }).catch(() => {});
  await waitFor(async () => (await one.get(`/api/calls/${callId}`)).body.status === 'running', { what: 'the call' });
  await lost.kill();
  await one.storage.audit.recover();
  expect(await readCall(one, callId)).toMatchObject({ end: 'unknown-outcome', error: { code: 'OUTCOME_UNKNOWN' } });
});

test('a script of a killed replica goes on on another after the answer, without repeating its calls', async () => {
  const [one, two] = replicas.all;
  await using lost = await startLostReplica(replicas, source);
  const marker = `script-${crypto.randomUUID()}`;
  const code = `
    const first = await tools.s.echo({ text: '${marker}' });
    const sum = await tools.s.add({ a: ${++sum}, b: 1 });
    [first, String(sum), await tools.s.echo({ text: 'after' })]`;
  await using client = await connectMcp(`${lost.url}/mcp/scripts`, 'modern');
  client.client.callTool({ name: 'run_code', arguments: { code } }).catch(() => {});
  const approval = await waitFor(
    async () =>
      (await one.get('/api/approvals?status=pending')).body.approvals.find(
        ({ arguments: args }: { arguments: { a?: number } }) => args.a === sum,
      ),
    { what: 'the approval' },
  );
  const { parent } = await readCall(one, approval.callId);
  await lost.kill();
  await one.storage.audit.recover();
  await two.post(`/api/approvals/${approval.id}/answer`, { answer: 'allow' });
  const ended = await waitFor(
    async () => {
      const script = await readCall(two, parent.id);
      return script.completedAt === undefined ? undefined : script;
    },
    { what: 'the end of the script' },
  );
  expect(ended).toMatchObject({
    status: 'success',
    result: { structuredContent: { result: [marker, expect.stringContaining(String(sum + 1)), 'after'] } },
  });
  const { calls } = (await one.get('/api/calls?tool=mcp_s_echo&limit=100')).body;
  expect(calls.filter((call: { arguments: { text: string } }) => call.arguments.text === marker)).toHaveLength(1);
});
