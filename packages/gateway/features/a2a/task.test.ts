import { Message, type StreamResponse, TaskState } from '@a2a-js/sdk';
import { expect, test } from 'vitest';
import { toCall } from '../../../../test/support/a2a.ts';
import type { JsonObject } from '../../../contract/json.ts';
import type { CatalogEntry } from '../../../toolwharf/catalog/catalog.ts';
import { RunningCall } from '../../../toolwharf/invocation/call.ts';
import { failureResult } from '../../../toolwharf/invocation/shape-result.ts';
import type { ToolResult } from '../../../toolwharf/kernel/tool.ts';
import type { ApprovalRequest } from '../../../toolwharf/policy/approval.ts';
import { watchTask } from '../tasks/shared-tasks.ts';
import { viewOf } from '../tasks/task-view.ts';
import { toEvents, toTask } from './task.ts';

const stays = new AbortController().signal;

/** A task whose call the test takes through its states. */
function createTask() {
  const ended = Promise.withResolvers<ToolResult>();
  const call = new RunningCall({
    id: 'c',
    entry: { name: 'mcp_s_echo', originalName: 'echo', definitionHash: 'h' } as CatalogEntry,
    arguments: {},
    caller: { id: 'ada', kind: 'client' },
    host: {},
    outer: undefined,
    now: () => '2026-11-01T12:00:00.000Z',
  });
  call.result = ended.promise;
  const detail = Message.toJSON(toCall('s__echo', {}).message as Message) as JsonObject;
  const read = () => viewOf(call, { detail });
  return {
    call,
    read,
    watch: (gone: AbortSignal) => toEvents(watchTask(call, gone, read)),
    end(result: ToolResult = { callId: 'c', content: [{ type: 'text', text: 'done' }], text: 'done', isError: false }) {
      call.setState('ended');
      call.emit({ type: 'ended', result });
      ended.resolve(result);
    },
    progress(progress: number) {
      call.progress = { progress };
      call.emit({ type: 'progress', progress: { progress } });
    },
  };
}

/** The kind of an event and the state it carries. */
const describeEvent = ({ payload }: StreamResponse) =>
  payload?.$case === 'statusUpdate' ? payload.value.status?.state : payload?.$case;

test('a watcher receives the current task and then every change until the call ends', async () => {
  const { call, watch, end } = createTask();
  const watching = watch(stays);
  const events = [(await watching.next()).value as StreamResponse];
  call.approval = { id: 'a', reason: 'the profile asks', expiresAt: 'noon' } as ApprovalRequest;
  call.emit({ type: 'approval-asked', request: call.approval });
  events.push((await watching.next()).value as StreamResponse);
  call.approval = undefined;
  end();
  for await (const event of watching) events.push(event);
  expect(events.map(describeEvent)).toEqual([
    'task',
    TaskState.TASK_STATE_AUTH_REQUIRED,
    'artifactUpdate',
    TaskState.TASK_STATE_COMPLETED,
  ]);
});

test('a slow watcher receives only the latest of several progress messages', async () => {
  const { call, watch, progress, end } = createTask();
  call.start({});
  const watching = watch(stays);
  await watching.next();
  for (let step = 0; step < 1_000; step++) progress(step);
  expect(JSON.stringify((await watching.next()).value)).toContain('999');
  end(failureResult('c', 'TOOL_FAILED', 'broken'));
  expect(describeEvent((await watching.next()).value as StreamResponse)).toBe(TaskState.TASK_STATE_FAILED);
  expect((await watching.next()).done).toBe(true);
});

test('a watcher that disconnects receives no more changes, and the call forgets it', async () => {
  const { call, watch } = createTask();
  const disconnected = new AbortController();
  const watching = watch(disconnected.signal);
  await watching.next();
  const next = watching.next();
  disconnected.abort();
  expect((await next).done).toBe(true);
  expect(call.hasListeners).toBe(false);
});

test('a task that has ended is read twice with the same content', async () => {
  const { read, end } = createTask();
  end(failureResult('c', 'CALL_CANCELLED', 'enough'));
  const first = toTask(await read());
  expect(first.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
  expect(toTask(await read())).toEqual(first);
});
