import { type Artifact, Message, Role, type StreamResponse, type Task, TaskState, type TaskStatus } from '@a2a-js/sdk';
import type { JsonObject } from '../../../contract/json.ts';
import { hashOf } from '../../../toolwharf/kernel/canonical-json.ts';
import type { ToolResult } from '../../../toolwharf/kernel/tool.ts';
import { describeProgress, type TaskView } from '../tasks/task-view.ts';
import { dataPart, textPart, toA2aParts, toAgentMessage } from './a2a.ts';

/** True for a task that was started over A2A. */
export function isA2aTask({ task, detail }: TaskView): boolean {
  return detail !== undefined || (task !== undefined && 'messageId' in task);
}

/** The task in the form of A2A: its state, artifacts and message are those of the call. */
export function toTask(view: TaskView): Task {
  const { id, result } = view;
  const message = toMessage(view);
  const { contextId } = message;
  return {
    id,
    contextId,
    status: toStatus(view, contextId),
    artifacts: result && !result.failure ? [toArtifact(result, toolOf(view))] : [],
    history: [{ ...message, taskId: id }],
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

/** Yields the task, then every change of its status, and its result before the last of them. */
export async function* toEvents(
  views: AsyncGenerator<TaskView, void, undefined>,
): AsyncGenerator<StreamResponse, void, undefined> {
  let before: Task | undefined;
  for await (const view of views) {
    const task = toTask(view);
    if (!before) yield { payload: { $case: 'task', value: task } };
    else if (!isSame(before.status, task.status)) {
      const about = { taskId: task.id, contextId: task.contextId };
      const [artifact] = task.artifacts;
      if (artifact) {
        const value = { ...about, artifact, append: false, lastChunk: true, metadata: undefined };
        yield { payload: { $case: 'artifactUpdate', value } };
      }
      const { status, metadata } = task;
      yield { payload: { $case: 'statusUpdate', value: { ...about, status, metadata } } };
    }
    before = task;
  }
}

/** The task after an event of its stream. */
export function applyToTask(task: Task, { payload }: StreamResponse): Task {
  if (payload?.$case === 'task') return payload.value;
  if (payload?.$case === 'statusUpdate') {
    const { status, metadata = task.metadata } = payload.value;
    return { ...task, status, metadata };
  }
  if (payload?.$case === 'artifactUpdate' && payload.value.artifact)
    return { ...task, artifacts: [payload.value.artifact] };
  return task;
}

/** True if both say the same, whenever they said it. */
function isSame(one: TaskStatus | undefined, other: TaskStatus | undefined): boolean {
  return one?.state === other?.state && JSON.stringify(one?.message) === JSON.stringify(other?.message);
}

/** The message that started the task. The journal has only its tool and arguments. */
function toMessage(view: TaskView): Message {
  if (view.detail) return Message.fromJSON(view.detail);
  const { id, task, arguments: args } = view;
  const { contextId, messageId } = task && 'messageId' in task ? task : { contextId: '', messageId: '' };
  return {
    messageId,
    contextId,
    taskId: id,
    role: Role.ROLE_USER,
    parts: [dataPart({ tool: toolOf(view), arguments: args })],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  };
}

/** The caller's name for the tool. */
function toolOf({ task, tool }: TaskView): string {
  return task && 'skill' in task ? task.skill : tool;
}

function toStatus(view: TaskView, contextId: string): TaskStatus {
  const { id, updatedAt: timestamp, result } = view;
  const { state, text, metadata } = result ? describeEnd(result) : describeRunning(view);
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

function describeRunning(view: TaskView): Description {
  const { state, approval, progress, server, appQuestion, wasApproved, upstream } = view;
  if (approval) {
    const text = `Waiting for approval: ${approval.reason}. The task continues once a person answers, and is rejected if nobody does by ${approval.expiresAt}.`;
    return { state: TaskState.TASK_STATE_AUTH_REQUIRED, text, metadata: { 'toolwharf/approval': approval.id } };
  }
  const working = TaskState.TASK_STATE_WORKING;
  if (state === 'awaiting-input') {
    const text = `Server '${server}' asks a question during this call: answer it in the app or over the API.`;
    const metadata = appQuestion === undefined ? undefined : { 'toolwharf/question': appQuestion };
    return { state: working, text, metadata };
  }
  if (state === 'awaiting-approval' && wasApproved) return { state: working, text: 'The approval was answered' };
  return { state: working, text: progress ? describeProgress(progress) : upstream?.message };
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
  'APPROVAL_EXPIRED',
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
