import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chatEventSchemas } from '../../packages/contract/api/chat.ts';
import { createGate, type Script } from '../fixtures/models/scripted-chat-server.ts';
import type { TestApi } from '../support/api.ts';
import { listenTo } from '../support/event-source.ts';
import { fixture } from '../support/fixtures.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { addScriptedAssistant, answerIn, type ScriptedAssistant } from '../support/scripted-assistant.ts';
import { waitFor } from '../support/wait-for.ts';
import { startLostReplica } from './lost-replica.ts';
import { type Replicas, startReplicas } from './replicas.ts';

const source = { servers: { files: fixture('legacy') }, toolbox: { approval: { ask: ['*_add'] } } };
let postgres: TestPostgres;
let replicas: Replicas;
let assistant: ScriptedAssistant;
beforeAll(async () => {
  postgres = await startPostgres();
  replicas = await startReplicas(postgres, source, 3);
  assistant = await addScriptedAssistant(replicas.all[0], []);
});
afterAll(async () => {
  await replicas?.[Symbol.asyncDispose]();
  await assistant?.[Symbol.asyncDispose]();
  await postgres.stop();
});

const watch = (api: TestApi, path: string) => listenTo(api.url, { path: `${path}/events`, schemas: chatEventSchemas });

const replicasByNumber = () => replicas.all as unknown as readonly [TestApi, TestApi, TestApi];

test('an answer streams to watchers of every replica as it grows, and stops from another replica', async () => {
  const [one, two, three] = replicasByNumber();
  const gate = createGate();
  assistant.model.push({ text: ['The first ', 'words'], hold: gate });
  const { path } = await assistant.begin();
  // One watches from before the answer, the other joins it.
  await using early = await watch(two, path);
  await early.find('snapshot');
  await one.post(`${path}/messages`, { text: 'Go on' });
  const hasWords = (data: unknown) => JSON.stringify(data).includes('words');
  await waitFor(() => early.events.some(({ data }) => hasWords(data)), { what: 'the words on the second replica' });
  await using late = await watch(three, path);
  await waitFor(() => late.events.some(({ data }) => hasWords(data)), { what: 'the words on the third replica' });
  expect((await three.post(`${path}/stop`)).status).toBe(204);
  gate.open();
  const isStopped = ({ name, data }: { name: string; data: { message?: { status?: string } } }) =>
    name === 'message' && data.message?.status === 'stopped';
  for (const stream of [early, late])
    await waitFor(() => stream.events.some(isStopped as never), { what: 'the end of the answer' });
  expect((await answerIn(two, path)).status).toBe('stopped');
});

test('a call of an answer is approved on another replica', async () => {
  const [one, two, three] = replicasByNumber();
  assistant.model.push({ calls: [{ name: 'mcp_files_add', args: { a: 2, b: 3 } }] }, { text: 'It is five.' });
  const { id, path } = await assistant.begin();
  await one.post(`${path}/messages`, { text: 'Add' });
  const approval = await waitFor(
    async () =>
      (await two.get('/api/approvals?status=pending')).body.approvals.find(
        ({ caller }: { caller: { conversation?: string } }) => caller.conversation === id,
      ),
    { what: 'the approval' },
  );
  await two.post(`/api/approvals/${approval.id}/answer`, { answer: 'allow' });
  expect(JSON.stringify((await answerIn(three, path)).parts)).toContain('It is five.');
});

test('a message, a new title and the removal on one replica reach the watchers of another', async () => {
  const [one, two, three] = replicasByNumber();
  assistant.model.push({ text: 'Second answer.' });
  const { path } = await assistant.begin();
  await using stream = await watch(two, path);
  await stream.find('snapshot');
  expect((await one.put(path, { title: 'Renamed' })).status).toBe(200);
  await waitFor(() => stream.events.some(({ data }) => JSON.stringify(data).includes('Renamed')), {
    what: 'the title',
  });
  await three.post(`${path}/messages`, { text: 'Hello' });
  await waitFor(() => stream.events.some(({ data }) => JSON.stringify(data).includes('Second answer.')), {
    what: 'the answer',
  });
  await answerIn(one, path);
  await three.delete(path);
  await stream.find('removed');
});

test('a conversation whose replica was killed is interrupted and can be continued', async () => {
  const [one, two] = replicasByNumber();
  await using lost = await startLostReplica(replicas, source);
  const gate = createGate();
  assistant.model.push({ text: ['Half of ', 'it'], hold: gate }, { text: 'The rest.' });
  const { path } = await assistant.begin();
  await using stream = await watch(one, path);
  await stream.find('snapshot');
  await lost.send('POST', `${path}/messages`, { text: 'Tell me' });
  await waitFor(() => stream.events.some(({ data }) => JSON.stringify(data).includes('Half of')), {
    what: 'the first words',
  });
  await lost.kill();
  gate.open();
  const answer = await answerIn(two, path);
  expect(answer).toMatchObject({ status: 'interrupted', problem: 'Toolwharf stopped during this answer.' });
  const isInterrupted = ({ data }: { data: { message?: { status?: string } } }) =>
    data.message?.status === 'interrupted';
  await waitFor(() => stream.events.some(isInterrupted as never), { what: 'the interruption on the stream' });
  expect((await two.post(`${path}/resume`)).status).toBeLessThan(300);
  expect(JSON.stringify((await answerIn(one, path)).parts)).toContain('The rest.');
});

test('scripts of assistants on a killed replica go on on another: one after an approval, one with an unknown outcome', async () => {
  const [one, two, three] = replicasByNumber();
  const writer = randomUUID();
  const model = { provider: assistant.provider, model: 'scripted' };
  const settings = { name: 'Script writer', model, serverIds: ['files'], expose: 'code', toolApproval: 'auto' };
  expect((await one.put(`/api/assistants/${writer}`, settings)).status).toBeLessThan(300);
  await using lost = await startLostReplica(replicas, source);
  const begin = async (code: string) => {
    assistant.model.push({ calls: [{ name: 'run_code', args: { code } }] });
    const { body } = await lost.send('POST', '/api/conversations', { assistantId: writer });
    await lost.send('POST', `/api/conversations/${body.id}/messages`, { text: 'Go' });
    return { id: String(body.id), path: `/api/conversations/${body.id}` };
  };
  const marker = randomUUID();
  const echoes = async (name: string): Promise<number> => {
    const { calls } = (await two.get('/api/calls?tool=mcp_files_echo&limit=100')).body;
    return calls.filter((call: { arguments: { text: string } }) => call.arguments.text === `${marker} ${name}`).length;
  };

  const waiting = await begin(`
    const first = await tools.files.echo({ text: '${marker} before' });
    await tools.files.add({ a: 20, b: 22 });
    [first, await tools.files.echo({ text: '${marker} after' })].length`);
  const approval = await waitFor(
    async () =>
      (await two.get('/api/approvals?status=pending')).body.approvals.find(
        ({ caller }: { caller: { conversation?: string } }) => caller.conversation === waiting.id,
      ),
    { what: 'the approval' },
  );
  const running = await begin(`
    await tools.files.echo({ text: '${marker} early' });
    const learnt = await tools.files.sleep({ ms: 600_000 }).catch((error) => error instanceof OutcomeUnknown && 'unknown');
    await tools.files.echo({ text: '${marker} late' });
    learnt`);
  await waitFor(async () => (await two.get('/api/calls?tool=mcp_files_sleep&status=running')).body.calls.length === 1, {
    what: 'the running call',
  });

  const repeatLast: Script = ({ last }) => ({ text: `Received: ${last}` });
  assistant.model.push(repeatLast, repeatLast);
  await lost.kill();
  expect((await two.post(`/api/approvals/${approval.id}/answer`, { answer: 'allow' })).status).toBe(200);
  const textIn = async (path: string) => {
    const { status, parts } = await answerIn(three, path);
    expect(status).toBe('complete');
    return parts.flatMap(({ type, text }) => (type === 'text' ? [text] : [])).join('');
  };
  expect(await textIn(waiting.path)).toBe('Received: 2');
  expect(await textIn(running.path)).toBe('Received: unknown');
  // No call was made twice.
  expect(await Promise.all(['before', 'after', 'early', 'late'].map(echoes))).toEqual([1, 1, 1, 1]);
});
