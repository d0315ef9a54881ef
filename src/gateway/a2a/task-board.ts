import { ToolwharfError } from '../../kernel/errors.ts';
import type { LiveTask } from './live-task.ts';

/** A task with its owner, size and lifetime. */
export interface BoardTask {
  readonly live: LiveTask;
  /** The id of the caller that owns the task. Other callers cannot find it. */
  readonly owner: string;
  readonly messageId: string;
  /** Hash of the requested call. A message with the same id and a different hash starts a new task. */
  readonly fingerprint: string;
  /** The approximate memory use. */
  bytes: number;
  /** When the task ended. */
  endedAt?: number;
  /** Cancels the call of the task; resolves when the call has ended. */
  cancel(): Promise<void>;
}

/** The tasks of all callers, in memory, limited in number, size and age. Running tasks are never removed. */
export interface TaskBoard {
  /** Adds a task and removes ended tasks if a limit is reached. Throws `QUEUE_FULL` if that does not free enough space. */
  add(task: BoardTask): void;
  /** Records that a task has ended, and its final size. */
  end(task: BoardTask, bytes: number): void;
  find(owner: string, id: string): BoardTask | undefined;
  /** Finds the task that a message started. */
  findMessage(owner: string, messageId: string): BoardTask | undefined;
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
    for (const [id, { endedAt }] of tasks) if (endedAt !== undefined && endedAt < since) tasks.delete(id);
    return [...tasks.values()];
  }

  const ownedBy = (owner: string) => all().filter((task) => task.owner === owner);

  /** Removes ended tasks, oldest first, until the limit is met. Returns false if the limit cannot be met. */
  function makeRoom(among: () => readonly BoardTask[], isTooMuch: (some: readonly BoardTask[]) => boolean): boolean {
    for (let some = among(); isTooMuch(some); some = among()) {
      const oldest = some.find(({ endedAt }) => endedAt !== undefined);
      if (!oldest) return false;
      tasks.delete(oldest.live.id);
    }
    return true;
  }

  return {
    add(task) {
      const { owner, bytes } = task;
      const own = makeRoom(
        () => ownedBy(owner),
        ({ length }) => length >= maxTasksPerCaller,
      );
      if (!own) throw full('You have');
      const room = makeRoom(all, (some) => some.length >= maxTasks || bytesOf(some) + bytes > maxBytes);
      if (!room) throw full('There are');
      tasks.set(task.live.id, task);
    },
    end(task, bytes) {
      task.bytes = bytes;
      task.endedAt = now();
      // The task that ended last is never removed here, whatever its size, so that its caller can fetch the result.
      makeRoom(
        () => all().filter((one) => one !== task),
        (others) => others.length > 0 && bytesOf(others) + bytes > maxBytes,
      );
    },
    find: (owner, id) => ownedBy(owner).find(({ live }) => live.id === id),
    findMessage: (owner, messageId) => ownedBy(owner).findLast((task) => task.messageId === messageId),
    list: ownedBy,
  };
}

function bytesOf(tasks: readonly BoardTask[]): number {
  return tasks.reduce((sum, { bytes }) => sum + bytes, 0);
}

function full(who: string): ToolwharfError {
  const message = `${who} too many tasks under way: wait for one to end, or cancel one, and send the message again`;
  return new ToolwharfError('QUEUE_FULL', message);
}
