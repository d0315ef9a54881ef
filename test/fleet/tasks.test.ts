import { TaskState } from '@a2a-js/sdk';
import type { Client } from '@a2a-js/sdk/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectAgent, toCall } from '../support/a2a.ts';
import { fixture } from '../support/fixtures.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { openTaskClient, type TaskClient } from '../support/task-client.ts';
import { waitFor } from '../support/wait-for.ts';
import { type Replicas, startReplicas } from './replicas.ts';

let postgres: TestPostgres;
let replicas: Replicas;
beforeAll(async () => {
  postgres = await startPostgres();
  replicas = await startReplicas(
    postgres,
    {
      servers: {
        s: fixture('legacy'),
        t: fixture('tasks'),
        single: { ...fixture('tasks'), placement: 'single' },
      },
      toolbox: { approval: { ask: ['*_add'] } },
    },
    3,
  );
});
afterAll(async () => {
  await replicas?.[Symbol.asyncDispose]();
  await postgres.stop();
});

async function agents(): Promise<readonly [Client, Client, Client]> {
  const all = await Promise.all(replicas.all.map(({ url, adminToken }) => connectAgent(url, adminToken)));
  return all as unknown as readonly [Client, Client, Client];
}

test('a running task is found, listed, watched and cancelled on another replica', async () => {
  const [one, two, three] = await agents();
  const started = await one.sendMessage(toCall('s__sleep', { ms: 600_000 }, { returnImmediately: true }));
  const id = String((started as { id: string }).id);
  const stateOn = async (agent: Client) => (await agent.getTask({ tenant: '', id })).status?.state;
  await waitFor(async () => (await stateOn(two)) === TaskState.TASK_STATE_WORKING, { what: 'the task' });
  const states: unknown[] = [];
  const watching = (async () => {
    for await (const { payload } of three.resubscribeTask({ tenant: '', id }))
      if (payload?.$case === 'task' || payload?.$case === 'statusUpdate') states.push(payload.value.status?.state);
  })();
  await waitFor(() => states.length > 0, { what: 'the first event of the stream' });
  const listed = await two.listTasks({ tenant: '', contextId: '', status: 0, pageToken: '' } as never);
  expect(listed.tasks.map((task) => task.id)).toContain(id);
  const cancelled = await two.cancelTask({ tenant: '', id, metadata: undefined });
  expect(cancelled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
  await watching;
  expect(states.at(-1)).toBe(TaskState.TASK_STATE_CANCELED);
  expect(await stateOn(one)).toBe(TaskState.TASK_STATE_CANCELED);
});

test('an MCP task that asks a question is found, answered, watched and cancelled on other replicas', async () => {
  const [one, two, three] = replicas.all.map(({ url }) =>
    openTaskClient(`${url}/mcp`, { key: replicas.adminToken }),
  ) as [TaskClient, TaskClient, TaskClient];
  const create = (filename: string) =>
    one.send('tools/call', { name: 't__confirm_delete', arguments: { filename } }) as Promise<{ taskId: string }>;
  const statusOf = async (client: TaskClient, taskId: string) => (await client.send('tasks/get', { taskId })).status;
  const { taskId } = await create('a');
  await waitFor(async () => (await statusOf(two, taskId)) === 'input_required', { what: 'the question' });
  const left = new AbortController();
  const messages = three.listen({ taskIds: [taskId] }, left.signal);
  await messages.next();
  await two.send('tasks/update', { taskId, inputResponses: { confirm: { action: 'accept', content: {} } } });
  const statuses: unknown[] = [];
  while (statuses.at(-1) !== 'completed')
    statuses.push(((await messages.next()).value as { params: { status: unknown } }).params.status);
  left.abort();
  expect(await three.send('tasks/get', { taskId })).toMatchObject({
    status: 'completed',
    result: { content: [{ type: 'text' }] },
  });
  const other = await create('b');
  await three.send('tasks/cancel', { taskId: other.taskId });
  expect(await statusOf(two, other.taskId)).toBe('cancelled');
  for (const client of [one, two, three]) client[Symbol.dispose]();
});

test('a task of a server that one replica runs is created on any replica, and followed and answered on the others', async () => {
  const clients = replicas.all.map(({ url }) => openTaskClient(`${url}/mcp`, { key: replicas.adminToken }));
  const key = { key: replicas.adminToken };
  for (const replica of replicas.all)
    await waitFor(async () => (await replica.get('/api/servers/single', key)).body.status.state === 'connected', {
      what: 'the server',
    });
  // One of them runs the server, the others forward the call to it.
  for (const [index, creator] of clients.entries()) {
    const other = clients[(index + 1) % clients.length] as TaskClient;
    const filename = `file-${index}`;
    const created = await creator.send('tools/call', { name: 'single__confirm_delete', arguments: { filename } });
    const { taskId } = created as { taskId: string };
    const read = () => other.send('tasks/get', { taskId });
    await waitFor(async () => (await read()).status === 'input_required', { what: 'the question' });
    const path = `/api/calls/${taskId}`;
    await waitFor(
      async () => (await replicas.all[index]?.get(path, key))?.body.upstreamTask?.status === 'input_required',
      { what: "the status of the server's task" },
    );
    await other.send('tasks/update', { taskId, inputResponses: { confirm: { action: 'accept', content: {} } } });
    await waitFor(async () => (await read()).status === 'completed', { what: 'the end of the task' });
    expect(JSON.stringify((await read()).result)).toContain(filename);
  }
  for (const client of clients) client[Symbol.dispose]();
});

test('a message that is repeated on another replica finds its task', async () => {
  const [one, two] = await agents();
  const message = toCall('s__add', { a: 1, b: 2 }, { messageId: crypto.randomUUID() });
  const first = (await one.sendMessage(message)) as { id: string; status: { state: TaskState } };
  expect(first.status.state).toBe(TaskState.TASK_STATE_AUTH_REQUIRED);
  const repeated = (await two.sendMessage(message)) as typeof first;
  expect(repeated).toMatchObject({ id: first.id, status: { state: TaskState.TASK_STATE_AUTH_REQUIRED } });
  const [, second] = replicas.all;
  const key = { key: replicas.adminToken };
  const { body } = await second.get('/api/approvals?status=pending', key);
  expect(body.approvals).toHaveLength(1);
  await second.post(`/api/approvals/${body.approvals[0].id}/answer`, { answer: 'allow' }, key);
  await waitFor(
    async () => (await two.getTask({ tenant: '', id: first.id })).status?.state === TaskState.TASK_STATE_COMPLETED,
    { what: 'the end of the task' },
  );
});

test('a task that has ended is found after its replica has ended, and the message can be repeated', async () => {
  const [one, two, three] = await agents();
  const message = toCall('s__echo', { text: 'kept' }, { messageId: crypto.randomUUID(), contextId: 'the-context' });
  const { id } = (await three.sendMessage(message)) as { id: string };
  await replicas.all[2]?.close();
  for (const agent of [one, two]) {
    const task = await agent.getTask({ tenant: '', id });
    expect(task).toMatchObject({ id, contextId: 'the-context', status: { state: TaskState.TASK_STATE_COMPLETED } });
    expect(JSON.stringify(task.artifacts)).toContain('kept');
    expect(JSON.stringify(task.history)).toContain('s__echo');
  }
  expect(await two.sendMessage(message)).toMatchObject({ id, status: { state: TaskState.TASK_STATE_COMPLETED } });
  await expect(two.cancelTask({ tenant: '', id, metadata: undefined })).rejects.toThrow('nothing to cancel');
});
