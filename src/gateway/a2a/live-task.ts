import { type Artifact, type Message, type StreamResponse, type Task, TaskState, type TaskStatus } from '@a2a-js/sdk';
import { textPart, toAgentMessage } from '../../bridges/a2a.ts';
import type { JsonObject } from '../../kernel/json.ts';

/** One task from its first message until it ends, with its watchers. */
export interface LiveTask {
  readonly id: string;
  /** The current state; a new object after every change. */
  readonly task: Task;
  readonly isOver: boolean;
  /** True while the task waits for a person. A blocking request returns at this point. */
  readonly isInterrupted: boolean;
  /** Does nothing after the task has ended. */
  setState(state: TaskState, words?: string, metadata?: JsonObject): void;
  setArtifact(artifact: Artifact): void;
  /** Adds metadata to the task. The next state change sends it. */
  addMetadata(metadata: JsonObject): void;
  /** Yields the task, then every change until the task ends or the watcher disconnects. A slow watcher skips old progress. */
  watch(gone: AbortSignal): AsyncGenerator<StreamResponse, void, undefined>;
}

type Watcher = (event: StreamResponse) => void;

/** Creates a task for a message, in the context of that message. */
export function createLiveTask(id: string, message: Message): LiveTask {
  const { contextId } = message;
  const watchers = new Set<Watcher>();
  let task: Task = {
    id,
    contextId,
    status: statusOf(TaskState.TASK_STATE_WORKING),
    artifacts: [],
    history: [{ ...message, taskId: id }],
    metadata: undefined,
  };
  const stateOf = () => task.status?.state ?? TaskState.TASK_STATE_UNSPECIFIED;
  const isOver = () => terminal.has(stateOf());

  function statusOf(state: TaskState, words?: string, metadata?: JsonObject): TaskStatus {
    const message =
      words === undefined
        ? undefined
        : toAgentMessage([textPart(words)], { contextId, taskId: id, ...(metadata && { metadata }) });
    return { state, message, timestamp: new Date().toISOString() };
  }

  function publish(event: StreamResponse): void {
    for (const watcher of watchers) watcher(event);
  }

  return {
    id,
    get task() {
      return task;
    },
    get isOver() {
      return isOver();
    },
    get isInterrupted() {
      return stateOf() === TaskState.TASK_STATE_AUTH_REQUIRED;
    },
    setState(state, words, metadata) {
      if (isOver()) return;
      const status = statusOf(state, words, metadata);
      task = { ...task, status };
      const value = { taskId: id, contextId, status, metadata: task.metadata };
      publish({ payload: { $case: 'statusUpdate', value } });
    },
    setArtifact(artifact) {
      if (isOver()) return;
      task = { ...task, artifacts: [artifact] };
      const value = { taskId: id, contextId, artifact, append: false, lastChunk: true, metadata: undefined };
      publish({ payload: { $case: 'artifactUpdate', value } });
    },
    addMetadata(metadata) {
      task = { ...task, metadata: { ...task.metadata, ...metadata } };
    },
    async *watch(gone) {
      const unread: StreamResponse[] = [];
      let wake = () => {};
      const watcher: Watcher = (event) => {
        // A slow watcher gets only the latest progress.
        if (isPassing(unread.at(-1))) unread.pop();
        unread.push(event);
        wake();
      };
      const leave = () => wake();
      watchers.add(watcher);
      gone.addEventListener('abort', leave);
      try {
        yield { payload: { $case: 'task', value: task } };
        for (;;) {
          for (let event = unread.shift(); event; event = unread.shift()) yield event;
          if (isOver() || gone.aborted) return;
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      } finally {
        watchers.delete(watcher);
        gone.removeEventListener('abort', leave);
      }
    },
  };
}

const terminal = new Set([
  TaskState.TASK_STATE_COMPLETED,
  TaskState.TASK_STATE_FAILED,
  TaskState.TASK_STATE_CANCELED,
  TaskState.TASK_STATE_REJECTED,
]);

function isPassing(event: StreamResponse | undefined): boolean {
  if (event?.payload?.$case !== 'statusUpdate') return false;
  return event.payload.value.status?.state === TaskState.TASK_STATE_WORKING;
}
