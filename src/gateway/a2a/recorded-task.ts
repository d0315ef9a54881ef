import { type Message, Role, type StreamResponse, type Task, TaskState } from '@a2a-js/sdk';
import { dataPart } from '../../bridges/a2a.ts';
import type { CallRecord } from '../../invocation/call-record.ts';
import { failureResult, recordedResult } from '../../invocation/shape-result.ts';
import type { ToolResult } from '../../kernel/tool.ts';
import { toEndedTask } from './task.ts';

/** The task whose call the journal recorded; undefined if the call is not a task. */
export function toRecordedTask(record: CallRecord): Task | undefined {
  const { id, task, status, createdAt, completedAt = createdAt, startedAt = createdAt } = record;
  if (!task) return undefined;
  const about = { id, message: toMessage(record, task) };
  if (status !== 'pending' && status !== 'running')
    return toEndedTask({ ...about, tool: task.skill, result: resultOf(record), timestamp: completedAt });
  const state = status === 'pending' ? TaskState.TASK_STATE_SUBMITTED : TaskState.TASK_STATE_WORKING;
  return {
    id,
    contextId: task.contextId,
    status: { state, message: undefined, timestamp: startedAt },
    artifacts: [],
    history: [about.message],
    metadata: undefined,
  };
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

function resultOf(record: CallRecord): ToolResult {
  const recorded = recordedResult(record);
  if (recorded) return recorded;
  const { id, error, resultOmitted } = record;
  if (resultOmitted)
    return { callId: id, isError: false, content: [], text: '', structuredContent: { resultOmitted: true } };
  return failureResult(id, error?.code ?? 'OUTCOME_UNKNOWN', error?.message ?? 'The result is not recorded');
}

/** The message that started the task. The journal has its tool and arguments. */
function toMessage({ id, arguments: args, approval }: CallRecord, task: NonNullable<CallRecord['task']>): Message {
  const { contextId, messageId, skill } = task;
  return {
    messageId,
    contextId,
    taskId: id,
    role: Role.ROLE_USER,
    parts: [dataPart({ tool: skill, arguments: approval?.originalArguments ?? args })],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  };
}
