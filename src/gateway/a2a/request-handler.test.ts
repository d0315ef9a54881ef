import { type AgentCard, type Message, type SendMessageRequest, type Task, TaskState } from '@a2a-js/sdk';
import { ServerCallContext } from '@a2a-js/sdk/server';
import { expect, test } from 'vitest';
import { toCall, toSend, words } from '../../../test/support/a2a.ts';
import { collectLog } from '../../../test/support/fixtures.ts';
import type { Call } from '../../invocation/call.ts';
import type { ToolResult } from '../../kernel/tool.ts';
import type { View } from '../mcp/view.ts';
import { noTraces } from '../traces/traces.ts';
import { createRequestHandler } from './request-handler.ts';
import { createTaskBoard, type TaskBoardOptions } from './task-board.ts';

/** A handler with one tool that `call` implements, and functions that send messages to it. */
function handlerFor(call: () => Promise<ToolResult>, options: TaskBoardOptions = {}) {
  const { log, entries } = collectLog();
  const findTool = (name: string) => (name === 'tool' ? { name: 'mcp_tool', originalName: 'tool' } : undefined);
  const handler = createRequestHandler(
    {
      caller: { id: 'ada', kind: 'client' },
      profile: { name: 'default' } as never,
      view: { tools: [], findTool } as unknown as View,
      card: () => ({}) as AgentCard,
      gone: new AbortController().signal,
      bytes: 10,
      traceparent: undefined,
    },
    {
      toolbox: {
        start: () => ({ result: call(), subscribe: () => () => {} }) as unknown as Call,
        calls: { find: () => undefined },
      },
      hosts: { create: () => ({}), on: () => () => {} },
      questions: { list: () => [] },
      board: createTaskBoard(options),
      traces: noTraces,
      log,
    },
  );
  const send = (request: SendMessageRequest): Promise<Task | Message> =>
    handler.sendMessage(request, new ServerCallContext());
  return { send, entries };
}

const never = () => new Promise<never>(() => {});

test('a message is rejected with advice when the limit of tasks is reached', async () => {
  const { send } = handlerFor(never, { maxTasksPerCaller: 1 });
  await send(toCall('tool', {}, { returnImmediately: true }));
  await expect(send(toCall('tool', {}))).rejects.toThrow('You have too many tasks under way: wait for one to end');
});

test('an unexpected error fails the task and is logged', async () => {
  const { send, entries } = handlerFor(() => Promise.reject(new Error('out of paper')));
  const task = (await send(toCall('tool', {}))) as Task;
  expect(task.status?.state).toBe(TaskState.TASK_STATE_FAILED);
  expect(JSON.stringify(task)).not.toContain('out of paper');
  expect(entries.map(({ event }) => event)).toEqual(['a2a.failed']);
});

test('missing ids, ids that are too long and push notifications are rejected', async () => {
  const { send } = handlerFor(never);
  await expect(send(toSend([words('x')], { messageId: '' }))).rejects.toThrow('A message needs a messageId');
  for (const member of ['messageId', 'contextId'])
    await expect(send(toSend([words('x')], { [member]: 'x'.repeat(191) }))).rejects.toThrow(`${member} is longer`);
  const taskPushNotificationConfig = { tenant: '', id: '', taskId: '', url: 'x', token: '', authentication: undefined };
  const configuration = { acceptedOutputModes: [], returnImmediately: false, taskPushNotificationConfig };
  await expect(send({ ...toCall('tool', {}), configuration })).rejects.toThrow('Push Notification');
});
