import { Role, TaskState } from '@a2a-js/sdk';
import { expect, test } from 'vitest';
import { createLiveTask } from './live-task.ts';
import { type BoardTask, createTaskBoard } from './task-board.ts';

function taskOf(id: string, owner = 'ada', bytes = 1): BoardTask {
  const about = { taskId: '', metadata: undefined, extensions: [], referenceTaskIds: [], parts: [] };
  const live = createLiveTask(id, { ...about, messageId: `m-${id}`, contextId: 'c', role: Role.ROLE_USER });
  return { live, owner, messageId: `m-${id}`, fingerprint: 'f', bytes, cancel: async () => {} };
}

function end(board: ReturnType<typeof createTaskBoard>, task: BoardTask, bytes = task.bytes): void {
  task.live.setState(TaskState.TASK_STATE_COMPLETED);
  board.end(task, bytes);
}

const idsOf = (tasks: readonly BoardTask[]) => tasks.map(({ live }) => live.id);

test('only its owner can find a task, by its id or by the message that started it', () => {
  const board = createTaskBoard();
  const task = taskOf('1');
  board.add(task);
  expect([board.find('ada', '1'), board.findMessage('ada', 'm-1')]).toEqual([task, task]);
  expect([board.find('bob', '1'), board.findMessage('bob', 'm-1')]).toEqual([undefined, undefined]);
  expect([idsOf(board.list('ada')), idsOf(board.list('bob'))]).toEqual([['1'], []]);
});

test('a task that has ended is removed after an hour, and a running task stays', () => {
  let now = 0;
  const board = createTaskBoard({ keepMs: 1_000, now: () => now });
  const [ended, running] = [taskOf('1'), taskOf('2')];
  board.add(ended);
  board.add(running);
  end(board, ended);
  now = 1_000;
  expect(idsOf(board.list('ada'))).toEqual(['1', '2']);
  now = 1_001;
  expect(idsOf(board.list('ada'))).toEqual(['2']);
});

test('a new task replaces the oldest ended task, of the same caller if that caller has too many', () => {
  const board = createTaskBoard({ maxTasks: 4, maxTasksPerCaller: 2 });
  const tasks = [taskOf('1', 'bob'), taskOf('2'), taskOf('3')];
  for (const task of tasks) {
    board.add(task);
    end(board, task);
  }
  board.add(taskOf('4'));
  expect([idsOf(board.list('ada')), idsOf(board.list('bob'))]).toEqual([['3', '4'], ['1']]);
  board.add(taskOf('5', 'eve'));
  board.add(taskOf('6', 'joe'));
  expect([idsOf(board.list('ada')), idsOf(board.list('bob'))]).toEqual([['3', '4'], []]);
});

test('a new task is rejected while all tasks are running', () => {
  const board = createTaskBoard({ maxTasks: 3, maxTasksPerCaller: 2 });
  board.add(taskOf('1'));
  board.add(taskOf('2'));
  expect(() => board.add(taskOf('3'))).toThrow('You have too many tasks under way');
  board.add(taskOf('3', 'bob'));
  expect(() => board.add(taskOf('4', 'bob'))).toThrow('There are too many tasks under way');
});

test('results are stored up to a size limit, and the newest result is always stored', () => {
  const board = createTaskBoard({ maxBytes: 100 });
  const tasks = ['1', '2', '3'].map((id) => taskOf(id));
  for (const task of tasks) board.add(task);
  for (const task of tasks.slice(0, 2)) end(board, task, 49);
  expect(idsOf(board.list('ada'))).toEqual(['1', '2', '3']);
  end(board, tasks[2] as BoardTask, 500);
  expect(idsOf(board.list('ada'))).toEqual(['3']);
  board.add(taskOf('4', 'ada', 60));
  expect(idsOf(board.list('ada'))).toEqual(['4']);
  expect(() => board.add(taskOf('5', 'bob', 60))).toThrow('too many tasks');
});
