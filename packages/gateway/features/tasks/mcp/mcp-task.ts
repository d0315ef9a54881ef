import type { TaskStatus } from '../../../../contract/calls.ts';
import { isObject, type JsonObject } from '../../../../contract/json.ts';
import { relatedTask } from '../../../../toolwharf/connections/follow-task.ts';
import type { CallQuestion } from '../../../../toolwharf/invocation/open-questions.ts';
import { exactly, exactMember, replaceMembers } from '../../../../toolwharf/kernel/exact-json.ts';
import type { ToolResult } from '../../../../toolwharf/kernel/tool.ts';
import { readQuestion } from '../../../core/mcp/client-host.ts';
import type { TaskGeneration } from '../../../core/mcp/client-request.ts';
import { RpcError, toCallResult } from '../../../core/mcp/rpc.ts';
import { nameServer } from '../../../core/mcp/server-questions.ts';
import { describeProgress, type TaskView } from '../task-view.ts';

const pollIntervalMs = 1_000;

/** The task in the form of revision 2025-11-25. */
export function toTaskV1(view: TaskView): JsonObject {
  return { ...commonOf(view, statusV1(view)), ttl: ttlOf(view), pollInterval: pollIntervalMs };
}

/** The task in the form of the extension, without its questions and its result. */
export function toTaskV2(view: TaskView): JsonObject {
  const { status } = outcomeV2(view);
  return { ...commonOf(view, status), ttlMs: ttlOf(view), pollIntervalMs };
}

/** The task in the form of the extension, with its open questions, its result or its error. */
export function toDetailedTaskV2(view: TaskView): JsonObject {
  const { status, ...outcome } = outcomeV2(view);
  const inputRequests = status === 'input_required' ? toInputRequests(view.questions) : undefined;
  return { ...toTaskV2(view), inputRequests, ...outcome };
}

/** The response that a client gets instead of a result when its call becomes a task. */
export function toCreated(view: TaskView, generation: TaskGeneration): JsonObject {
  return generation === 'v1' ? { task: toTaskV1(view) } : { resultType: 'task', ...toTaskV2(view) };
}

/** The result of a task that has ended, as revision 2025-11-25 returns it. Throws if the call failed with a protocol error. */
export function toResultV1(view: TaskView): JsonObject {
  if (!view.result) throw new Error('The task has not ended');
  return withRelatedTask(toCallResult(view.result), view.id);
}

/** Names the task that a legacy message belongs to. */
export function withRelatedTask(message: JsonObject, taskId: string): JsonObject {
  const meta = exactMember(message, '_meta');
  return replaceMembers(message, { _meta: { ...(isObject(meta) && meta), [relatedTask]: { taskId } } });
}

/** The open questions by their keys: those of the server, or their ids where two questions have the same key. */
export function questionsByKey(questions: readonly CallQuestion[]): ReadonlyMap<string, CallQuestion> {
  const byKey = new Map<string, CallQuestion>();
  for (const asked of questions) {
    const { name, question } = readQuestion(exactly(asked.params));
    const params = nameServer(asked.method, question, asked.server);
    const key = asked.key ?? name ?? asked.id;
    byKey.set(byKey.has(key) ? asked.id : key, { ...asked, params });
  }
  return byKey;
}

function toInputRequests(questions: readonly CallQuestion[]): JsonObject {
  const requests = [...questionsByKey(questions)].map(([key, { method, params }]) => [key, { method, params }]);
  return Object.fromEntries(requests);
}

function commonOf(view: TaskView, status: TaskStatus): JsonObject {
  const { id: taskId, createdAt, updatedAt: lastUpdatedAt } = view;
  return { taskId, status, statusMessage: describeStatus(view), createdAt, lastUpdatedAt };
}

function ttlOf({ task }: TaskView): number | null {
  return task && 'ttlMs' in task ? task.ttlMs : null;
}

function runningStatus({ questions }: TaskView): TaskStatus {
  return questions.length > 0 ? 'input_required' : 'working';
}

function statusV1(view: TaskView): TaskStatus {
  const { result } = view;
  if (!result) return runningStatus(view);
  if (isCancelled(view)) return 'cancelled';
  return isFailure(result) ? 'failed' : 'completed';
}

/** True if `tasks/result` returns an error. */
function isFailure(result: ToolResult): boolean {
  try {
    return toCallResult(result).isError === true;
  } catch {
    return true;
  }
}

interface OutcomeV2 {
  readonly status: TaskStatus;
  readonly result?: JsonObject;
  readonly error?: JsonObject;
}

/** In the extension, only an error of the protocol is a failure. A tool that reports an error has completed. */
function outcomeV2(view: TaskView): OutcomeV2 {
  if (!view.result) return { status: runningStatus(view) };
  if (isCancelled(view)) return { status: 'cancelled' };
  try {
    const result = toCallResult(view.result);
    const isTyped = result.resultType !== undefined;
    return { status: 'completed', result: isTyped ? result : replaceMembers(result, { resultType: 'complete' }) };
  } catch (cause) {
    if (!(cause instanceof RpcError)) throw cause;
    const { code, message, data } = cause;
    return { status: 'failed', error: { code, message, data } };
  }
}

function isCancelled({ result }: TaskView): boolean {
  return result?.failure?.code === 'CALL_CANCELLED';
}

function describeStatus({ result, approval, questions, progress, upstream, state }: TaskView): string | undefined {
  if (result) return result.failure?.message;
  if (approval) return `Waiting for approval: ${approval.reason}`;
  if (questions.length > 0) return 'Waiting for input';
  if (state === 'queued') return 'Waiting for other calls to end';
  return progress ? describeProgress(progress) : upstream?.message;
}
