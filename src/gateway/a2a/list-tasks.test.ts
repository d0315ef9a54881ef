import { type ListTasksRequest, type Task, TaskState } from '@a2a-js/sdk';
import { expect, test } from 'vitest';
import { listTasks, withHistory } from './list-tasks.ts';

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
