import { setTimeout as sleep } from 'node:timers/promises';
import { isObject, type JsonObject } from '../../../contract/json.ts';
import type { Call } from '../../../toolwharf/invocation/call.ts';
import type { CallRecord } from '../../../toolwharf/invocation/call-record.ts';
import type { InternalToolbox } from '../../../toolwharf/toolbox.ts';
import type { SharedTaskPorts } from '../../core/mcp/call-tasks.ts';
import { type BoardTask, createTaskBoard, type TaskBoard } from './task-board.ts';
import { recordedView, type TaskView, viewOf } from './task-view.ts';

const progressIntervalMs = 100;

/** The answer to a question of a task, or why it is refused. */
export type TaskAnswer =
  | { readonly result: JsonObject }
  | { readonly error: { readonly code: number; readonly message: string } };

/** A task on any replica, or in the journal. */
export interface FoundTask {
  /** Its current state, or the latest that is known. */
  read(): Promise<TaskView>;
  /** Yields the task, then its state after every change, until the task has ended or the watcher disconnects. */
  watch(gone: AbortSignal): AsyncGenerator<TaskView, void, undefined>;
  /** Cancels the call of the task. Resolves with the task after the call has ended. */
  cancel(): Promise<TaskView>;
  /** Answers a question of the task; the first answer counts. Returns false if the question no longer waits. */
  answer(questionId: string, answer: TaskAnswer): Promise<boolean>;
}

/** The tasks of all replicas and protocols. The journal has those whose replica has ended. Only its caller finds a task. */
export interface SharedTasks {
  /** The tasks of this process. */
  readonly board: TaskBoard;
  find(owner: string, id: string): Promise<FoundTask | undefined>;
  list(owner: string): Promise<readonly TaskView[]>;
}

export interface SharedTasksPorts extends SharedTaskPorts {
  readonly toolbox: { readonly calls: Pick<InternalToolbox['calls'], 'find'> };
  readonly board?: TaskBoard;
}

const maxListed = 200;
/** How often the journal is read for the end of a call that no replica reports. */
const pollMs = 500;

export function createSharedTasks(ports: SharedTasksPorts): SharedTasks {
  const { toolbox, questions, journal, calls, fleet, board = createTaskBoard() } = ports;

  fleet?.handle('tasks.get', async ({ owner, id }) => {
    const found = findHere(String(owner), String(id));
    return { task: found ? toJson(await readHere(found)) : null };
  });
  fleet?.handle('tasks.list', async ({ owner }) => ({ tasks: (await listHere(String(owner))).map(toJson) }));
  fleet?.handle('tasks.watch', async ({ owner, id }, { signal, send }) => {
    const found = findHere(String(owner), String(id));
    if (!found) return {};
    for await (const view of watchHere(found, signal)) send(toJson(view));
    return {};
  });
  fleet?.handle('tasks.answer', async ({ owner, id, question, answer }) => ({
    answered: answerHere(String(owner), String(id), String(question), answer as unknown as TaskAnswer),
  }));

  /** A task of this process. A call that was continued after its replica was lost is not on the board. */
  function findHere(owner: string, id: string): Pick<BoardTask, 'call' | 'detail'> | undefined {
    const running = toolbox.calls.find(id);
    const isTask = running?.record.task !== undefined && running.caller.id === owner;
    return board.find(owner, id) ?? (isTask ? { call: running } : undefined);
  }

  function readHere({ call, detail }: Pick<BoardTask, 'call' | 'detail'>): Promise<TaskView> {
    const appQuestion = questions?.list().find(({ callId }) => callId === call.id)?.id;
    return viewOf(call, { detail, appQuestion });
  }

  const watchHere = (task: Pick<BoardTask, 'call' | 'detail'>, gone: AbortSignal) =>
    watchTask(task.call, gone, () => readHere(task));

  function answerHere(owner: string, id: string, question: string, answer: TaskAnswer): boolean {
    const running = toolbox.calls.find(id);
    if (running?.caller.id !== owner) return false;
    return running.answerQuestion(question, 'result' in answer ? answer.result : toRefusal(answer.error));
  }

  function listHere(owner: string): Promise<readonly TaskView[]> {
    return Promise.all(board.list(owner).map(readHere));
  }

  function toLocal(owner: string, task: Pick<BoardTask, 'call' | 'detail'>): FoundTask {
    const { call } = task;
    return {
      read: () => readHere(task),
      watch: (gone) => watchHere(task, gone),
      async cancel() {
        call.cancel();
        await call.result;
        return readHere(task);
      },
      answer: async (question, answer) => answerHere(owner, call.id, question, answer),
    };
  }

  async function readRecord(owner: string, id: string): Promise<CallRecord | undefined> {
    const record = await journal?.get(id);
    return record?.task && record.caller.id === owner ? record : undefined;
  }

  async function readTask(owner: string, id: string): Promise<TaskView | undefined> {
    const record = await readRecord(owner, id);
    return record && recordedView(record);
  }

  /** The replica on which the task is, and its state there. */
  async function locate(owner: string, id: string, isRecorded: boolean): Promise<Located | undefined> {
    if (!fleet) return undefined;
    const params = { owner, id };
    const replica = isRecorded ? await calls?.findReplica(id) : undefined;
    const answers = isRecorded
      ? replica === undefined
        ? []
        : [{ replica, result: await fleet.request(replica, 'tasks.get', params).catch(() => ({ task: null })) }]
      : await fleet.gather('tasks.get', params);
    const found = answers.find(({ result }) => isObject(result.task));
    return found && { replica: found.replica, task: toView(found.result.task) };
  }

  /** A task that another replica has, or that only the journal has. */
  function toFound(owner: string, task: TaskView, replica: string | undefined): FoundTask {
    const { id } = task;

    async function* watch(gone: AbortSignal): AsyncGenerator<TaskView, void, undefined> {
      let current = task;
      if (replica === undefined) yield current;
      else
        for await (const view of watchElsewhere(replica, { owner, id }, gone)) {
          current = view;
          yield view;
        }
      // The replica is gone, or the call went on elsewhere.
      while (!current.result && !gone.aborted) {
        await sleep(pollMs, undefined, { signal: gone }).catch(() => {});
        const next = await readTask(owner, id);
        if (!next || next.state === current.state) continue;
        current = next;
        yield current;
      }
    }

    return {
      read: async () => task,
      watch,
      async cancel() {
        if (!task.result) await calls?.cancel(id);
        return (await readTask(owner, id)) ?? task;
      },
      async answer(question, answer) {
        if (replica === undefined || !fleet) return false;
        const params = { owner, id, question, answer: answer as unknown as JsonObject };
        return (await fleet.request(replica, 'tasks.answer', params)).answered === true;
      },
    };
  }

  async function* watchElsewhere(
    replica: string,
    params: JsonObject,
    signal: AbortSignal,
  ): AsyncGenerator<TaskView, void, undefined> {
    const unread: JsonObject[] = [];
    let wake = () => {};
    let isEnded = false;
    const onItem = (item: JsonObject) => {
      unread.push(item);
      wake();
    };
    fleet
      ?.request(replica, 'tasks.watch', params, { signal, onItem })
      .catch(() => {})
      .finally(() => {
        isEnded = true;
        wake();
      });
    for (;;) {
      for (let item = unread.shift(); item; item = unread.shift()) yield toView(item);
      if (isEnded) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }

  return {
    board,
    async find(owner, id) {
      const here = findHere(owner, id);
      if (here) return toLocal(owner, here);
      const task = await readTask(owner, id);
      if (task?.result) return toFound(owner, task, undefined);
      const located = await locate(owner, id, task !== undefined);
      if (located) return toFound(owner, located.task, located.replica);
      return task && toFound(owner, task, undefined);
    },
    async list(owner) {
      const records = (await journal?.list({ caller: owner, kind: 'calls', limit: maxListed })) ?? [];
      const recorded = await Promise.all(
        records
          .filter(({ task }) => task)
          .map((record) => (record.isPreview ? readTask(owner, record.id) : recordedView(record))),
      );
      const answers = (await fleet?.gather('tasks.list', { owner })) ?? [];
      const elsewhere = answers.flatMap(({ result }) => (result.tasks as unknown[]).map(toView));
      const all = [...recorded.filter((task) => task !== undefined), ...elsewhere, ...(await listHere(owner))];
      // The latest of each: what a process says is newer than the record.
      return [...new Map(all.map((task) => [task.id, task])).values()];
    },
  };
}

/** Yields the task, then its state after every change, until the call ends or the watcher disconnects. Progress is limited in rate. */
export async function* watchTask(
  call: Call,
  gone: AbortSignal,
  read: () => Promise<TaskView>,
): AsyncGenerator<TaskView, void, undefined> {
  const events = call.events[Symbol.asyncIterator]();
  const leave = () => void events.return?.();
  gone.addEventListener('abort', leave, { once: true });
  let progressAt = 0;
  try {
    // The first event is the current state, which is part of the task.
    await events.next();
    const first = await read();
    yield first;
    if (first.result || gone.aborted) return;
    for await (const event of { [Symbol.asyncIterator]: () => events }) {
      // The end follows with its result.
      if (event.type === 'log' || (event.type === 'state' && event.state === 'ended')) continue;
      if (event.type === 'progress') {
        const waitMs = progressAt + progressIntervalMs - Date.now();
        if (waitMs > 0) await Promise.race([sleep(waitMs, undefined, { ref: false }), call.result]);
        if (call.state !== 'running') continue;
        progressAt = Date.now();
      }
      yield await read();
    }
  } finally {
    gone.removeEventListener('abort', leave);
    leave();
  }
}

interface Located {
  readonly replica: string;
  readonly task: TaskView;
}

function toJson(view: TaskView): JsonObject {
  return view as unknown as JsonObject;
}

function toView(value: unknown): TaskView {
  return value as TaskView;
}

function toRefusal({ code, message }: { readonly code: number; readonly message: string }): Error {
  return Object.assign(new Error(message), { code });
}
