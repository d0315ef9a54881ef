import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { JsonObject } from '../../packages/contract/json.ts';
import { fixture, tempDir } from '../support/fixtures.ts';
import { connectMcp, type McpClient, usualAnswers } from '../support/mcp-client.ts';
import { type ServedMcp, serveMcp } from '../support/serve-mcp.ts';
import { openTaskClient, type TaskClient } from '../support/task-client.ts';
import { openToolbox } from '../support/toolbox.ts';
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
      confirm: { method: 'elicitation/create', params: { message: '[subject] Delete a?' } },
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

test('a task whose time is over cannot be found, listed, answered or cancelled', async () => {
  await using gateway = await serveMcp({ subject: fixture('tasks') });
  await using client = await connectMcp(gateway.url, 'legacy', { answers: usualAnswers });
  const request = requester(client);
  const create = async (ttl: number, filename: string) => {
    const { task } = await request('tools/call', { ...call('confirm_delete', { filename }), task: { ttl } });
    return (task as JsonObject).taskId;
  };
  const [short, long] = [await create(1, 'short'), await create(3_600_000, 'long')];
  await waitFor(
    async () =>
      await request('tasks/get', { taskId: short }).then(
        () => false,
        () => true,
      ),
  );
  for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel'])
    await expect(request(method, { taskId: short })).rejects.toThrow('it has expired');
  const { tasks } = await request('tasks/list', {});
  expect(tasks).toMatchObject([{ taskId: long }]);
  expect((await request('tasks/result', { taskId: long })).content).toBeDefined();
});

test('a caller with too many running tasks gets an error for a task that it asks for, and other callers do not', async () => {
  await using gateway = await serveMcp({ subject: fixture('legacy') }, { tasks: { maxTasksPerCaller: 2 } });
  await using ada = await connectMcp(gateway.url, 'legacy', { caller: 'ada' });
  await using eve = await connectMcp(gateway.url, 'legacy', { caller: 'eve' });
  const create = (client: McpClient) =>
    requester(client)('tools/call', { ...call('sleep', { ms: 600_000 }), task: {} }) as Promise<{ task: JsonObject }>;
  const first = await create(ada);
  await create(ada);
  await expect(create(ada)).rejects.toThrow('You have too many running tasks');
  // The call without a task does not run on.
  await waitFor(() => gateway.toolbox.calls.stats().running === 2);
  await create(eve);
  await requester(ada)('tasks/cancel', { taskId: first.task.taskId });
  await create(ada);
});

test('a client of the extension with too many running tasks gets the result instead of another task', async () => {
  await using gateway = await serveMcp({ subject: fixture('legacy') }, { tasks: { maxTasksPerCaller: 1 } });
  using client = openTaskClient(gateway.url);
  expect(await client.send('tools/call', call('sleep', { ms: 600_000 }))).toMatchObject({ resultType: 'task' });
  expect(await client.send('tools/call', call('sleep', { ms: 1_500 }))).toMatchObject({ resultType: 'complete' });
});

describe.each(['once', 'deny'])('a task that its own user has to approve, and who answers %s', (decision) => {
  const isAllowed = decision === 'once';
  const accept = (content: JsonObject) => ({ action: 'accept', content });

  test('a client of revision 2025-11-25 is asked for approval inside of the task, then the question of the tool', async () => {
    await using gateway = await serveMcp({ subject: fixture('tasks') }, { approval: 'always-ask' });
    const asked: string[] = [];
    const answers = {
      'elicitation/create': ({ message }: JsonObject) => {
        asked.push(String(message));
        return String(message).startsWith('Allow') ? accept({ answer: decision }) : accept({ confirm: true });
      },
    };
    await using client = await connectMcp(gateway.url, 'legacy', { answers });
    const request = requester(client);
    const { task } = await request('tools/call', { ...call('confirm_delete', { filename: 'f' }), task: {} });
    const { taskId } = task as JsonObject;
    await waitFor(async () => (await request('tasks/get', { taskId })).status === 'input_required');
    // Nothing has run: the question is the approval.
    expect((await gateway.toolbox.calls.list())[0]?.startedAt).toBeUndefined();
    const result = await request('tasks/result', { taskId });
    expect(asked[0]).toMatch(/^Allow confirm_delete of server subject to run/);
    expect(asked.slice(1)).toEqual(isAllowed ? ['Delete f?'] : []);
    expect(result.isError === true).toBe(!isAllowed);
    expect(JSON.stringify(result.content)).toContain(isAllowed ? 'f: ' : 'the user denied it');
  });

  test('a client of the extension is asked for approval in its request, then the question of the tool in the task', async () => {
    await using gateway = await serveMcp({ subject: fixture('tasks') }, { approval: 'always-ask' });
    using client = openTaskClient(gateway.url);
    const params = call('confirm_delete', { filename: 'g' });
    const { resultType, inputRequests, requestState } = await client.send('tools/call', params);
    expect(resultType).toBe('input_required');
    const [[key, question] = []] = Object.entries(inputRequests as Record<string, JsonObject>);
    expect(JSON.stringify(question)).toContain('Allow confirm_delete');
    const inputResponses = { [String(key)]: accept({ answer: decision }) };
    const next = await client.send('tools/call', { ...params, requestState, inputResponses });
    if (!isAllowed) {
      expect(next).toMatchObject({ resultType: 'complete', isError: true });
      return;
    }
    expect(next.resultType).toBe('task');
    const { taskId } = next;
    await reach(client, taskId, 'input_required');
    await client.send('tasks/update', { taskId, inputResponses: answered });
    expect(JSON.stringify((await reach(client, taskId, 'completed')).result)).toContain('g: ');
  });
});

test('the messages of the task as which a server runs a call are observed while it works', async () => {
  await using directory = await tempDir();
  await using toolbox = await openToolbox({ servers: { t: fixture('tasks') } });
  const messages = new Set<string | undefined>();
  toolbox.on('call.changed', ({ upstreamTask }) => messages.add(upstreamTask?.message));
  const path = directory.file('stage');
  const { result } = toolbox.start({ server: 't', tool: 'stages' }, { path });
  for (const stage of ['first', 'second']) {
    await waitFor(() => messages.has(`The ${stage} stage`), { what: `the ${stage} stage` });
    await writeFile(`${path}-${stage}`, '');
  }
  expect((await result).text).toBe('done');
});

function isEnd(method: string, params: JsonObject, taskId: unknown): boolean {
  return method === 'notifications/tasks/status' && params.taskId === taskId && params.status === 'completed';
}
