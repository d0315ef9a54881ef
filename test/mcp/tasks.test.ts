import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { JsonObject } from '../../src/kernel/json.ts';
import { fixture } from '../support/fixtures.ts';
import { connectMcp, type McpClient, usualAnswers } from '../support/mcp-client.ts';
import { type ServedMcp, serveMcp } from '../support/serve-mcp.ts';
import { openTaskClient, type TaskClient } from '../support/task-client.ts';
import { waitFor } from '../support/wait-for.ts';

const eras = ['legacy', 'modern'] as const;
const gateways = new Map<string, ServedMcp>();
beforeAll(async () => {
  for (const era of eras)
    gateways.set(era, await serveMcp({ subject: { ...fixture('tasks', { ERA: era }), protocol: era } }));
});
afterAll(async () => {
  for (const gateway of gateways.values()) await gateway[Symbol.asyncDispose]();
});

const call = (name: string, args: JsonObject = {}) => ({ name, arguments: args });
const answered = { confirm: { action: 'accept', content: { confirm: true } } };

/** The task in a status, or when it has ended. */
async function reach(client: Pick<TaskClient, 'send'>, taskId: unknown, status: string): Promise<JsonObject> {
  let task: JsonObject = {};
  await waitFor(async () => {
    task = await client.send('tasks/get', { taskId });
    return task.status === status || task.result !== undefined || task.error !== undefined;
  });
  return task;
}

/** Requests of a client of revision 2025-11-25. */
function requester({ client }: McpClient) {
  return async (method: string, params: JsonObject): Promise<JsonObject> =>
    (await client.request({ method, params }, z.looseObject({}))) as JsonObject;
}

describe.each(eras)('in front of a %s server that has tasks', (era) => {
  const open = (options?: Parameters<typeof openTaskClient>[1]) =>
    openTaskClient(gateways.get(era)?.url ?? '', options);

  test('a client of the extension answers the question of its task and gets the result', async () => {
    using client = open();
    const { taskId, resultType } = await client.send('tools/call', call('confirm_delete', { filename: 'a' }));
    expect(resultType).toBe('task');
    const { inputRequests } = await reach(client, taskId, 'input_required');
    expect(inputRequests).toMatchObject({
      confirm: { method: 'elicitation/create', params: { message: 'Delete a?' } },
    });
    expect(await client.send('tasks/update', { taskId, inputResponses: answered })).toMatchObject({
      resultType: 'complete',
    });
    const { status, result } = await reach(client, taskId, 'completed');
    expect(status).toBe('completed');
    expect(JSON.stringify(result)).toContain('a: {\\"action\\":\\"accept\\"');
    expect(JSON.stringify(result)).not.toContain('related-task');
  });

  test('only the caller of a task can get, answer or cancel it', async () => {
    using ada = open({ caller: 'ada' });
    using eve = open({ caller: 'eve' });
    const { taskId } = await ada.send('tools/call', call('confirm_delete', { filename: 'b' }));
    await reach(ada, taskId, 'input_required');
    for (const method of ['tasks/get', 'tasks/cancel'])
      await expect(eve.send(method, { taskId })).rejects.toMatchObject({ code: -32602 });
    await expect(eve.send('tasks/update', { taskId, inputResponses: answered })).rejects.toThrow('There is no task');
    await ada.send('tasks/cancel', { taskId });
    expect((await ada.send('tasks/get', { taskId })).status).toBe('cancelled');
  });

  test('a tool that runs only as a task works for a client without tasks', async () => {
    await using client = await connectMcp(gateways.get(era)?.url ?? '', 'modern');
    const result = await client.client.callTool(call('failing_job') as never);
    expect(result).toMatchObject({ isError: true, content: [{ text: 'The job failed' }] });
  });

  test('the question of a task is put to a client without tasks during its call', async () => {
    const url = gateways.get(era)?.url ?? '';
    await using client = await connectMcp(url, 'legacy', { answers: usualAnswers });
    expect(await client.text('confirm_delete', { filename: 'c' })).toContain('c: ');
  });

  test('a client of revision 2025-11-25 runs a tool as a task: questions, result, status and list', async () => {
    const url = gateways.get(era)?.url ?? '';
    await using client = await connectMcp(url, 'legacy', { caller: `v1-${era}`, answers: usualAnswers });
    const request = requester(client);
    expect(client.client.getServerCapabilities()).toMatchObject({ tasks: { requests: { tools: { call: {} } } } });
    const { task } = await request('tools/call', {
      ...call('confirm_delete', { filename: 'd' }),
      task: { ttl: 5_000 },
    });
    const { taskId, ttl } = task as JsonObject;
    expect(ttl).toBe(5_000);
    const result = await request('tasks/result', { taskId });
    expect(JSON.stringify(result.content)).toContain('d: ');
    expect(result._meta).toMatchObject({ 'io.modelcontextprotocol/related-task': { taskId } });
    expect(await request('tasks/get', { taskId })).toMatchObject({ taskId, status: 'completed' });
    const { tasks } = await request('tasks/list', {});
    expect(tasks).toMatchObject([{ taskId, status: 'completed' }]);
    await expect(request('tasks/cancel', { taskId })).rejects.toMatchObject({ code: -32602 });
    await waitFor(() => client.notices.some(({ method, params }) => isEnd(method, params, taskId)));
  });

  test('a subscription reports the status of a task until its result', async () => {
    using client = open();
    const { taskId } = await client.send('tools/call', call('confirm_delete', { filename: 'e' }));
    await reach(client, taskId, 'input_required');
    using watcher = open();
    const left = new AbortController();
    const messages = watcher.listen({ taskIds: [taskId, 'not-mine'] }, left.signal);
    const next = async () => (await messages.next()).value as JsonObject;
    expect(await next()).toMatchObject({ params: { notifications: { taskIds: [taskId] } } });
    expect(await next()).toMatchObject({ method: 'notifications/tasks', params: { status: 'input_required' } });
    await client.send('tasks/update', { taskId, inputResponses: answered });
    let params = (await next()).params as JsonObject;
    while (params.status !== 'completed') params = (await next()).params as JsonObject;
    expect(params).toMatchObject({ taskId, result: { content: [{ type: 'text' }] } });
    left.abort();
  });
});

test('a call that a client of the extension cancelled before it is a task ends with the request', async () => {
  await using gateway = await serveMcp({ subject: fixture('legacy') });
  using client = openTaskClient(gateway.url);
  const left = new AbortController();
  const gone = client.answer('tools/call', call('sleep', { ms: 60_000 }), left.signal).catch(() => 'gone');
  await waitFor(() => gateway.toolbox.calls.stats().running > 0);
  left.abort();
  expect(await gone).toBe('gone');
  await waitFor(async () => (await gateway.toolbox.calls.list()).some(({ end }) => end === 'cancelled'));
});

test('a long call of a server without tasks becomes a task, which its client can leave and cancel', async () => {
  await using gateway = await serveMcp({ subject: fixture('legacy') });
  using client = openTaskClient(gateway.url);
  const { taskId, ttlMs } = await client.send('tools/call', call('sleep', { ms: 600_000 }));
  expect(ttlMs).toBe(24 * 3_600_000);
  client[Symbol.dispose]();
  using returned = openTaskClient(gateway.url);
  expect(await returned.send('tasks/get', { taskId })).toMatchObject({ status: 'working' });
  const [record] = await gateway.toolbox.calls.list();
  expect(record).toMatchObject({ id: taskId, status: 'running', task: { profile: 'default' } });
  await returned.send('tasks/cancel', { taskId });
  expect(await returned.send('tasks/get', { taskId })).toMatchObject({ status: 'cancelled' });
});

function isEnd(method: string, params: JsonObject, taskId: unknown): boolean {
  return method === 'notifications/tasks/status' && params.taskId === taskId && params.status === 'completed';
}
