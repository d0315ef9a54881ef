import { Role, type StreamResponse, TaskState } from '@a2a-js/sdk';
import { expect, test } from 'vitest';
import { createLiveTask } from './live-task.ts';

const message = {
  messageId: 'm',
  contextId: 'c',
  taskId: '',
  role: Role.ROLE_USER,
  parts: [],
  metadata: undefined,
  extensions: [],
  referenceTaskIds: [],
};
const artifact = { artifactId: 'result', name: 't', description: '', parts: [], metadata: undefined, extensions: [] };

/** The kind of an event and the state it carries. */
const describeEvent = ({ payload }: StreamResponse) =>
  payload?.$case === 'statusUpdate' ? payload.value.status?.state : payload?.$case;

test('a watcher receives the current task and then every change until the task ends', async () => {
  const live = createLiveTask('1', message);
  const watching = live.watch(new AbortController().signal);
  const results = [await watching.next()];
  live.setArtifact(artifact);
  live.setState(TaskState.TASK_STATE_COMPLETED);
  for (let next = await watching.next(); !next.done; next = await watching.next()) results.push(next);
  expect(results.map(({ value }) => describeEvent(value as StreamResponse))).toEqual([
    'task',
    'artifactUpdate',
    TaskState.TASK_STATE_COMPLETED,
  ]);
});

test('a slow watcher receives only the latest of several progress messages', async () => {
  const live = createLiveTask('1', message);
  const watching = live.watch(new AbortController().signal);
  await watching.next();
  for (let step = 0; step < 1_000; step++) live.setState(TaskState.TASK_STATE_WORKING, `step ${step}`);
  const { value } = await watching.next();
  expect(JSON.stringify(value)).toContain('step 999');
  live.setState(TaskState.TASK_STATE_FAILED);
  expect(describeEvent((await watching.next()).value as StreamResponse)).toBe(TaskState.TASK_STATE_FAILED);
  expect((await watching.next()).done).toBe(true);
});

test('a watcher that disconnects receives no more changes', async () => {
  const live = createLiveTask('1', message);
  const disconnected = new AbortController();
  const watching = live.watch(disconnected.signal);
  await watching.next();
  const next = watching.next();
  disconnected.abort();
  expect((await next).done).toBe(true);
});

test('a task that has ended does not change', () => {
  const live = createLiveTask('1', message);
  live.setState(TaskState.TASK_STATE_CANCELED, 'enough');
  const { task } = live;
  live.setState(TaskState.TASK_STATE_WORKING);
  live.setArtifact(artifact);
  expect([live.isOver, live.task]).toEqual([true, task]);
});
