import { expect, test } from 'vitest';
import type { Call } from '../../../toolwharf/invocation/call.ts';
import { type BoardTask, createTaskBoard } from './task-board.ts';

/** The board reads the id, the caller and the state of a call. */
interface TestTask extends BoardTask {
  readonly call: Call & { state: Call['state'] };
}

function taskOf(id: string, owner = 'ada', bytes = 1): TestTask {
  const caller = { id: owner, kind: 'client' };
  const call = { id, caller, state: 'running', stateSince: new Date(0).toISOString() } as TestTask['call'];
  return { call, bytes };
}

function add(board: ReturnType<typeof createTaskBoard>, task: BoardTask): void {
  board.makeRoom(task.call.caller.id, task.bytes);
  board.add(task);
}

function end(board: ReturnType<typeof createTaskBoard>, task: TestTask, bytes = task.bytes): void {
  task.call.state = 'ended';
  board.end(task, bytes);
}

const idsOf = (tasks: readonly BoardTask[]) => tasks.map(({ call }) => call.id);

test('only its owner can find a task', () => {
  const board = createTaskBoard();
  const task = taskOf('1');
  add(board, task);
  expect(board.find('ada', '1')).toBe(task);
  expect(board.find('bob', '1')).toBeUndefined();
  expect([idsOf(board.list('ada')), idsOf(board.list('bob'))]).toEqual([['1'], []]);
});

test('a task that has ended is removed after an hour, and a running task stays', () => {
  let now = 0;
  const board = createTaskBoard({ keepMs: 1_000, now: () => now });
  const [ended, running] = [taskOf('1'), taskOf('2')];
  add(board, ended);
  add(board, running);
  end(board, ended);
  now = 1_000;
  expect(idsOf(board.list('ada'))).toEqual(['1', '2']);
  now = 1_001;
  expect(idsOf(board.list('ada'))).toEqual(['2']);
});

test('a new task replaces the oldest ended task, of the same caller if that caller has too many', () => {
  const board = createTaskBoard({ maxTasks: 4, maxTasksPerCaller: 2, now: () => 0 });
  const tasks = [taskOf('1', 'bob'), taskOf('2'), taskOf('3')];
  for (const task of tasks) {
    add(board, task);
    end(board, task);
  }
  add(board, taskOf('4'));
  expect([idsOf(board.list('ada')), idsOf(board.list('bob'))]).toEqual([['3', '4'], ['1']]);
  add(board, taskOf('5', 'eve'));
  add(board, taskOf('6', 'joe'));
  expect([idsOf(board.list('ada')), idsOf(board.list('bob'))]).toEqual([['3', '4'], []]);
});

test('a new task is rejected while all tasks are running', () => {
  const board = createTaskBoard({ maxTasks: 3, maxTasksPerCaller: 2 });
  add(board, taskOf('1'));
  add(board, taskOf('2'));
  expect(() => add(board, taskOf('3'))).toThrow('You have too many running tasks');
  add(board, taskOf('3', 'bob'));
  expect(() => add(board, taskOf('4', 'bob'))).toThrow('There are too many running tasks');
});

test('results are stored up to a size limit, and the newest result is always stored', () => {
  const board = createTaskBoard({ maxBytes: 100, now: () => 0 });
  const tasks = ['1', '2', '3'].map((id) => taskOf(id));
  for (const task of tasks) add(board, task);
  for (const task of tasks.slice(0, 2)) end(board, task, 49);
  expect(idsOf(board.list('ada'))).toEqual(['1', '2', '3']);
  end(board, tasks[2] as TestTask, 500);
  expect(idsOf(board.list('ada'))).toEqual(['3']);
  add(board, taskOf('4', 'ada', 60));
  expect(idsOf(board.list('ada'))).toEqual(['4']);
  expect(() => add(board, taskOf('5', 'bob', 60))).toThrow('too many running tasks');
});
