import { ToolwharfError } from '../../../contract/errors.ts';
import type { JsonObject } from '../../../contract/json.ts';
import type { Call, RunningCall } from '../../../toolwharf/invocation/call.ts';
import type { ToolResult } from '../../../toolwharf/kernel/tool.ts';
import { measureJson } from '../../../toolwharf/policy/measure-json.ts';

/** A call that is a task, with the figures that decide how long it is retained. Only its caller can find it. */
export interface BoardTask {
  readonly call: Call & Partial<Pick<RunningCall, 'questions'>>;
  /** Data that the protocol of the task stores with it. */
  readonly detail?: JsonObject;
  /** The approximate memory use. */
  bytes: number;
}

/** The tasks of all callers, in memory, limited in number, size and age. Running tasks are never removed. */
export interface TaskBoard {
  /** Removes ended tasks until there is room for a new task. Throws `QUEUE_FULL` if that does not free enough space. */
  makeRoom(owner: string, bytes: number): void;
  add(task: BoardTask): void;
  /** Sets the final size of a task that has ended, and removes other ended tasks if the limit is reached. */
  end(task: BoardTask, bytes: number): void;
  find(owner: string, id: string): BoardTask | undefined;
  list(owner: string): readonly BoardTask[];
}

export interface TaskBoardOptions {
  /** Default: 1 000. */
  readonly maxTasks?: number;
  /** Default: 200. */
  readonly maxTasksPerCaller?: number;
  /** Default: 64 MiB. */
  readonly maxBytes?: number;
  /** How long an ended task is retained; one hour by default. */
  readonly keepMs?: number;
  readonly now?: () => number;
}

export function createTaskBoard(options: TaskBoardOptions = {}): TaskBoard {
  const { maxTasks = 1_000, maxTasksPerCaller = 200, maxBytes = 64 * 1024 * 1024, keepMs = 3_600_000 } = options;
  const { now = Date.now } = options;
  // Ordered by creation, oldest first.
  const tasks = new Map<string, BoardTask>();

  function all(): readonly BoardTask[] {
    const since = now() - keepMs;
    for (const [id, { call }] of tasks) if (hasEnded(call) && Date.parse(call.stateSince) < since) tasks.delete(id);
    return [...tasks.values()];
  }

  const ownedBy = (owner: string) => all().filter(({ call }) => call.caller.id === owner);

  /** Removes ended tasks, oldest first, until the limit is met. Returns false if the limit cannot be met. */
  function removeEnded(among: () => readonly BoardTask[], isTooMuch: (some: readonly BoardTask[]) => boolean): boolean {
    for (let some = among(); isTooMuch(some); some = among()) {
      const oldest = some.find(({ call }) => hasEnded(call));
      if (!oldest) return false;
      tasks.delete(oldest.call.id);
    }
    return true;
  }

  return {
    makeRoom(owner, bytes) {
      const own = removeEnded(
        () => ownedBy(owner),
        ({ length }) => length >= maxTasksPerCaller,
      );
      if (!own) throw full('You have');
      const room = removeEnded(all, (some) => some.length >= maxTasks || bytesOf(some) + bytes > maxBytes);
      if (!room) throw full('There are');
    },
    add: (task) => void tasks.set(task.call.id, task),
    end(task, bytes) {
      task.bytes = bytes;
      // The task that ended last is never removed here, whatever its size, so that its caller can fetch the result.
      removeEnded(
        () => all().filter((one) => one !== task),
        (others) => others.length > 0 && bytesOf(others) + bytes > maxBytes,
      );
    },
    find: (owner, id) => ownedBy(owner).find(({ call }) => call.id === id),
    list: ownedBy,
  };
}

/** The approximate memory use of a result. */
export function resultBytes({ content, structuredContent, _meta }: ToolResult): number {
  return measureJson({ content, structuredContent, _meta }, { maxBytes: Number.POSITIVE_INFINITY, maxDepth: 600 })
    .bytes;
}

function hasEnded({ state }: BoardTask['call']): boolean {
  return state === 'ended';
}

function bytesOf(tasks: readonly BoardTask[]): number {
  return tasks.reduce((sum, { bytes }) => sum + bytes, 0);
}

function full(who: string): ToolwharfError {
  const message = `${who} too many running tasks: wait for one to end, or cancel one, and try again`;
  return new ToolwharfError('QUEUE_FULL', message);
}
