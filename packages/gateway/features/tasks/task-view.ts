import type { ErrorCode } from '../../../contract/errors.ts';
import type { JsonObject } from '../../../contract/json.ts';
import type { UpstreamTask } from '../../../toolwharf/connections/follow-task.ts';
import type { CallState } from '../../../toolwharf/invocation/call.ts';
import type { CallRecord, CallTask } from '../../../toolwharf/invocation/call-record.ts';
import { isUnsent } from '../../../toolwharf/invocation/idempotency.ts';
import type { CallQuestion } from '../../../toolwharf/invocation/open-questions.ts';
import { failureResult, recordedResult } from '../../../toolwharf/invocation/shape-result.ts';
import type { Progress, ToolResult } from '../../../toolwharf/kernel/tool.ts';
import type { ApprovalRequest } from '../../../toolwharf/policy/approval.ts';
import type { BoardTask } from './task-board.ts';

/** A task at one moment, derived from its call or from the record of its call. Each protocol has its own form of it. */
export interface TaskView {
  /** The id of the task and its call. */
  readonly id: string;
  readonly tool: string;
  readonly server?: string;
  /** The arguments that the caller sent. */
  readonly arguments: JsonObject;
  /** Undefined for a call that failed before it could be recorded. */
  readonly task?: CallTask;
  readonly state: CallState;
  readonly createdAt: string;
  /** When the task entered its state. */
  readonly updatedAt: string;
  /** The approval that the task waits for. */
  readonly approval?: Pick<ApprovalRequest, 'id' | 'reason' | 'expiresAt'>;
  /** True once a person has answered an approval of the task. */
  readonly wasApproved: boolean;
  /** True if the call has ended and surely never reached its tool. */
  readonly wasUnsent?: boolean;
  readonly progress?: Progress;
  /** The task in which the server runs the call. */
  readonly upstream?: UpstreamTask;
  /** The questions that wait for an answer. */
  readonly questions: readonly CallQuestion[];
  /** The id of the question as the app and the API list it. */
  readonly appQuestion?: string;
  /** Set when the task has ended. */
  readonly result?: ToolResult;
  /** Data that the protocol of the task stores with it. */
  readonly detail?: JsonObject;
}

/** The view of a call that this process makes, or made. */
export async function viewOf(
  call: BoardTask['call'],
  { detail, appQuestion }: Pick<TaskView, 'detail' | 'appQuestion'> = {},
): Promise<TaskView> {
  const { id, record, state, stateSince, approval, progress, questions = [] } = call;
  const result = state === 'ended' ? await call.result : undefined;
  return {
    ...recordFacts(record),
    id,
    state,
    updatedAt: stateSince,
    approval: approval && { id: approval.id, reason: approval.reason, expiresAt: approval.expiresAt },
    progress,
    questions: result ? [] : questions,
    appQuestion,
    result,
    detail,
  };
}

/** The view of a recorded call, of which no process tells more. */
export function recordedView(record: CallRecord): TaskView {
  const { id, status, createdAt, startedAt, completedAt } = record;
  const hasEnded = status !== 'pending' && status !== 'running';
  return {
    ...recordFacts(record),
    id,
    state: hasEnded ? 'ended' : status === 'pending' ? 'received' : 'running',
    updatedAt: completedAt ?? startedAt ?? createdAt,
    questions: [],
    result: hasEnded ? resultOf(record) : undefined,
  };
}

function recordFacts(
  record: CallRecord,
): Pick<TaskView, 'tool' | 'server' | 'arguments' | 'task' | 'createdAt' | 'wasApproved' | 'wasUnsent' | 'upstream'> {
  const { tool, server, arguments: args, task, createdAt, approval, upstreamTask: upstream } = record;
  const wasApproved = approval !== undefined;
  return {
    ...{ tool, server, task, createdAt, wasApproved, upstream },
    arguments: approval?.originalArguments ?? args,
    wasUnsent: isUnsent(record),
  };
}

function resultOf(record: CallRecord): ToolResult {
  const recorded = recordedResult(record);
  if (recorded) return recorded;
  const { id, error, resultOmitted } = record;
  if (resultOmitted)
    return { callId: id, isError: false, content: [], text: '', structuredContent: { resultOmitted: true } };
  return failureResult(
    id,
    (error?.code as ErrorCode) ?? 'OUTCOME_UNKNOWN',
    error?.message ?? 'The result is not recorded',
  );
}

/** The progress in words: the tool's own, or its figures. */
export function describeProgress({ progress, total, message }: Progress): string {
  return message ?? (total === undefined ? String(progress) : `${progress} of ${total}`);
}
