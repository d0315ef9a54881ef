import { setTimeout as sleep } from 'node:timers/promises';
import { StreamResponse, Task } from '@a2a-js/sdk';
import type { Fleet } from '../../fleet/fleet.ts';
import type { CallRecord } from '../../invocation/call-record.ts';
import type { Journal } from '../../invocation/journal.ts';
import { isObject, type JsonObject } from '../../kernel/json.ts';
import type { SharedCalls } from '../fleet/shared-calls.ts';
import type { PendingQuestions } from '../questions/pending-questions.ts';
import { applyToTask, toRecordedTask } from './recorded-task.ts';
import { isTerminal, toTask, watchTask } from './task.ts';
import type { BoardTask, TaskBoard } from './task-board.ts';

/** A task on any replica, or in the journal. */
export interface FoundTask {
  /** Its current state, or the latest that is known. */
  read(): Promise<Task>;
  /** Yields the task, then every change until the task ends or the watcher disconnects. */
  watch(gone: AbortSignal): AsyncGenerator<StreamResponse, void, undefined>;
  /** Cancels the call of the task. Resolves with the task after the call has ended. */
  cancel(): Promise<Task>;
}

/** The tasks of all replicas. The journal has those whose replica has ended. */
export interface SharedTasks {
  find(owner: string, id: string): Promise<FoundTask | undefined>;
  list(owner: string): Promise<readonly Task[]>;
}

export interface SharedTasksPorts {
  readonly board: TaskBoard;
  readonly questions: Questions;
  readonly journal: Pick<Journal, 'get' | 'list'>;
  readonly calls: Pick<SharedCalls, 'cancel' | 'findReplica'>;
  readonly fleet: Fleet;
  /** How often the journal is read for the end of a call that no replica reports; 500. */
  readonly pollMs?: number;
}

type Questions = Pick<PendingQuestions, 'list'>;

const maxListed = 200;

export function createSharedTasks(ports: SharedTasksPorts): SharedTasks {
  const { board, questions, journal, calls, fleet, pollMs = 500 } = ports;

  fleet.handle('a2a.get', async ({ owner, id }) => {
    const found = board.find(String(owner), String(id));
    return { task: found ? (Task.toJSON(await toTask(found, questions)) as JsonObject) : null };
  });
  fleet.handle('a2a.list', async ({ owner }) => ({
    tasks: (await listHere(String(owner))).map((task) => Task.toJSON(task) as JsonObject),
  }));
  fleet.handle('a2a.watch', async ({ owner, id }, { signal, send }) => {
    const found = board.find(String(owner), String(id));
    if (!found) return {};
    for await (const event of watchTask(found, signal, questions)) send(StreamResponse.toJSON(event) as JsonObject);
    return {};
  });

  function listHere(owner: string): Promise<readonly Task[]> {
    return Promise.all(board.list(owner).map((task) => toTask(task, questions)));
  }

  async function readRecord(owner: string, id: string): Promise<CallRecord | undefined> {
    const record = await journal.get(id);
    return record?.task && record.caller.id === owner ? record : undefined;
  }

  async function readTask(owner: string, id: string): Promise<Task | undefined> {
    const record = await readRecord(owner, id);
    return record && toRecordedTask(record);
  }

  /** The replica on which the task is, and its state there. */
  async function locate(owner: string, id: string, isRecorded: boolean): Promise<Located | undefined> {
    const params = { owner, id };
    const replica = isRecorded ? await calls.findReplica(id) : undefined;
    const answers = isRecorded
      ? replica === undefined
        ? []
        : [{ replica, result: await fleet.request(replica, 'a2a.get', params).catch(() => ({ task: null })) }]
      : await fleet.gather('a2a.get', params);
    const found = answers.find(({ result }) => isObject(result.task));
    return found && { replica: found.replica, task: Task.fromJSON(found.result.task) };
  }

  /** A task that another replica has, or that only the journal has. */
  function toFound(owner: string, task: Task, replica: string | undefined): FoundTask {
    const { id } = task;

    async function* watch(gone: AbortSignal): AsyncGenerator<StreamResponse, void, undefined> {
      let current = task;
      if (replica === undefined) yield toEvent(current);
      else
        for await (const event of watchElsewhere(replica, { owner, id }, gone)) {
          current = applyToTask(current, event);
          yield event;
        }
      // The replica is gone, or the call went on elsewhere.
      while (!isTerminal(current) && !gone.aborted) {
        await sleep(pollMs, undefined, { signal: gone }).catch(() => {});
        const next = await readTask(owner, id);
        if (!next || next.status?.state === current.status?.state) continue;
        current = next;
        yield toEvent(current);
      }
    }

    return {
      read: async () => task,
      watch,
      async cancel() {
        if (!isTerminal(task)) await calls.cancel(id);
        return (await readTask(owner, id)) ?? task;
      },
    };
  }

  async function* watchElsewhere(
    replica: string,
    params: JsonObject,
    signal: AbortSignal,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    const unread: JsonObject[] = [];
    let wake = () => {};
    let isEnded = false;
    const onItem = (item: JsonObject) => {
      unread.push(item);
      wake();
    };
    fleet
      .request(replica, 'a2a.watch', params, { signal, onItem })
      .catch(() => {})
      .finally(() => {
        isEnded = true;
        wake();
      });
    for (;;) {
      for (let item = unread.shift(); item; item = unread.shift()) yield StreamResponse.fromJSON(item);
      if (isEnded) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }

  return {
    async find(owner, id) {
      const here = board.find(owner, id);
      if (here) return toLocal(here, questions);
      const task = await readTask(owner, id);
      if (task && isTerminal(task)) return toFound(owner, task, undefined);
      const located = await locate(owner, id, task !== undefined);
      if (located) return toFound(owner, located.task, located.replica);
      return task && toFound(owner, task, undefined);
    },
    async list(owner) {
      const records = await journal.list({ caller: owner, kind: 'calls', limit: maxListed });
      const recorded = await Promise.all(
        records
          .filter(({ task }) => task)
          .map((record) => (record.isPreview ? readTask(owner, record.id) : toRecordedTask(record))),
      );
      const answers = await fleet.gather('a2a.list', { owner });
      const elsewhere = answers.flatMap(({ result }) => (result.tasks as unknown[]).map((task) => Task.fromJSON(task)));
      const all = [...recorded.flatMap((task) => task ?? []), ...elsewhere, ...(await listHere(owner))];
      return [...new Map(all.map((task) => [task.id, task])).values()];
    },
  };
}

interface Located {
  readonly replica: string;
  readonly task: Task;
}

/** A task on this replica. */
export function toLocal(task: BoardTask, questions: Questions): FoundTask {
  const { call } = task;
  return {
    read: () => toTask(task, questions),
    watch: (gone) => watchTask(task, gone, questions),
    async cancel() {
      call.cancel();
      await call.result;
      return toTask(task, questions);
    },
  };
}

function toEvent(value: Task): StreamResponse {
  return { payload: { $case: 'task', value } };
}
