import { ToolwharfError } from '../../kernel/errors.ts';
import type { LiveTask } from './live-task.ts';

/** A task and what is known about it besides. */
export interface BoardTask {
  readonly live: LiveTask;
  /** The caller it belongs to: to all others it is not there. */
  readonly owner: string;
  readonly messageId: string;
  /** Of what the message asked for: the same message with other content is another one. */
  readonly fingerprint: string;
  /** What it holds in memory, about. */
  bytes: number;
  /** When it ended. */
  endedAt?: number;
  /** Ends the call behind it; resolves when that is over. */
  cancel(): Promise<void>;
}

/** The tasks of all callers, in memory, limited in number, size and age. Running tasks are never removed. */
export interface TaskBoard {
  /** Takes a new task in; a `QUEUE_FULL` error when there is no room that tasks which ended could make. */
  add(task: BoardTask): void;
  /** Call when one ended, with what it holds now. */
  end(task: BoardTask, bytes: number): void;
  find(owner: string, id: string): BoardTask | undefined;
  /** The task that a message began. */
  findMessage(owner: string, messageId: string): BoardTask | undefined;
  list(owner: string): readonly BoardTask[];
}

export interface TaskBoardOptions {
  /** 1 000. */
  readonly maxTasks?: number;
  /** 200. */
  readonly maxTasksPerCaller?: number;
  /** 64 MiB. */
  readonly maxBytes?: number;
  /** How long one is there after it ended; an hour. */
  readonly keepMs?: number;
  readonly now?: () => number;
}

export function createTaskBoard(options: TaskBoardOptions = {}): TaskBoard {
  const { maxTasks = 1_000, maxTasksPerCaller = 200, maxBytes = 64 * 1024 * 1024, keepMs = 3_600_000 } = options;
  const { now = Date.now } = options;
  // Oldest first.
  const tasks = new Map<string, BoardTask>();

  function all(): readonly BoardTask[] {
    const since = now() - keepMs;
    for (const [id, { endedAt }] of tasks) if (endedAt !== undefined && endedAt < since) tasks.delete(id);
    return [...tasks.values()];
  }

  const ownedBy = (owner: string) => all().filter((task) => task.owner === owner);

  /** Removes ended tasks, oldest first, until the limit is met; false if that is not enough. */
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
      // The newest stays for its caller to fetch, however big it is.
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
