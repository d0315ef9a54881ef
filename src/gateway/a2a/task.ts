import { setTimeout as sleep } from 'node:timers/promises';
import { type Artifact, type Message, type StreamResponse, type Task, TaskState, type TaskStatus } from '@a2a-js/sdk';
import { textPart, toA2aParts, toAgentMessage } from '../../bridges/a2a.ts';
import type { Call } from '../../invocation/call.ts';
import { hashOf } from '../../kernel/canonical-json.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Progress, ToolResult } from '../../kernel/tool.ts';
import type { PendingQuestions } from '../questions/pending-questions.ts';

/** A task is a call and the message that requested it. Its state, artifacts and events are those of the call. */
export interface CallTask {
  readonly call: Call;
  readonly message: Message;
  /** The name that the caller used. */
  readonly tool: string;
}

type Questions = Pick<PendingQuestions, 'list'>;

const progressIntervalMs = 100;

/** The current state of a task. */
export async function toTask(task: CallTask, questions: Questions): Promise<Task> {
  return { ...(await summarizeTask(task, questions)), artifacts: await toArtifacts(task) };
}

/** The current state of a task without its artifacts, which may be large. */
async function summarizeTask({ call, message }: CallTask, questions: Questions): Promise<Task> {
  const result = call.state === 'ended' ? await call.result : undefined;
  const { contextId } = message;
  return {
    id: call.id,
    contextId,
    status: toStatus(call, contextId, result, questions),
    artifacts: [],
    history: [{ ...message, taskId: call.id }],
    metadata: toMetadata(result),
  };
}

/** The task of a call that has ended, made from its result. */
export function toEndedTask(ended: {
  readonly id: string;
  readonly message: Message;
  readonly tool: string;
  readonly result: ToolResult;
  readonly timestamp: string;
}): Task {
  const { id, message, tool, result, timestamp } = ended;
  const { contextId } = message;
  return {
    id,
    contextId,
    status: describeStatus(describeEnd(result), { id, contextId, timestamp }),
    artifacts: result.failure ? [] : [toArtifact(result, tool)],
    history: [message],
    metadata: toMetadata(result),
  };
}

/** True if the task never changes again. */
export function isTerminal({ status }: Task): boolean {
  return terminal.has(status?.state);
}

/** True while the task waits for a person. */
export function isInterrupted({ status }: Task): boolean {
  return status?.state === TaskState.TASK_STATE_AUTH_REQUIRED;
}

/** The result of a task that has ended. */
async function toArtifacts({ call, tool }: CallTask): Promise<Artifact[]> {
  const result = call.state === 'ended' ? await call.result : undefined;
  return result && !result.failure ? [toArtifact(result, tool)] : [];
}

/** Yields the task, then every change until the call ends or the watcher disconnects. Progress is limited in rate. */
export async function* watchTask(
  task: CallTask,
  gone: AbortSignal,
  questions: Questions,
): AsyncGenerator<StreamResponse, void, undefined> {
  const { call, message, tool } = task;
  const events = call.events[Symbol.asyncIterator]();
  const leave = () => void events.return?.();
  gone.addEventListener('abort', leave, { once: true });
  let progressAt = 0;
  try {
    // The first event is the current state, which is part of the task.
    await events.next();
    const value = await toTask(task, questions);
    yield { payload: { $case: 'task', value } };
    if (isTerminal(value) || gone.aborted) return;
    for await (const event of { [Symbol.asyncIterator]: () => events }) {
      if (event.type === 'log' || (event.type === 'state' && event.state !== 'awaiting-input')) continue;
      if (event.type === 'progress') {
        const waitMs = progressAt + progressIntervalMs - Date.now();
        if (waitMs > 0) await Promise.race([sleep(waitMs, undefined, { ref: false }), call.result]);
        if (call.state !== 'running') continue;
        progressAt = Date.now();
      }
      const result = event.type === 'ended' ? event.result : undefined;
      const about = { taskId: call.id, contextId: message.contextId };
      if (result && !result.failure) {
        const artifact = toArtifact(result, tool);
        const value = { ...about, artifact, append: false, lastChunk: true, metadata: undefined };
        yield { payload: { $case: 'artifactUpdate', value } };
      }
      const status = toStatus(call, message.contextId, result, questions);
      yield { payload: { $case: 'statusUpdate', value: { ...about, status, metadata: toMetadata(result) } } };
    }
  } finally {
    gone.removeEventListener('abort', leave);
    leave();
  }
}

function toStatus(call: Call, contextId: string, result: ToolResult | undefined, questions: Questions): TaskStatus {
  const { id, stateSince: timestamp } = call;
  const description = result ? describeEnd(result) : describeRunning(call, questions);
  return describeStatus(description, { id, contextId, timestamp });
}

function describeStatus(
  { state, text, metadata }: Description,
  { id, contextId, timestamp }: { readonly id: string; readonly contextId: string; readonly timestamp: string },
): TaskStatus {
  if (text === undefined) return { state, message: undefined, timestamp };
  // The same status has the same message, however often it is read.
  const messageId = hashOf([id, text]).slice(0, 32);
  const message = toAgentMessage([textPart(text)], { messageId, contextId, taskId: id, metadata });
  return { state, message, timestamp };
}

interface Description {
  readonly state: TaskState;
  readonly text?: string;
  readonly metadata?: JsonObject;
}

function describeEnd({ failure, isError }: ToolResult): Description {
  if (!failure) return { state: isError ? TaskState.TASK_STATE_FAILED : TaskState.TASK_STATE_COMPLETED };
  const { code, message } = failure;
  return { state: stateFor(code), text: message, metadata: { 'toolwharf/code': code } };
}

function describeRunning({ id, state, approval, progress, record }: Call, questions: Questions): Description {
  if (approval) {
    const text = `Waiting for approval: ${approval.reason}. The task continues once a person answers, and is rejected if nobody does by ${approval.expiresAt}.`;
    return { state: TaskState.TASK_STATE_AUTH_REQUIRED, text, metadata: { 'toolwharf/approval': approval.id } };
  }
  const working = TaskState.TASK_STATE_WORKING;
  if (state === 'awaiting-input') {
    const text = `Server '${record.server}' asks a question during this call: answer it in the app or over the API.`;
    const question = questions.list().find(({ callId }) => callId === id);
    return { state: working, text, metadata: question && { 'toolwharf/question': question.id } };
  }
  if (state === 'awaiting-approval' && record.approval) return { state: working, text: 'The approval was answered' };
  return { state: working, text: progress && toText(progress) };
}

function toArtifact(result: ToolResult, tool: string): Artifact {
  const parts = toA2aParts(result);
  return { artifactId: 'result', name: tool, description: '', parts, metadata: result._meta, extensions: [] };
}

/** The id of the recorded call, which differs from the task's id for a repeated message after a restart. */
function toMetadata(result: ToolResult | undefined): JsonObject | undefined {
  return result && { 'toolwharf/call': result.callId };
}

/** A task is rejected if its call never started and a retry would fail in the same way. */
function stateFor(code: string): TaskState {
  if (code === 'CALL_CANCELLED') return TaskState.TASK_STATE_CANCELED;
  return rejections.has(code) ? TaskState.TASK_STATE_REJECTED : TaskState.TASK_STATE_FAILED;
}

const rejections = new Set([
  'ARGUMENTS_INVALID',
  'CALL_DENIED',
  'IDEMPOTENCY_CONFLICT',
  'TOOL_CHANGED',
  'TOOL_NAME_INVALID',
]);

const terminal = new Set<TaskState | undefined>([
  TaskState.TASK_STATE_COMPLETED,
  TaskState.TASK_STATE_FAILED,
  TaskState.TASK_STATE_CANCELED,
  TaskState.TASK_STATE_REJECTED,
]);

function toText({ progress, total, message }: Progress): string {
  const done = total === undefined ? String(progress) : `${progress} of ${total}`;
  return message ?? done;
}
