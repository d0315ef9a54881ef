import {
  type AgentCard,
  type ListTasksRequest,
  type Message,
  type SendMessageRequest,
  type Task,
  TaskState,
} from '@a2a-js/sdk';
import { ServerCallContext } from '@a2a-js/sdk/server';
import { expect, test } from 'vitest';
import { toCall, toSend, words } from '../../../../test/support/a2a.ts';
import type { Call } from '../../../toolwharf/invocation/call.ts';
import { noTraces } from '../../core/calls/traces.ts';
import type { View } from '../../core/mcp/view.ts';
import { createSharedTasks } from '../tasks/shared-tasks.ts';
import { createTaskBoard, type TaskBoardOptions } from '../tasks/task-board.ts';
import { createRequestHandler, listTasks, withHistory } from './request-handler.ts';

/** A handler with one tool that never ends, a function that sends messages to it, and the number of calls. */
function handlerFor(options: TaskBoardOptions & { readonly hasListed?: boolean } = {}) {
  let started = 0;
  const board = createTaskBoard(options);
  const caller = { id: 'ada', kind: 'client' } as const;
  const findTool = (name: string) =>
    name === 'tool' ? { name: 'mcp_tool', originalName: 'tool', definition: {} } : undefined;
  const handler = createRequestHandler(
    {
      caller,
      profile: { name: 'default' } as never,
      view: { tools: [], findTool: options.hasListed === false ? () => undefined : findTool } as unknown as View,
      readView: () => ({ tools: [], findTool }) as unknown as View,
      card: () => ({}) as AgentCard,
      gone: new AbortController().signal,
      bytes: 10,
      traceparent: undefined,
    },
    {
      toolbox: {
        servers: {} as never,
        start(_entry, _args, { id = '' } = {}) {
          started++;
          const record = { id, caller, tool: 'tool', arguments: {}, createdAt: new Date(0).toISOString() };
          return { id, caller, state: 'running', record, result: new Promise(() => {}) } as unknown as Call;
        },
      },
      hosts: { create: () => ({}), on: () => () => {} },
      tasks: createSharedTasks({ toolbox: { calls: { find: () => undefined } }, board }),
      taskKey: Buffer.alloc(32),
      traces: noTraces,
    },
  );
  const send = (request: SendMessageRequest): Promise<Task | Message> =>
    handler.sendMessage(request, new ServerCallContext());
  return { send, started: () => started };
}

test('a message is rejected with advice, and starts no call, when the limit of tasks is reached', async () => {
  const { send, started } = handlerFor({ maxTasksPerCaller: 1 });
  await send(toCall('tool', {}, { returnImmediately: true }));
  await expect(send(toCall('tool', {}))).rejects.toThrow('You have too many running tasks: wait for one to end');
  expect(started()).toBe(1);
});

test('a tool that arrived after its list was read is found, although no server is starting any more', async () => {
  const { send, started } = handlerFor({ hasListed: false });
  await send(toCall('tool', {}, { returnImmediately: true }));
  expect(started()).toBe(1);
});

test('missing ids, ids that are too long and push notifications are rejected', async () => {
  const { send } = handlerFor();
  await expect(send(toSend([words('x')], { messageId: '' }))).rejects.toThrow('A message needs a messageId');
  for (const member of ['messageId', 'contextId'])
    await expect(send(toSend([words('x')], { [member]: 'x'.repeat(191) }))).rejects.toThrow(`${member} is longer`);
  const taskPushNotificationConfig = { tenant: '', id: '', taskId: '', url: 'x', token: '', authentication: undefined };
  const configuration = { acceptedOutputModes: [], returnImmediately: false, taskPushNotificationConfig };
  await expect(send({ ...toCall('tool', {}), configuration })).rejects.toThrow('Push Notification');
});

const all: ListTasksRequest = {
  tenant: '',
  contextId: '',
  status: TaskState.TASK_STATE_UNSPECIFIED,
  pageToken: '',
  statusTimestampAfter: undefined,
};

const taskOf = (id: string, second: number, state = TaskState.TASK_STATE_COMPLETED, contextId = 'c'): Task => ({
  id,
  contextId,
  status: { state, message: undefined, timestamp: `2026-01-01T00:00:0${second}.000Z` },
  artifacts: [],
  history: [],
  metadata: undefined,
});

const tasks = [taskOf('a', 1), taskOf('b', 3), taskOf('c', 2, TaskState.TASK_STATE_WORKING, 'other'), taskOf('d', 3)];
const idsOf = (filter: Partial<ListTasksRequest>) => listTasks(tasks, { ...all, ...filter }).tasks.map(({ id }) => id);

test('tasks are listed by their latest change', () => {
  expect(idsOf({})).toEqual(['d', 'b', 'c', 'a']);
});

test('tasks are filtered by context, state and time', () => {
  expect(idsOf({ contextId: 'other' })).toEqual(['c']);
  expect(idsOf({ status: TaskState.TASK_STATE_WORKING })).toEqual(['c']);
  expect(idsOf({ statusTimestampAfter: '2026-01-01T00:00:02.000Z' })).toEqual(['d', 'b']);
});

test('tasks are listed in pages, each of which starts where the previous one ended', () => {
  const pages: string[][] = [];
  let pageToken = '';
  do {
    const page = listTasks(tasks, { ...all, pageSize: 3, pageToken });
    pages.push(page.tasks.map(({ id }) => id));
    expect(page.totalSize).toBe(4);
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
  expect(pages).toEqual([['d', 'b', 'c'], ['a']]);
});

test('a list request with an invalid page size, time or state is rejected', () => {
  for (const wrong of [{ pageSize: 0 }, { pageSize: 101 }, { pageSize: 1.5 }])
    expect(() => idsOf(wrong)).toThrow('pageSize');
  expect(() => idsOf({ statusTimestampAfter: 'yesterday' })).toThrow('statusTimestampAfter');
  expect(() => idsOf({ status: TaskState.UNRECOGNIZED })).toThrow('status');
});

test('a task is returned with at most the requested number of messages', () => {
  const [task] = tasks;
  const message = { messageId: 'm' } as Task['history'][number];
  const long = { ...(task as Task), history: [message, message, message] };
  expect([undefined, 0, 2, 9].map((length) => withHistory(long, length).history.length)).toEqual([3, 0, 2, 3]);
});
