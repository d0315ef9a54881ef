import type { AgentCard, Message, SendMessageRequest, Task } from '@a2a-js/sdk';
import { ServerCallContext } from '@a2a-js/sdk/server';
import { expect, test } from 'vitest';
import { toCall, toSend, words } from '../../../test/support/a2a.ts';
import type { Call } from '../../invocation/call.ts';
import type { View } from '../mcp/view.ts';
import { createSharedTasks } from '../tasks/shared-tasks.ts';
import { createTaskBoard, type TaskBoardOptions } from '../tasks/task-board.ts';
import { noTraces } from '../traces/traces.ts';
import { createRequestHandler } from './request-handler.ts';

/** A handler with one tool that never ends, a function that sends messages to it, and the number of calls. */
function handlerFor(options: TaskBoardOptions = {}) {
  let started = 0;
  const board = createTaskBoard(options);
  const caller = { id: 'ada', kind: 'client' } as const;
  const findTool = (name: string) => (name === 'tool' ? { name: 'mcp_tool', originalName: 'tool' } : undefined);
  const handler = createRequestHandler(
    {
      caller,
      profile: { name: 'default' } as never,
      view: { tools: [], findTool } as unknown as View,
      card: () => ({}) as AgentCard,
      gone: new AbortController().signal,
      bytes: 10,
      traceparent: undefined,
    },
    {
      toolbox: {
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

test('missing ids, ids that are too long and push notifications are rejected', async () => {
  const { send } = handlerFor();
  await expect(send(toSend([words('x')], { messageId: '' }))).rejects.toThrow('A message needs a messageId');
  for (const member of ['messageId', 'contextId'])
    await expect(send(toSend([words('x')], { [member]: 'x'.repeat(191) }))).rejects.toThrow(`${member} is longer`);
  const taskPushNotificationConfig = { tenant: '', id: '', taskId: '', url: 'x', token: '', authentication: undefined };
  const configuration = { acceptedOutputModes: [], returnImmediately: false, taskPushNotificationConfig };
  await expect(send({ ...toCall('tool', {}), configuration })).rejects.toThrow('Push Notification');
});
